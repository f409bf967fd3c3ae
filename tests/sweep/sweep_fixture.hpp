// A small sweep and helpers for its result directories.
#pragma once

#include "sim/files/input_file.hpp"
#include "sim/files/json.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
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
/// Sweeps use the analytic engine, which needs no process for each run, unless a test clears
/// `engine_`.
class Sweep : public testing::Test {
 protected:
  explicit Sweep(const std::string& specification = kSweep) : specification_(specification) {}

  std::string sweep(const std::string& directory, const std::string& options = "") const {
    return STARPORT_PROGRAM " sweep " + specification_.path() + " -o \"" + dir(directory) + "\" " +
           engine_ + options;
  }
  std::string dir(const std::string& name) const { return (work_.path() / name).string(); }
  /// Copies the complete results of the sweep, which it runs once per test program, to "whole".
  void run_whole() const {
    static std::map<std::string, TemporaryDirectory> computed;
    const auto [at, is_new] = computed.try_emplace(engine_ + content(specification_.path()));
    const fs::path results = at->second.path() / "whole";
    if (is_new) {
      const auto outcome = shell(sweep("whole", "-j 1"));
      ASSERT_LT(outcome.status, 2) << outcome.err;  // some rows may fail
      fs::copy(dir("whole"), results);
    } else {
      fs::copy(results, dir("whole"));
    }
  }
  /// Runs the command `sweep` until the results in `directory` have more than `lines` lines or it
  /// has ended, then `kill` with the arguments `signal`, in which $pid is the process of the sweep.
  /// Returns what the sweep returned.
  Outcome interrupt(const std::string& sweep, const std::string& directory, std::size_t lines,
                    const std::string& signal) const {
    // Each look at the results takes place in bash itself: another process would slow the sweep.
    return shell("set -m; " + sweep +
                 " >/dev/null & pid=$!; exec 3<> <(:); while kill -0 $pid && " +
                 "{ mapfile rows <\"" + dir(directory) + "/results.csv\"; [ ${#rows[@]} -le " +
                 std::to_string(lines) + " ]; }; do read -t 0.01 -u 3; done 2>/dev/null; kill " +
                 signal + " 2>/dev/null; wait $pid");
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
  std::string engine_ = "--engine analytic ";
};

/// Returns kSweep with more repetitions, so that it takes longer.
inline std::string longer(const std::string& repetitions) {
  std::string text = kSweep;
  return text.replace(text.find("\"repetitions\": 3"), 16, "\"repetitions\": " + repetitions);
}

}  // namespace starport::test
