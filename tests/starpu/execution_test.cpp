// starport-starpu on one CPU worker and one OpenCL device, and the traces of real runs.
#include "sim/starpu/execution/real_trace.hpp"
#include "sim/tiles/validator.hpp"
#include "tests/paths.hpp"
#include "tests/starpu/starpu_support.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <string>

namespace starport {
namespace {

using test::contains;
using test::json_of;
using test::Outcome;
using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

/// A CPU worker and a device of the same speed.
constexpr const char* kNode = R"({"schema_version": 1, "name": "node", "block_size": 32,
  "port": {"kind": "multi-port"}, "workers": [
    {"shares_memory": true, "speed": "10Gf"},
    {"bandwidth": "5GBps", "speed": "10Gf", "memory": "1GB"}]})";

Outcome starpu(const std::string& arguments, const std::string& environment = "") {
  return shell(test::kStarpuEnvironment + environment + " '" STARPORT_STARPU_PROGRAM "' " +
               arguments);
}

TEST(StarpuExecute, RunsStrategiesAndPoliciesOfStarpu) {
  const TemporaryFile node(kNode);
  const TemporaryDirectory folder;
  const std::string trace = folder.path().string() + "/trace.csv";
  const auto outcome =
      starpu("execute " + node.path() +
             " --problem 128x160x96 --heuristics EffectiveSteal,DMDA,Static,starpu:eager --json "
             "--trace " +
             trace);
  ASSERT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  const auto results = json_of(outcome.out)["results"];
  ASSERT_EQ(results.size(), 4U);
  for (const auto& row : results) {
    EXPECT_GT(row["real"]["makespan_s"], 0);
    EXPECT_TRUE(contains(row["check"].get<std::string>(), "against one dgemm"));
  }
  // What Static moves follows from the zones alone.
  EXPECT_EQ(results[2]["real"]["volume_bytes"], results[2]["predicted"]["volume_bytes"]);
  EXPECT_EQ(results[2]["real"]["links"], results[2]["predicted"]["links"]);
  EXPECT_FALSE(results[3].contains("predicted"));
  const auto drawn = shell("'" STARPORT_PROGRAM "' plot " + trace +
                           " --figure gantt --heuristics EffectiveSteal -o " +
                           folder.path().string() + "/gantt.svg");
  EXPECT_EQ(drawn.status, 0) << drawn.err;
}

TEST(StarpuExecute, RefusesBadInput) {
  const TemporaryFile node(kNode);
  const TemporaryFile larger(R"({"schema_version": 1, "name": "node", "block_size": 32,
    "port": {"kind": "multi-port"}, "workers": [{"shares_memory": true, "speed": "10Gf", "count": 3}]})");
  struct Case {
    std::string arguments;
    const char* message;
  };
  for (const Case& one : {
           Case{node.path() + " --problem 64 --heuristics Het",
                "--heuristics: expected strategies"},
           Case{node.path() + " --problem 64 --heuristics starpu:dmdaa",
                "a policy of StarPU: .*dmda"},
           Case{larger.path() + " --problem 64",
                "/workers: expected 1 CPU workers and 1 devices, as StarPU finds.*"
                "found 3 CPU workers and 0 devices"},
       }) {
    const auto outcome = starpu("execute " + one.arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_TRUE(contains(outcome.err, one.message)) << outcome.err;
  }
}

TEST(StarpuExecute, ReportsAWrongC) {
  const TemporaryFile node(kNode);
  const auto outcome = starpu("execute " + node.path() + " --problem 64 --heuristics FirstDyn",
                              "LD_PRELOAD=" STARPORT_WRONG_DGEMM);
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "FirstDyn: .*C")) << outcome.out;
}

/// CLBlast needs larger work groups.
TEST(StarpuExecute, ReportsADeviceThatFails) {
  const TemporaryFile node(kNode);
  const auto outcome = starpu("execute " + node.path() + " --problem 96 --heuristics FirstDyn",
                              "POCL_MAX_WORK_GROUP_SIZE=4");
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "FirstDyn: OpenCL device 0 cannot multiply tiles of 32 x 32"))
      << outcome.out;
}

/// StarPU evicts tiles, and the device gets no more than it may use.
TEST(StarpuExecute, WorksWithADeviceOfLittleMemory) {
  const TemporaryFile node(kNode);
  const char* environment = "STARPU_LIMIT_OPENCL_MEM=1";
  const auto outcome = starpu(
      "execute " + node.path() + " --problem 480 --block-size 96 --heuristics EffectiveSteal,DMDA",
      environment);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const auto too_large =
      starpu("execute " + node.path() + " --problem 480 --block-size 240", environment);
  EXPECT_EQ(too_large.status, 2) << too_large.out;
  EXPECT_TRUE(contains(too_large.err, "--block-size: expected tiles of which three fit"))
      << too_large.err;
}

/// A device that a transfer reaches late, as its callback may: the task that used the tile began
/// before. Fetching a tile again means that it was evicted.
TEST(StarpuTrace, OrdersWhatDevicesReport) {
  const tiles::Platform platform{.workers = {{.node = 1, .update_s = 1}},
                                 .links = {{.in_s = 1, .out_s = 1}}};
  const tiles::TaskGraph graph(tiles::ProductSize(1, 1, 2), std::nullopt);
  const tiles::TileNumbering& tiles = graph.numbering();
  starpu::RecordedRun run{.start_us = 1e6, .workers = {3}, .nodes = {0, 5}};
  const auto task = [&](std::int32_t k, double start_s, double end_s) {
    run.tasks.push_back({.task = {.target = 0, .k = k},
                         .worker = 3,
                         .start_us = 1e6 * (1 + start_s),
                         .end_us = 1e6 * (1 + end_s)});
  };
  const auto transfer = [&](tiles::Tile tile, int from, int to, double submitted_s, double end_s) {
    run.transfers.push_back({.transfer = {.tile = tile, .from = from, .to = to},
                             .submitted_us = 1e6 * (1 + submitted_s),
                             .end_us = 1e6 * (1 + end_s)});
  };
  task(0, 3, 5);
  task(1, 4.5, 7);  // submitted while the first one computes
  transfer(tiles.target(0), 0, 5, 0, 1);
  transfer(tiles.a(0, 0), 0, 5, 0, 2);
  transfer(tiles.b(0, 0), 0, 5, 0, 3.5);  // reported late
  transfer(tiles.a(0, 1), 0, 5, 3, 4);
  transfer(tiles.a(0, 0), 0, 5, 3, 4.2);  // again
  transfer(tiles.b(1, 0), 0, 5, 3, 4.4);
  transfer(tiles.target(0), 5, 0, 7, 8);
  const tiles::TileTrace trace = make_trace(run, platform, graph);
  EXPECT_EQ(trace.tasks[1].start_s, 5);
  EXPECT_EQ(trace.transfers[1].start_s, 1);
  EXPECT_EQ(trace.transfers[2].end_s, 3);
  ASSERT_EQ(trace.evictions.size(), 1U);
  const tiles::ValidationOptions options{.limited_memory = false,
                                         .tolerance = std::numeric_limits<double>::infinity()};
  EXPECT_EQ(find_violation(platform, graph, trace, options),
            "at 3 s, task (0, 0, 0) runs at node 1 without a valid copy of tile 0");
  run.transfers.erase(run.transfers.begin() + 4);
  EXPECT_EQ(find_violation(platform, graph, make_trace(run, platform, graph), options), "");
}

}  // namespace
}  // namespace starport
