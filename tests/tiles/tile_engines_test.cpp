// The event engine and the SimGrid actors drive the same runtime: same transfers, same dates.
#include "sim/files/error.hpp"
#include "sim/tiles/simgrid/simgrid_engine.hpp"
#include "sim/tiles/validator.hpp"
#include "tests/support.hpp"
#include "tests/tiles/tile_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace starport::tiles {
namespace {

/// ActivityDurations that vary, and the first worker slower from some date on.
Noise some_noise(int instance) {
  Noise noise = jitter(5);
  noise.transfers.cv = 0.1 * (instance % 2);
  noise.slow_downs = {{.activity = starport::Activity::update, .from_s = 0.01, .factor = 3},
                      {.activity = starport::Activity::transfer, .from_s = 0.02, .factor = 2}};
  return noise;
}

/// No GPU computes while it sends or receives a tile.
void expect_transfers_between_tasks(const Platform& platform, const TileTrace& trace) {
  for (const TracedTransfer& traced : trace.transfers) {
    const int gpu = std::max(traced.transfer.from, traced.transfer.to);
    for (const TracedTask& task : trace.tasks) {
      EXPECT_TRUE(platform.worker(task.worker).node != gpu || task.end_s <= traced.start_s + 1e-9 ||
                  traced.end_s <= task.start_s + 1e-9)
          << "tile " << traced.transfer.tile << " from node " << traced.transfer.from << " at "
          << traced.start_s << " s, task from " << task.start_s << " to " << task.end_s << " s";
    }
  }
}

TEST(TileEngines, AgreeOnRandomPlatforms) {
  Random random(21);
  constexpr int step = test::kSeedStride > 1 ? 5 : 1;  // of every kind below there are some
  for (int instance = 0; instance < 24; instance += step) {
    const ProductSize size = random_size(random, 1);
    Platform platform = random_platform(random);
    for (Link& link : platform.links) link.memory_tiles = size.t * (size.r + size.s) + 3;
    Allocation allocation =
        computable(random_allocation(random, size, platform.nodes(), instance % 2 == 1), platform);
    allocation.redux = instance % 4 == 3;
    const EngineOptions common{.runtime = {.planned_tasks = static_cast<int>(random.integer(0, 2)),
                                           .relay = instance % 5 == 4,
                                           .cuda_order = instance % 5 == 1,
                                           .transfers_between_tasks = instance % 10 == 9,
                                           .limited_memory = instance % 6 == 0 || instance % 6 == 4,
                                           .fetches_for_one_task = instance % 3 == 1},
                               .noise = instance % 3 == 0 ? Noise{} : some_noise(instance)};
    // Half of the strategies on each instance; each of them runs with all options.
    int half = instance / 3;
    for (const NamedStrategy& strategy : all_strategies()) {
      if (half++ % 2 != 0) continue;
      EngineOptions options = common;
      if (strategy.name.starts_with("DMDA")) options.runtime.fetches_for_one_task = false;
      const TaskGraph work(size, strategy.allocates ? std::optional(allocation) : std::nullopt);
      const TileTrace exact = run_event_engine(platform, work, strategy.maker, options);
      const TileTrace simulated = run_simgrid_engine(platform, work, strategy.maker, options, 60);
      EXPECT_EQ(find_difference(exact, simulated), "")
          << strategy.name << " on instance " << instance;
      EXPECT_EQ(find_violation(platform, work, simulated,
                               {.noise = options.noise,
                                .relay = options.runtime.relay,
                                .cuda_order = options.runtime.cuda_order,
                                .fetches_for_one_task = options.runtime.fetches_for_one_task,
                                .limited_memory = options.runtime.limited_memory}),
                "")
          << strategy.name << " on instance " << instance;
      if (options.runtime.transfers_between_tasks) expect_transfers_between_tasks(platform, exact);
    }
  }
}

// GPUs that take tasks one by one exclude that push() gives them some.
TEST(TileEngines, RefuseAssignedTasksForGpusThatTakeThemOneByOne) {
  const EngineOptions options{.runtime = {.fetches_for_one_task = true}};
  EXPECT_THROW(
      run_event_engine(plain_platform(2, 0), TaskGraph(2, std::nullopt), maker<Dmda>(), options),
      SimulationError);
}

/// Where everything is a multiple of a quarter, many things happen at the same date.
TEST(TileEngines, AgreeOnTies) {
  const Platform platform = plain_platform(2, 1);
  const Allocation allocation{3, {0, 1, 1, 2, 1, 1, 2, 2, 2}};
  for (const NamedStrategy& strategy : all_strategies()) {
    const TaskGraph work(3, strategy.allocates ? std::optional(allocation) : std::nullopt);
    EXPECT_EQ(find_difference(run_event_engine(platform, work, strategy.maker, {}),
                              run_simgrid_engine(platform, work, strategy.maker, {}, 60)),
              "")
        << strategy.name;
  }
}

/// The unit of SimGrid's clock follows from the shortest duration, so that the ends of two updates
/// differ that are 10^14 times as close as a transfer is long.
TEST(TileEngines, AgreeWhereATransferTakesMuchLongerThanAnUpdate) {
  constexpr double long_s = 1e11;
  Platform platform = plain_platform(1, 2);
  platform.links[0].in_s = platform.links[0].out_s = long_s;
  for (Worker& worker : platform.workers) worker.update_s = worker.node == kHub ? 1 : long_s;
  ASSERT_EQ(platform.workers[1].node, kHub);
  platform.workers[1].update_s = 1.003;
  const TaskGraph work(2, Allocation{2, {0, 0, 0, 1}});
  const TileTrace exact = run_event_engine(platform, work, maker<StaticAllocation>(), {});
  const TileTrace simulated = run_simgrid_engine(platform, work, maker<StaticAllocation>(), {}, 60);
  EXPECT_EQ(find_difference(exact, simulated), "");
}

/// A GPU that stops, also before the start-up is over: who steals carries on, a static allocation
/// cannot.
void expect_agreement_on_a_stop(double start_up_s) {
  Platform platform = plain_platform(2, 1);
  platform.start_up_s = start_up_s;
  const Allocation allocation{4, std::vector<std::int32_t>(16, 2)};
  EngineOptions options;
  options.noise.stops = {{.worker = 2, .at_s = 7.3}};
  for (const NamedStrategy& strategy : all_strategies()) {
    const TaskGraph work(4, strategy.allocates ? std::optional(allocation) : std::nullopt);
    const auto exact = [&] { return run_event_engine(platform, work, strategy.maker, options); };
    const auto simulated = [&] {
      return run_simgrid_engine(platform, work, strategy.maker, options, 60);
    };
    if (strategy.name == "Static") {
      EXPECT_THROW(exact(), SimulationError);
      EXPECT_THROW(simulated(), SimulationError);
      continue;
    }
    const TileTrace trace = exact();
    EXPECT_EQ(find_difference(trace, simulated()), "") << strategy.name;
    EXPECT_EQ(find_violation(platform, work, trace, {.noise = options.noise}), "") << strategy.name;
    for (const TracedTask& task : trace.tasks) {
      EXPECT_TRUE(task.worker != 2 || task.start_s <= 7.3) << strategy.name;
    }
  }
}

TEST(TileEngines, AgreeWhenAWorkerStops) { expect_agreement_on_a_stop(0); }
TEST(TileEngines, AgreeWhenAWorkerStopsAfterTheStartUp) { expect_agreement_on_a_stop(2); }
// Found by starport selftest: the first tasks were given to a worker that was gone.
TEST(TileEngines, AgreeWhenAWorkerStopsDuringTheStartUp) { expect_agreement_on_a_stop(10); }

/// A driver that waits for transfers before the next task, of a worker that stops meanwhile, still
/// notices their ends, so that others can continue its tiles.
TEST(TileEngines, AWorkerThatWaitsForTransfersStops) {
  const Platform platform = plain_platform(2, 1);
  const TaskGraph work(4, std::nullopt);
  for (int stop = 1; stop <= 20; ++stop) {
    EngineOptions options{.runtime = {.relay = true, .transfers_between_tasks = true}};
    options.noise.stops = {{.worker = 2, .at_s = 0.43 * stop}};
    const TileTrace trace = run_event_engine(platform, work, maker<Dmda>(), options);
    EXPECT_EQ(find_violation(platform, work, trace, {.noise = options.noise, .relay = true}), "")
        << stop;
  }
}

TEST(TileEngines, AnErrorComesBackFromTheOtherProcess) {
  Platform platform = plain_platform(1, 0);
  platform.links[0].memory_tiles = 2;
  const TaskGraph work(4, Allocation{4, std::vector<std::int32_t>(16, 1)});
  EXPECT_THROW(run_simgrid_engine(platform, work, maker<StaticAllocation>(), {}, 60),
               SimulationError);
}

/// A tile on its way through main memory to a worker that stops goes to the one that takes the task
/// over as well.
TEST(TileEngines, ATileThroughMainMemoryReachesWhoTakesItsTaskOver) {
  const Platform platform = plain_platform(3, 0);
  const TaskGraph work(3, std::nullopt);
  for (int stop = 1; stop <= 100; ++stop) {
    EngineOptions options{.runtime = {.relay = true}, .noise = jitter(7)};
    options.noise.stops = {{.worker = 2, .at_s = 0.13 * stop}};
    const TileTrace trace = run_event_engine(platform, work, central_list(kAllTasks), options);
    EXPECT_EQ(find_violation(platform, work, trace, {.noise = options.noise, .relay = true}), "")
        << stop;
  }
}

}  // namespace
}  // namespace starport::tiles
