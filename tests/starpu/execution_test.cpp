// starport-starpu on one CPU worker and one OpenCL device, and the traces of real runs.
#include "sim/starpu/execution/execution.hpp"

#include "heuristics/tiles/central_list.hpp"
#include "sim/files/input_file.hpp"
#include "sim/process/isolation.hpp"
#include "sim/starpu/execution/real_run.hpp"
#include "sim/starpu/execution/real_trace.hpp"
#include "sim/tiles/validator.hpp"
#include "tests/paths.hpp"
#include "tests/starpu/starpu_support.hpp"
#include "tests/support.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <future>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace starport {
namespace {

using test::contains;
using test::json_of;
using test::Outcome;
using test::shell;
using test::TemporaryDirectory;
using test::TemporaryFile;

/// A CPU worker and a device of the same speed, behind a bus. Transfers of such small tiles take
/// less than the latency.
constexpr const char* kNode = R"({"schema_version": 1, "name": "node", "block_size": 32,
  "port": {"kind": "multi-port"}, "buses": [{"name": "PCI", "total_bandwidth": "8GBps"}],
  "workers": [
    {"shares_memory": true, "speed": "10Gf"},
    {"bandwidth": "5GBps", "latency": "1ms", "speed": "10Gf", "memory": "1GB", "bus": "PCI"}]})";

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
             "--repetitions 2 --trace " +
             trace);
  ASSERT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  const auto results = json_of(outcome.out)["results"];
  ASSERT_EQ(results.size(), 4U);
  for (const auto& row : results) {
    EXPECT_GT(row["real"]["makespan_s"], 0);
    EXPECT_EQ(row["repetitions"], 2);
    EXPECT_GT(row["half_width_95"]["makespan_s"], 0);
    EXPECT_TRUE(contains(row["check"].get<std::string>(), "against one dgemm"));
  }
  // What Static moves follows from the zones alone.
  EXPECT_EQ(results[2]["real"]["volume_bytes"], results[2]["predicted"]["volume_bytes"]);
  EXPECT_EQ(results[2]["real"]["links"], results[2]["predicted"]["links"]);
  EXPECT_EQ(results[2]["half_width_95"]["volume_bytes"], 0);
  EXPECT_FALSE(results[3].contains("predicted"));
  const auto drawn = shell("'" STARPORT_PROGRAM "' plot " + trace +
                           " --figure gantt --heuristics EffectiveSteal -o " +
                           folder.path().string() + "/gantt.svg");
  EXPECT_EQ(drawn.status, 0) << drawn.err;
  const auto compared = shell("'" STARPORT_PROGRAM "' compare-runs " + trace + " " + trace +
                              " --first EffectiveSteal --second 'EffectiveSteal predicted'");
  EXPECT_EQ(compared.status, 0) << compared.err;
}

/// Programs and shared libraries, as in simulations.
TEST(StarpuExecute, RunsStrategiesOfOthers) {
  const TemporaryFile node(kNode);
  const auto outcome = starpu("execute " + node.path() +
                              " --problem 96x64x64 --repetitions 1 --json --plugin "
                              "'" STARPORT_PLUGINS
                              "/libnearest.so' --heuristics "
                              "Nearest,exec-tiles:heuristics/examples/nearest.py,"
                              "exec-tiles:heuristics/examples/rows.py");
  ASSERT_EQ(outcome.status, 0) << outcome.err << outcome.out;
  const auto results = json_of(outcome.out)["results"];
  ASSERT_EQ(results.size(), 3U);
  for (const auto& row : results) {
    EXPECT_GT(row["real"]["makespan_s"], 0);
    EXPECT_TRUE(contains(row["check"].get<std::string>(), "against one dgemm"));
  }
}

/// The file describes the workers and devices that StarPU finds, also several devices, which share
/// a bus.
TEST(StarpuCalibrate, MeasuresWorkersAndDevices) {
  const TemporaryDirectory folder;
  const std::string node = folder.path().string() + "/node.json";
  const std::string two_devices =
      "STARPU_HOME='" + folder.path().string() +
      "' STARPU_HOSTNAME=two STARPU_NOPENCL=2 POCL_DEVICES='pthread pthread'";
  const auto outcome = starpu("calibrate -o " + node + " --block-sizes 48", two_devices);
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto file = json_of(read_file(node));
  EXPECT_EQ(file["block_size"], 48);
  ASSERT_EQ(file["workers"].size(), 3U);
  for (const auto& worker : file["workers"]) {
    // Of two sizes, one may be left out on a busy machine.
    EXPECT_EQ(worker["speed_function"].size(), 1U);
    EXPECT_EQ(worker.contains("bus"), worker.contains("bandwidth"));
  }
  const auto run = starpu(
      "execute " + node + " --problem 192 --heuristics EffectiveSteal,starpu:lws --repetitions 2",
      two_devices);
  EXPECT_EQ(run.status, 0) << run.err << run.out;
  EXPECT_TRUE(contains(run.out, "\\nstarpu:lws +- +[0-9.e-]+ ±[0-9.e-]+ ")) << run.out;
}

/// Ten thousand x ten thousand doubles are 0.8 GB, and each worker measures eight of them.
TEST(StarpuCalibrate, RefusesTilesThatDoNotFitInMemory) {
  const TemporaryDirectory folder;
  const auto outcome = shell("ulimit -v 16000000; " + std::string(test::kStarpuEnvironment) +
                             " '" STARPORT_STARPU_PROGRAM "' calibrate -o '" +
                             folder.path().string() + "/node.json' --block-sizes 64,10000");
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_TRUE(contains(outcome.err,
                       "--block-sizes: expected tiles whose measurement fits in the .* GB of "
                       "free memory, found 10000, which needs 25.6 GB"))
      << outcome.err;
}

/// True if a process waits for a lock on the file.
bool is_waited_for(const std::string& path) {
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return false;
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    if (line.find("->") != std::string::npos &&
        line.find(fmt::format(":{} ", file.st_ino)) != std::string::npos) {
      return true;
    }
  }
  return false;
}

/// Another process is writing a file on the buses, which StarPU refuses while it is incomplete.
TEST(StarpuExecute, WaitsForProcessesThatMeasureTheBuses) {
  const TemporaryFile node(kNode);
  const TemporaryDirectory home;
  const auto run = [&] {
    return starpu(
        "execute '" + node.path() + "' --problem 64 --heuristics starpu:lws --repetitions 1",
        "STARPU_HOME='" + home.path().string() + "' STARPU_HOSTNAME=own");
  };
  ASSERT_EQ(run().status, 0);
  const std::string folder = home.path().string() + "/.starpu/";
  const std::string affinity = folder + "sampling/bus/own.affinity";
  const std::string content = read_file(affinity);
  const int lock = ::open((folder + "starport.lock").c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  std::ofstream{affinity};
  auto outcome = std::async(std::launch::async, run);
  while (!is_waited_for(folder + "starport.lock") &&
         outcome.wait_for(std::chrono::milliseconds(10)) == std::future_status::timeout) {
  }
  std::ofstream(affinity) << content;
  ::close(lock);
  EXPECT_EQ(outcome.get().status, 0);
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
                "/workers: expected 1 CPU worker and 1 device, as StarPU finds.*"
                "found 3 CPU workers and 0 devices"},
       }) {
    const auto outcome = starpu("execute " + one.arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.out;
    EXPECT_TRUE(contains(outcome.err, one.message)) << outcome.err;
  }
}

// Linux would grant as much, and kill the process that fills it.
TEST(StarpuExecute, RefusesMatricesThatDoNotFitInMemory) {
  const TemporaryFile node(kNode);
  const auto outcome = shell("ulimit -v 16000000; " + std::string(test::kStarpuEnvironment) +
                             " '" STARPORT_STARPU_PROGRAM "' execute '" + node.path() +
                             "' --problem 64000 --heuristics FirstDyn");
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_TRUE(contains(outcome.err,
                       "--problem: expected a product whose matrices fit in the .* GB of free "
                       "memory, found one that needs .* GB"))
      << outcome.err;
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
  const auto outcome =
      starpu("execute " + node.path() +
                 " --problem 480 --block-size 96 --heuristics EffectiveSteal,DMDA --repetitions 1",
             environment);
  EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
  const auto too_large =
      starpu("execute " + node.path() + " --problem 480 --block-size 240", environment);
  EXPECT_EQ(too_large.status, 2) << too_large.out;
  EXPECT_TRUE(contains(too_large.err, "--block-size: expected tiles of which three fit"))
      << too_large.err;
}

/// What a strategy computes before it takes the first task does not count in the time of the run.
TEST(StarpuExecute, MakesTheStrategyBeforeTheProductStarts) {
  const auto execute = [](FrameWriter& out) {
    test::set_starpu_environment();
    setenv("STARPU_NCPU", "2", 1);
    setenv("STARPU_NOPENCL", "0", 1);
    double made_us = 0;
    bool relay = false;
    const auto make = [&](const tiles::StrategyContext& context) {
      made_us = starpu_timing_now();
      relay = context.runtime.relay;
      return std::make_unique<tiles::CentralList>(context, 1);
    };
    std::vector<double> tiles(12 * 8 * 8);
    starpu::RealProduct product{.size = 2, .q = 8, .tiles = tiles.data()};
    product.settings.name = "own";
    product.settings.durations = [](starpu::Machine& machine, struct starpu_task*, double) {
      for (tiles::Worker& worker : machine.platform.workers) worker.update_s = 1;
    };
    product.settings.algorithm =
        std::make_shared<tiles::TileAlgorithm>(make, tiles::RuntimeOptions{});
    const double start_us = execute_product(product).start_us;
    const double sent[] = {made_us, start_us, double(relay)};
    out.write(std::as_bytes(std::span(sent)));
  };
  double received[3] = {};
  run_in_child(
      execute,
      [&](std::span<const std::byte> frame) {
        ASSERT_EQ(frame.size(), sizeof received);
        std::memcpy(received, frame.data(), sizeof received);
      },
      600);
  EXPECT_GT(received[0], 0);
  EXPECT_LT(received[0], received[1]);
  EXPECT_EQ(received[2], 1);  // as StarPU moves tiles between devices
}

/// Policies of StarPU have no plan, in which the other strategies find it.
TEST(StarpuExecute, RefusesProductsOfTooManyTiles) {
  const TemporaryFile node(kNode);
  const auto outcome = shell("ulimit -v 16000000; " + std::string(test::kStarpuEnvironment) +
                             " '" STARPORT_STARPU_PROGRAM "' execute '" + node.path() +
                             "' --problem 6400000x32x3200 --heuristics starpu:eager");
  EXPECT_EQ(outcome.status, 2) << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "--problem: expected matrices of at most 10000000 tiles"))
      << outcome.err;
}

TEST(StarpuExecute, NamesOfProgramsMayHaveSpaces) {
  const auto jobs = starpu::read_jobs(" exec-tiles:./my strategy.py , starpu:lws ");
  ASSERT_EQ(jobs.size(), 2U);
  EXPECT_EQ(jobs[0].name, "exec-tiles:./my strategy.py");
  EXPECT_EQ(jobs[1].name, "starpu:lws");
}

/// Rules of the tile model that the validation of real runs checks: all but durations and memories.
const tiles::ValidationOptions kRealRun{
    .relay = true, .limited_memory = false, .tolerance = std::numeric_limits<double>::infinity()};

/// The end of a transfer is reported late, after the start of the task that used the tile. Fetching
/// a tile again means that it was evicted, here while a task used it.
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
  transfer(tiles.a(0, 0), 0, 5, 3.5, 4.2);  // again
  transfer(tiles.b(1, 0), 0, 5, 3.5, 4.4);
  transfer(tiles.target(0), 5, 0, 7, 8);
  const tiles::TileTrace trace = make_trace(run, platform, graph);
  EXPECT_EQ(trace.tasks[1].start_s, 5);
  EXPECT_EQ(trace.transfers[1].start_s, 1);
  EXPECT_EQ(trace.transfers[2].end_s, 3);
  ASSERT_EQ(trace.evictions.size(), 1U);
  EXPECT_EQ(find_violation(platform, graph, trace, kRealRun),
            "at 4 s, tile 0 is evicted from node 1, where it is needed");
  run.transfers.erase(run.transfers.begin() + 4);
  EXPECT_EQ(find_violation(platform, graph, make_trace(run, platform, graph), kRealRun), "");
}

/// A tile of C that a device and then the CPU update, with each of its transfers left out.
TEST(StarpuTrace, ReportsStaleAndMissingCopies) {
  const tiles::Platform platform{
      .workers = {{.node = 0, .update_s = 1}, {.node = 1, .update_s = 1, .number = 1}},
      .links = {{.in_s = 1, .out_s = 1}}};
  const tiles::TaskGraph graph(tiles::ProductSize(1, 1, 3), std::nullopt);
  const tiles::TileNumbering& tiles = graph.numbering();
  starpu::RecordedRun run{.workers = {0, 1}, .nodes = {0, 1}};
  for (const std::int32_t k : {0, 1, 2}) {
    run.tasks.push_back({.task = {.target = 0, .k = k},
                         .worker = k == 1 ? 0 : 1,
                         .start_us = (3 * k + 1) * 1e6,
                         .end_us = (3 * k + 2) * 1e6});
  }
  const auto transfer = [&](tiles::Tile tile, int from, int to, double start_s) {
    run.transfers.push_back({.transfer = {.tile = tile, .from = from, .to = to},
                             .submitted_us = start_s * 1e6,
                             .end_us = (start_s + 0.1) * 1e6});
  };
  const tiles::Tile c = tiles.target(0);
  transfer(c, 0, 1, 0);
  transfer(tiles.a(0, 0), 0, 1, 0.2);
  transfer(tiles.b(0, 0), 0, 1, 0.4);
  transfer(c, 1, 0, 2.5);  // for k = 1 on the CPU
  transfer(c, 0, 1, 5.5);  // for k = 2 on the device
  transfer(tiles.a(0, 2), 0, 1, 5.7);
  transfer(tiles.b(2, 0), 0, 1, 5.9);
  transfer(c, 1, 0, 8.5);
  const auto violation_without = [&](std::size_t omitted) {
    starpu::RecordedRun changed = run;
    if (omitted < run.transfers.size()) {
      changed.transfers.erase(changed.transfers.begin() + static_cast<std::ptrdiff_t>(omitted));
    }
    return find_violation(platform, graph, make_trace(changed, platform, graph), kRealRun);
  };
  const auto runs_without = [](int k, int node, tiles::Tile tile) {
    return fmt::format("at {} s, task (0, 0, {}) runs at node {} without a valid copy of tile {}",
                       3 * k + 1, k, node, tile);
  };
  EXPECT_EQ(violation_without(run.transfers.size()), "");
  EXPECT_EQ(violation_without(0), runs_without(0, 1, c));
  EXPECT_EQ(violation_without(2), runs_without(0, 1, tiles.b(0, 0)));
  EXPECT_EQ(violation_without(3), runs_without(1, 0, c));
  EXPECT_EQ(violation_without(4), runs_without(2, 1, c));
  EXPECT_EQ(violation_without(5), runs_without(2, 1, tiles.a(0, 2)));
  EXPECT_EQ(violation_without(7), "tile 0 of C does not return to the hub");
}

}  // namespace
}  // namespace starport
