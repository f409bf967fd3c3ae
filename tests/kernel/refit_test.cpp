// calibrate --from-trace.
#include "sim/files/json.hpp"
#include "sim/platform/platform_file.hpp"
#include "tests/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>

namespace starport {
namespace {

using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

constexpr const char* kMeasuredPlatform =
    R"({"schema_version": 1, "name": "two", "block_size": 4, "workers": [
        {"c_s": 1, "w_s": 1, "m_blocks": 12, "latency_s": 0.5},
        {"c_s": 7, "w_s": 8, "m_blocks": 21}]})";

/// A transfer, or an update of that many block updates.
std::string row(const std::string& run, const std::string& kind, int worker, int blocks,
                int updates, double start_s, double end_s) {
  return fmt::format("{},{},{},{},0,0,{},{},{}\r\n", run, kind, worker, blocks,
                     updates > 0 ? std::to_string(updates) : "", start_s, end_s);
}

constexpr const char* kHeader =
    "heuristic,kind,worker,a_blocks,b_blocks,c_blocks,block_updates,start_s,end_s\r\n";

std::string refit(const std::string& trace, const std::string& path) {
  const TemporaryFile platform(kMeasuredPlatform);
  const TemporaryFile csv(trace, ".csv");
  const auto outcome = shell("starport calibrate --from-trace " + csv.path() + " --platform " +
                             platform.path() + " -o " + path);
  return outcome.status == 0 ? "" : outcome.err;
}

// Worker 1: 0.25 s and 2 s a block; the port pauses 0.125 s behind each transfer, and once longer.
// 3 s a block update. Worker 2 took no part, and what was predicted does not count.
TEST(Refit, FiguresAreThoseOfTheRun) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "refitted.json").string();
  const std::string trace =
      kHeader + row("Het", "transfer", 1, 1, 0, 0, 2.25) +
      row("Het", "transfer", 1, 3, 0, 2.375, 8.625) + row("Het", "update", 1, 0, 2, 9, 15) +
      row("Het", "transfer", 1, 1, 0, 8.75, 11) + row("Het", "transfer", 1, 3, 0, 20, 26.25) +
      row("Het", "lost update", 1, 0, 0, 27, 100) + row("Het", "lost transfer", 1, 3, 0, 28, 100) +
      row("Het predicted", "transfer", 1, 3, 0, 0, 0.1) +
      row("Het predicted", "update", 1, 0, 2, 1, 100);
  ASSERT_EQ(refit(trace, path), "");
  const PlatformFile file = load_platform(path);
  const Platform platform = file.at_block_size(4);
  EXPECT_NEAR(platform.workers[0].c_s, 2, 1e-12);
  EXPECT_NEAR(platform.workers[0].latency_s, 0.25 + 0.125, 1e-12);
  EXPECT_NEAR(platform.workers[0].w_s, 3, 1e-12);
  EXPECT_EQ(platform.workers[0].m_blocks, 12);
  EXPECT_EQ(platform.workers[1].c_s, 7);
  EXPECT_EQ(platform.workers[1].w_s, 8);
}

TEST(Refit, OneSizeOfMessageKeepsTheLatency) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "refitted.json").string();
  ASSERT_EQ(refit(kHeader + row("Het", "transfer", 1, 2, 0, 0, 4.5), path), "");
  const Platform platform = load_platform(path).at_block_size(4);
  EXPECT_NEAR(platform.workers[0].c_s, 2, 1e-12);
  EXPECT_NEAR(platform.workers[0].latency_s, 0.5, 1e-12);
  EXPECT_EQ(platform.workers[0].w_s, 1);
}

TEST(Refit, EachFaultIsNamed) {
  const TemporaryDirectory directory;
  const std::string path = (directory.path() / "refitted.json").string();
  const auto expect_fault = [&](const std::string& trace, const std::string& fault) {
    EXPECT_NE(refit(trace, path).find(fault), std::string::npos) << refit(trace, path);
  };
  expect_fault(kHeader, "expected a trace of a real run, found none in it");
  expect_fault("a,b\r\n", "line 1: expected a column heuristic, found no such column");
  expect_fault(kHeader + row("Het", "transfer", 3, 1, 0, 0, 1),
               "line 2: expected worker from 1 to 2, found '3'");
  const test::TemporaryFile plain(
      R"({"schema_version": 1, "name": "x", "workers": [
      {"bandwidth": "100MBps", "speed": "1Gf", "memory": "50MB"}]})");
  const test::TemporaryFile trace(kHeader, ".csv");
  EXPECT_NE(shell("starport calibrate --from-trace " + trace.path() + " --platform " +
                  plain.path() + " -o " + path)
                .err.find(": /block_size: the platform has no block size. Add the one of the run"),
            std::string::npos);
  EXPECT_NE(shell("starport calibrate --from-trace x.csv -o " + path).err.find("--platform"),
            std::string::npos);
}

// Ten million messages are more than 1 GiB. Here the rest is never read.
TEST(Refit, TracesMayBeOfAnySize) {
  const TemporaryDirectory directory;
  const TemporaryFile platform(kMeasuredPlatform);
  const TemporaryFile trace("a,b\r\n", ".csv");
  std::filesystem::resize_file(trace.path(), (std::uintmax_t{1} << 30) + 1);
  const auto outcome =
      shell("starport calibrate --from-trace " + trace.path() + " --platform " + platform.path() +
            " -o " + (directory.path() / "refitted.json").string());
  EXPECT_NE(outcome.err.find("line 1: expected a column heuristic"), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace starport
