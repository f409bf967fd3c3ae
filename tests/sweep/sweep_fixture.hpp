// A small sweep and helpers for its result directories.
#pragma once

#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>

namespace starport::test {

namespace fs = std::filesystem;

// Twelve instances, three heuristics; BMM does not fit in the smallest memory.
inline constexpr const char* kSweep = R"({"schema_version": 1, "name": "small", "seed": 3,
  "heuristics": ["ODDOML", "BMM", "HoLM"],
  "experiments": [
    {"name": "drawn", "repetitions": 3, "problems": ["40x40x80", "80x40x80"],
     "platforms": [{"generate": {"name": "random, \"quoted\"", "workers": 3, "speed": "1Mf",
       "bandwidth": {"log_uniform": ["1MBps", "4MBps"]}, "memory": {"uniform": ["20kB", "80kB"]}}}],
     "block_sizes": [10]},
    {"name": "memory", "problems": ["40x40x80"], "block_sizes": [10],
     "platforms": [{"platform": {"schema_version": 1, "name": "one", "workers": [
        {"bandwidth": "1MBps", "speed": "1Mf", "memory": "1MB"}]}}],
     "overrides": [{"field": "memory", "set": ["1kB", "5kB", "10kB", "20kB", "40kB", "80kB"]}]}]})";

inline std::string content(const fs::path& path) { return read_file(path.string()); }

/// Fixture: runs sweeps in subdirectories of a temporary directory; "whole" is the reference.
class Sweep : public testing::Test {
 protected:
  explicit Sweep(const std::string& specification = kSweep) : specification_(specification) {}

  std::string sweep(const std::string& directory, const std::string& options = "") const {
    return "starport sweep " + specification_.path() + " -o " + dir(directory) + " " + options;
  }
  std::string dir(const std::string& name) const { return (work_.path() / name).string(); }
  /// Runs the sweep without interruption into "whole". Some of its rows fail.
  void run_whole() const {
    const auto outcome = shell(sweep("whole", "-j 1"));
    ASSERT_EQ(outcome.status, 1) << outcome.err;
  }
  void expect_like_whole(const std::string& directory) const {
    for (const char* name : {"results.csv", "specification.json"}) {
      EXPECT_EQ(content(fs::path(dir(directory)) / name), content(fs::path(dir("whole")) / name));
    }
  }
  /// Copies "whole", truncates its rows to `size` bytes and marks it as unfinished. Returns its
  /// path.
  std::string unfinished(const std::string& name, std::size_t size) const {
    fs::copy(dir("whole"), dir(name));
    fs::resize_file(fs::path(dir(name)) / "results.csv", size);
    const fs::path info = fs::path(dir(name)) / "run_info.json";
    auto json = parse_trusted_json(content(info));
    json["complete"] = false;
    std::ofstream(info) << json.dump();
    return dir(name);
  }

  TemporaryFile specification_;
  TemporaryDirectory work_;
};

/// Returns kSweep with more repetitions, so that it takes longer.
inline std::string longer(const std::string& repetitions) {
  std::string text = kSweep;
  return text.replace(text.find("\"repetitions\": 3"), 16, "\"repetitions\": " + repetitions);
}

}  // namespace starport::test
