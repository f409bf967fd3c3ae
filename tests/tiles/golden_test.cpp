// The small cases of the specification: dates, transfers, thefts.
#include "tests/golden.hpp"

#include "heuristics/tiles/zone_trials.hpp"
#include "sim/files/error.hpp"
#include "tests/tiles/tile_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace starport::tiles {
namespace {

struct Result {
  double last_task_s;
  double end_s;
  std::int64_t transfers;

  bool operator==(const Result&) const = default;
  friend std::ostream& operator<<(std::ostream& out, const Result& result) {
    return out << result.last_task_s << " / " << result.end_s << "; " << result.transfers;
  }
};

Result result_of(const TileTrace& trace) {
  return {trace.last_task_end_s(), trace.end_s(),
          static_cast<std::int64_t>(trace.transfers.size())};
}

TileTrace run(const Platform& platform, std::int32_t n, const std::optional<Allocation>& allocation,
              const StrategyMaker& strategy, const RuntimeOptions& runtime_options = {}) {
  const TaskGraph work(n, allocation);
  return run_event_engine(platform, work, strategy, {.runtime = runtime_options});
}

std::int64_t tasks_of_node(const Platform& platform, const TileTrace& trace, int node) {
  return std::count_if(trace.tasks.begin(), trace.tasks.end(), [&](const TracedTask& task) {
    return platform.worker(task.worker).node == node;
  });
}

std::int64_t between_gpus(const TileTrace& trace) {
  return std::count_if(trace.transfers.begin(), trace.transfers.end(), [](const TracedTransfer& t) {
    return t.transfer.from != kHub && t.transfer.to != kHub;
  });
}

TEST(TileGolden, OneGpu) {
  const TileTrace trace =
      run(plain_platform(1, 0), 2, Allocation{2, {1, 1, 1, 1}}, maker<StaticAllocation>());
  EXPECT_EQ(result_of(trace), (Result{8.75, 9, 16}));
  EXPECT_EQ(std::count_if(trace.transfers.begin(), trace.transfers.end(),
                          [](const TracedTransfer& t) { return t.transfer.to == kHub; }),
            4);
}

TEST(TileGolden, TwoGpusAndACpu) {
  const Platform platform = plain_platform(2, 1);
  const Allocation allocation{3, {0, 1, 1, 2, 1, 1, 2, 2, 2}};
  EXPECT_EQ(result_of(run(platform, 3, allocation, maker<StaticAllocation>())),
            (Result{12.75, 13, 43}));
  const TileTrace stolen = run(platform, 3, allocation, maker<EffectiveSteal>());
  EXPECT_EQ(result_of(stolen), (Result{18, 18, 42}));
  EXPECT_EQ(stolen.thefts(), 3);
  const TileTrace dmda = run(platform, 3, std::nullopt, maker<Dmda>());
  EXPECT_EQ(result_of(dmda), (Result{12.75, 13, 50}));
  EXPECT_EQ(tasks_of_node(platform, dmda, 0), 4);
  EXPECT_EQ(tasks_of_node(platform, dmda, 1), 11);
  EXPECT_EQ(tasks_of_node(platform, dmda, 2), 12);
  EXPECT_EQ(result_of(run(platform, 3, std::nullopt, central_list(kAllTasks))),
            (Result{18, 18, 43}));
}

TEST(TileGolden, TwoGpusShareEveryTile) {
  const Platform platform = plain_platform(2, 1);
  Allocation allocation{2, {1, 2, 1, 2, 1, 2, 1, 2}};
  const TileTrace shared = run(platform, 2, allocation, maker<StaticAllocation>());
  EXPECT_EQ(result_of(shared), (Result{6.5, 6.75, 20}));
  EXPECT_EQ(between_gpus(shared), 4);
  allocation.redux = true;
  EXPECT_EQ(result_of(run(platform, 2, allocation, maker<StaticAllocation>())),
            (Result{7, 8.25, 36}));
}

TEST(TileGolden, TheCpuKeepsWhatItHas) {
  const Platform platform = plain_platform(1, 1);
  const Allocation allocation{2, {0, 1, 1, 1}};
  for (const NamedStrategy& strategy :
       {all_strategies()[0], all_strategies()[3], all_strategies()[7]}) {
    EXPECT_EQ(result_of(run(platform, 2, allocation, strategy.maker)), (Result{6.75, 7, 14}))
        << strategy.name;
  }
}

/// Each of the four tiles goes from one GPU to the other by way of the hub.
TEST(TileGolden, ThroughTheHubCountsTwice) {
  const TileTrace trace = run(plain_platform(2, 1), 2, Allocation{2, {1, 2, 1, 2, 1, 2, 1, 2}},
                              maker<StaticAllocation>(), {.relay = true});
  EXPECT_EQ(trace.transfers.size(), 24U);
  EXPECT_EQ(between_gpus(trace), 0);
}

/// What a GPU receives: its rows of A and columns of B, t tiles each, and its tiles of C, twice.
TEST(TileProperties, StaticMovesWhatItsZonesProject) {
  Random random(7);
  for (int instance = 0; instance < 50; ++instance) {
    const ProductSize size = random_size(random, 1);
    const Platform platform = random_platform(random);
    const Allocation allocation =
        instance % 2 == 0
            ? allocate(platform, size, {})
            : computable(random_allocation(random, size, platform.nodes(), false), platform);
    std::int64_t expected = 0;
    for (int node = 1; node < platform.nodes(); ++node) {
      std::set<std::int32_t> rows;
      std::set<std::int32_t> columns;
      for (std::int32_t cell = 0; cell < size.cells(); ++cell) {
        if (allocation.node(cell, 0) != node) continue;
        rows.insert(size.row(cell));
        columns.insert(size.column(cell));
        expected += 2;
      }
      expected += size.t * static_cast<std::int64_t>(rows.size() + columns.size());
    }
    const TaskGraph work(size, allocation);
    const TileTrace trace =
        run_event_engine(platform, work, maker<StaticAllocation>(), {.noise = jitter(1)});
    EXPECT_EQ(static_cast<std::int64_t>(trace.transfers.size()), expected);
  }
}

/// Jitter is bounded, depends on the seed, and is the same for all strategies.
TEST(TileProperties, Jitter) {
  const Platform platform = plain_platform(2, 1);
  const auto end_s = [&](std::uint64_t seed) {
    const TaskGraph work(4, std::nullopt);
    const TileTrace trace =
        run_event_engine(platform, work, maker<Dmda>(), {.noise = jitter(seed)});
    for (const TracedTask& task : trace.tasks) {
      const double nominal_s = platform.worker(task.worker).update_s;
      EXPECT_NEAR(task.end_s - task.start_s, nominal_s, 0.03001 * nominal_s);
    }
    return trace.end_s();
  };
  EXPECT_EQ(end_s(1), end_s(1));
  EXPECT_NE(end_s(1), end_s(2));
}

TEST(TileProperties, StartUpIsAddedToTheTime) {
  Platform platform = plain_platform(1, 0);
  platform.start_up_s = 4;
  const TileTrace trace = run(platform, 2, Allocation{2, {1, 1, 1, 1}}, maker<StaticAllocation>());
  EXPECT_EQ(trace.end_s(), 13);
}

/// Where tasks wait for their data, planning ahead is what hides it.
TEST(TileProperties, WithoutPlannedTasksTransfersAreNotHidden) {
  const Allocation allocation{2, {1, 1, 1, 1}};
  const double planned_s =
      run(plain_platform(1, 0), 2, allocation, maker<StaticAllocation>()).end_s();
  const double alone_s =
      run(plain_platform(1, 0), 2, allocation, maker<StaticAllocation>(), {.planned_tasks = 0})
          .end_s();
  EXPECT_EQ(planned_s, 9);
  // 8 tasks of 1, 12 transfers in of 0.25, none behind a task, and the last tile's return
  EXPECT_EQ(alone_s, 8 + 12 * 0.25 + 0.25);
}

/// A GPU with memory for 10 tiles computes zones of 4 x 4 and of 2 x 8 tiles in parts of 2 x 2: 16
/// tiles of A and B for each k, besides C there and back. In parts of any other shape it would
/// need 20.
TEST(TileGolden, ZonesAreComputedInTheBlocksThatMoveLeast) {
  Platform platform = plain_platform(1, 0);
  platform.links[0].memory_tiles = 10;
  for (const ProductSize& size : {ProductSize{4, 4, 6}, ProductSize{2, 8, 6}}) {
    const TileTrace trace =
        run_event_engine(platform, TaskGraph(size, std::nullopt), maker<ZoneGrowth>(), {});
    EXPECT_LT(trace.transfers.size(), 6U * 20 + 2 * 16) << size.r;
  }
}

/// A number that depends on every entry and date of a trace.
double checksum(const TileTrace& trace) {
  test::Checksum sum;
  for (const TracedTask& traced : trace.tasks) {
    for (const double number :
         {1.0 * traced.worker, 1.0 * traced.task.target, traced.start_s, traced.end_s})
      sum.add(number);
  }
  for (const auto& [transfer, request, requested_s, start_s, end_s] : trace.transfers) {
    for (const double number : {1.0 * transfer.tile, 1.0 * transfer.from, start_s, end_s})
      sum.add(number);
  }
  for (const auto& [eviction, date_s] : trace.evictions) {
    sum.add(eviction.tile);
    sum.add(date_s);
  }
  return sum.value();
}

/// A change of any decision changes a number: with noise, memories of a few tiles, allocations of C
/// and of tasks, reductions, relays, and workers that stop.
TEST(TileGolden, RunsOfDrawnCases) {
  std::vector<NamedStrategy> strategies = all_strategies();
  strategies.push_back({"DARTS-cpus", darts(true), false});
  strategies.push_back({"ZoneGrowth-trials",
                        [](const StrategyContext& context) {
                          const ZoneGrowth::Parameters base{.uncertainty = 0.2};
                          return make_by_trials(context, base, 0.1);
                        },
                        false});
  Random random(45);
  std::map<std::string, std::vector<double>> numbers;
  for (int draw = 0; draw < 120; ++draw) {
    auto [platform, options, size] = hard_case(random, static_cast<std::uint64_t>(draw));
    if (draw % 4 == 1) options.noise.stops.clear();
    if (draw % 4 == 2)
      options.noise.stops = {
          {.worker = static_cast<int>(platform.workers.size()) - 1, .at_s = 0.1}};
    options.runtime.relay = draw % 5 == 4;
    options.runtime.planned_tasks = draw % 3;
    Allocation allocation =
        computable(random_allocation(random, size, platform.nodes(), draw % 2 == 1), platform);
    allocation.redux = draw % 4 == 3;
    for (const NamedStrategy& strategy : strategies) {
      const TaskGraph work(size, strategy.allocates ? std::optional(allocation) : std::nullopt);
      double number = 0;
      try {
        number = checksum(run_event_engine(platform, work, strategy.maker, options));
      } catch (const SimulationError&) {  // no memory, or no worker is left
      }
      numbers[strategy.name].push_back(number);
    }
  }
  test::expect_golden("tests/tiles/runs.golden", numbers);
}

}  // namespace
}  // namespace starport::tiles
