// What strategies are known for: the volume of a static allocation, ZoneGrowth's gains, and
// nothing that depends on how often they are asked.
#include "heuristics/tiles/static_strategies.hpp"
#include "heuristics/tiles/zone_growth.hpp"
#include "heuristics/tiles/zone_trials.hpp"
#include "sim/platform/platform_file.hpp"
#include "sim/tiles/platform.hpp"
#include "tests/paths.hpp"
#include "tests/tiles/tile_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

namespace starport::tiles {
namespace {

constexpr std::int64_t kTileSize = 960;

Platform calibrated(const std::string& name) {
  return make_platform(load_platform(STARPORT_SOURCE_DIR "/platforms/" + name + ".json"),
                       kTileSize);
}

/// The specification's table of durations: ms.
TEST(TilePlatforms, CalibratedDurations) {
  const Platform sirocco = calibrated("sirocco");
  ASSERT_EQ(sirocco.workers.size(), 6U);
  EXPECT_EQ(sirocco.nodes(), 5);
  for (const Worker& worker : sirocco.workers) {
    EXPECT_NEAR(worker.update_s, worker.node == kHub ? 6.0e-3 : 1.70e-3, 1e-12);
  }
  for (int gpu = 1; gpu < sirocco.nodes(); ++gpu) {
    EXPECT_NEAR(transfer_time_s(sirocco, kHub, gpu), 20e-6 + 8 * 960 * 960 / 4e9, 1e-12);
    EXPECT_EQ(transfer_time_s(sirocco, gpu, kHub), transfer_time_s(sirocco, kHub, gpu));
  }
  EXPECT_EQ(sirocco.start_up_s, 0.045);

  const Platform mirage = calibrated("mirage");
  ASSERT_EQ(mirage.workers.size(), 5U);
  EXPECT_EQ(mirage.nodes(), 4);
  const double flops = 2.0 * 960 * 960 * 960;
  EXPECT_NEAR(mirage.workers[0].update_s, flops / 47e9, 1e-12);
  EXPECT_NEAR(mirage.workers[1].update_s, flops / 37.6e9, 1e-12);
  for (int gpu = 1; gpu < mirage.nodes(); ++gpu) {
    EXPECT_NEAR(mirage.workers[static_cast<std::size_t>(gpu) + 1].update_s, flops / 300e9, 1e-12);
    EXPECT_NEAR(transfer_time_s(mirage, kHub, gpu), 20e-6 + 8 * 960 * 960 / 3e9, 1e-12);
  }
}

/// Σ over GPUs of n (rows + columns) + 2 |zone|, with speeds 1/3, 1, 1, 1, 1.
TEST(TileStrategies, WhatStaticMoves) {
  Platform platform = plain_platform(4, 1);
  for (const auto& [n, tiles] : {std::pair{8, 368}, {16, 1468}, {24, 3306}, {32, 5814}}) {
    const TaskGraph work(n, allocate(platform, n, {}));
    const TileTrace trace = run_event_engine(platform, work, maker<StaticAllocation>(), {});
    EXPECT_EQ(trace.transfers.size(), static_cast<std::size_t>(tiles)) << n;
  }
}

struct Means {
  double time = 0;
  double volume = 0;
};

/// Ratios of ZoneGrowth to another strategy, over sizes and seeds.
Means ratios(const StrategyMaker& other, bool allocates) {
  Means means;
  int runs = 0;
  for (const char* name : {"sirocco", "mirage"}) {
    const Platform platform = calibrated(name);
    for (const std::int32_t n : {8, 16, 24}) {
      for (std::uint64_t seed = 1; seed <= 4; ++seed, ++runs) {
        const EngineOptions options{.noise = jitter(seed)};
        const TaskGraph free(n, std::nullopt);
        const TaskGraph theirs(n,
                               allocates ? std::optional(allocate(platform, n, {})) : std::nullopt);
        const TileTrace ours = run_event_engine(platform, free, maker<ZoneGrowth>(), options);
        const TileTrace trace = run_event_engine(platform, theirs, other, options);
        means.time += ours.end_s() / trace.end_s();
        means.volume += static_cast<double>(ours.transfers.size()) /
                        static_cast<double>(trace.transfers.size());
      }
    }
  }
  return {means.time / runs, means.volume / runs};
}

TEST(TileStrategies, ZoneGrowthIsFasterAndMovesLess) {
  const Means to_stealing = ratios(maker<EffectiveSteal>(), true);
  EXPECT_LT(to_stealing.time, 0.98);
  EXPECT_LT(to_stealing.volume, 0.98);
  const Means to_dmda = ratios(maker<Dmda>(), false);
  EXPECT_LT(to_dmda.time, 1);
  EXPECT_LT(to_dmda.volume, 0.75);
}

/// One worker a core: a task of a core lasts as long as 43 of a GPU's, and with 49 tiles of memory
/// a GPU holds a twelfth of its share of A, B and C. DMDA of StarPU needs 0.221, 0.719 and 5.107 s
/// without a limit, where links share nothing.
TEST(TileStrategies, ZoneGrowthOnCoresAndInLittleMemory) {
  const auto run = [](std::int32_t n, std::optional<std::int64_t> memory_tiles) {
    Platform platform = calibrated("starpu-sirocco");
    platform.shared_lines.clear();
    platform.routes.clear();
    for (Link& link : platform.links) link.memory_tiles = memory_tiles;
    return run_event_engine(platform, TaskGraph(n, std::nullopt), maker<ZoneGrowth>(), {});
  };
  EXPECT_LT(run(8, std::nullopt).end_s(), 0.221);
  EXPECT_LT(run(12, std::nullopt).end_s(), 0.719);
  const TileTrace much = run(24, std::nullopt);
  const TileTrace little = run(24, 49);
  EXPECT_LT(much.end_s(), 1.03 * 5.107);
  EXPECT_LT(little.end_s(), 1.03 * 5.107);
  // Blocks of 6 x 6 tiles move 2 n^3 (1/6 + 1/6) / 2 tiles, and C twice; a quarter more is allowed.
  EXPECT_LT(little.transfers.size(), 1.25 * (24 * 24 * 24 * (1.0 / 6 + 1.0 / 6) + 2 * 24 * 24));
  EXPECT_LT(much.transfers.size(), little.transfers.size());
}

/// Zones of a few tiles differ by no more than whole tiles must.
TEST(TileStrategies, ZonesOfSmallProductsAreAlike) {
  for (const std::int32_t n : {4, 5, 6}) {
    for (std::size_t gpus = 2; gpus <= 8; ++gpus) {
      const auto zones = make_corner_zones(n, std::vector<double>(gpus, 1), 0.2);
      const double most = std::ceil(static_cast<double>(n * n) / static_cast<double>(gpus));
      for (const auto& zone : zones) EXPECT_LE(zone.size(), 1.1 * most) << n << " " << gpus;
    }
  }
}

/// The variant that is fastest in simulated runs is as fast in the run. One that may take half as
/// long again moves less. GPUs that it leaves idle take over when another one stops.
TEST(TileStrategies, ZoneGrowthChoosesByTrials) {
  Platform platform = calibrated("starpu-sirocco");
  platform.shared_lines.clear();
  platform.routes.clear();
  const TaskGraph work(6, std::nullopt);
  const ZoneGrowth::Parameters base{.uncertainty = 0};
  const auto run = [&](const std::optional<double>& slower, const Noise& noise) {
    const StrategyMaker strategy = [&](const StrategyContext& context) {
      const bool tries = slower.has_value();
      return std::make_unique<ZoneGrowth>(
          context, tries ? choose_by_trials(context, base, *slower).parameters : base);
    };
    return run_event_engine(platform, work, strategy, {.noise = noise});
  };
  const TileTrace fixed = run(std::nullopt, {});
  const TileTrace fast = run(0, {});
  const TileTrace spare = run(0.5, {});
  EXPECT_LT(fast.end_s(), 0.95 * fixed.end_s());
  EXPECT_LT(spare.end_s(), 1.5 * fast.end_s());
  EXPECT_LT(spare.transfers.size(), fast.transfers.size());
  const auto is_used = [&](const TileTrace& trace, int node) {
    return std::ranges::any_of(trace.tasks, [&](const TracedTask& task) {
      return platform.worker(task.worker).node == node;
    });
  };
  EXPECT_FALSE(is_used(spare, 3));
  Noise stop;
  stop.stops = {{.worker = 20, .at_s = 0.01}};
  EXPECT_TRUE(is_used(run(0.5, stop), 3));
}

/// The trials are runs as they will be: with the assumed durations, the division that follows from
/// them, and the same run-time system.
TEST(TileStrategies, ZoneGrowthTriesWhatItRuns) {
  const Platform platform = calibrated("starpu-mirage");
  const TaskGraph work(6, std::nullopt);
  for (const bool relay : {false, true}) {
    for (const double uncertainty : {0.0, 0.4}) {
      EngineOptions options{.runtime = {.relay = relay}};
      options.noise.seed = 5;
      const Platform assumed = assume_durations(platform, uncertainty, options.noise.seed);
      const auto run = [&](const ZoneGrowth::Parameters& parameters) {
        const StrategyMaker strategy = [&](const StrategyContext& context) {
          return std::make_unique<ZoneGrowth>(context, parameters, assumed);
        };
        return run_event_engine(assumed, work, strategy, options).end_s();
      };
      ZoneGrowth::Parameters chosen{.uncertainty = uncertainty};
      const StrategyMaker strategy = [&](const StrategyContext& context) {
        chosen = choose_by_trials(context, chosen, 0).parameters;
        return std::make_unique<ZoneGrowth>(context, chosen);
      };
      run_event_engine(platform, work, strategy, options);
      const double end_s = run(chosen);
      for (const int open : {1, 3, 6, 8}) {
        for (const int planned : {0, 1, 2}) {
          EXPECT_LE(end_s, 1.005 * run({.uncertainty = uncertainty,
                                        .open_tiles = open,
                                        .planned_tasks = planned}))
              << relay << uncertainty << open << planned;
        }
      }
    }
  }
}

/// Where a list of single tasks is faster and moves no more, it runs instead, exactly as
/// EffectiveDyn[cpus=timely] would.
TEST(TileStrategies, ZoneGrowthLeavesSmallProductsToAList) {
  const Platform platform = calibrated("starpu-idgraf");
  const TaskGraph work(4, std::nullopt);
  const Copies copies(platform.nodes(), work.tiles());
  const TrialChoice choice = choose_by_trials({platform, work, copies}, {}, 0);
  EXPECT_EQ(choice.list_candidates, kAllTasks);
  const StrategyMaker chosen = [](const StrategyContext& context) {
    return make_by_trials(context, {}, 0);
  };
  const StrategyMaker zones = [&](const StrategyContext& context) {
    return std::make_unique<ZoneGrowth>(context, choice.parameters);
  };
  const TileTrace list = run_event_engine(platform, work, chosen, {});
  EXPECT_EQ(find_difference(list, run_event_engine(platform, work, central_list(kAllTasks),
                                                   {.runtime = {.cpus = CpuRule::timely}})),
            "");
  EXPECT_LT(list.end_s(), 0.95 * run_event_engine(platform, work, zones, {}).end_s());
  EXPECT_EQ(choose_by_trials({platform, work, copies}, {}, 0.1).list_candidates, 0);
}

/// Large products are not tried: what was asked for is taken.
TEST(TileStrategies, ZoneGrowthTriesSmallProductsOnly) {
  const Platform platform = plain_platform(2, 1);
  const ZoneGrowth::Parameters base{.open_tiles = 1, .planned_tasks = 0};
  const auto chosen = [&](const ProductSize& size) {
    const TaskGraph work(size, std::nullopt);
    const Copies copies(platform.nodes(), work.tiles());
    return choose_by_trials({platform, work, copies}, base, 0).parameters;
  };
  EXPECT_GT(chosen({8, 8, 8}).planned_tasks, 0);
  EXPECT_EQ(chosen({40, 40, 26}).planned_tasks, 0);
}

/// However slow a run may be: zones need a GPU, even where main memory alone would move nothing.
TEST(TileStrategies, ZoneGrowthLeavesNotAllGpusIdle) {
  Platform platform = plain_platform(2, 1);
  platform.workers[0].update_s = 0.5;
  const TaskGraph work(6, std::nullopt);
  const Copies copies(platform.nodes(), work.tiles());
  EXPECT_EQ(
      choose_by_trials({platform, work, copies}, {.uncertainty = 0}, 100).parameters.idle_gpus, 1);
}

/// A core that is faster than the GPU computes the last tiles itself instead of leaving them to it.
TEST(TileStrategies, ZoneGrowthWithACoreFasterThanTheGpu) {
  Platform platform = plain_platform(1, 1);
  platform.workers[0].update_s = 1;
  platform.workers[1].update_s = 6;
  const TaskGraph work(8, std::nullopt);
  const double all_at_work_s = 512 / (1 + 1.0 / 6);
  EXPECT_LT(run_event_engine(platform, work, maker<ZoneGrowth>(), {}).end_s(),
            1.05 * all_at_work_s);
}

/// A run depends on the seed of its noise, and on nothing else.
TEST(TileStrategies, ZoneGrowthRepeatsItself) {
  const Platform platform = plain_platform(3, 1);
  const TaskGraph work(9, std::nullopt);
  const auto run = [&](std::uint64_t seed) {
    return run_event_engine(platform, work, maker<ZoneGrowth>(), {.noise = jitter(seed)});
  };
  EXPECT_EQ(find_difference(run(1), run(1)), "");
  EXPECT_NE(find_difference(run(1), run(2)), "");
}

/// Durations that are known to a fifth only change little.
TEST(TileStrategies, ZoneGrowthNeedsNoExactDurations) {
  const Platform platform = calibrated("sirocco");
  const TaskGraph work(16, std::nullopt);
  const auto end_s = [&](double uncertainty) {
    const StrategyMaker strategy = [=](const StrategyContext& context) {
      return std::make_unique<ZoneGrowth>(context,
                                          ZoneGrowth::Parameters{.uncertainty = uncertainty});
    };
    return run_event_engine(platform, work, strategy, {.noise = jitter(3)}).end_s();
  };
  EXPECT_NEAR(end_s(0.2) / end_s(0), 1, 0.03);
}

TEST(TileStrategies, ZoneAssumesDurationsAroundThoseOfThePlatform) {
  const Platform platform = plain_platform(0, 1000);
  double sum = 0;
  for (const Worker& worker : assume_durations(platform, 0.5, 1).workers) {
    const double factor = worker.update_s / platform.workers[0].update_s;
    EXPECT_GE(factor, 0.5);
    EXPECT_LE(factor, 1.5);
    sum += factor / 1000;
  }
  EXPECT_NEAR(sum, 1, 0.05);
}

}  // namespace
}  // namespace starport::tiles
