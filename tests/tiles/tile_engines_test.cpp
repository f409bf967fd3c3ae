// The event engine and the SimGrid actors drive the same runtime: same transfers, same dates.
#include "sim/files/error.hpp"
#include "sim/tiles/simgrid/simgrid_engine.hpp"
#include "sim/tiles/validator.hpp"
#include "tests/tiles/tile_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace starport::tiles {
namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(a, b); }

bool same(const TracedTask& a, const TracedTask& b) {
  return a.task == b.task && a.worker == b.worker && a.stolen == b.stolen &&
         near(a.start_s, b.start_s) && near(a.end_s, b.end_s);
}

bool same(const TracedTransfer& a, const TracedTransfer& b) {
  return a.transfer == b.transfer && near(a.start_s, b.start_s) && near(a.end_s, b.end_s);
}

bool same(const TracedDeparture& a, const TracedDeparture& b) {
  return a.departure == b.departure && near(a.at_s, b.at_s);
}

template <class Entry>
bool same(const std::vector<Entry>& ours, const std::vector<Entry>& theirs) {
  return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                    [](const Entry& a, const Entry& b) { return same(a, b); });
}

bool same(const Trace& ours, const Trace& theirs) {
  return same(ours.tasks, theirs.tasks) && same(ours.transfers, theirs.transfers) &&
         same(ours.departures, theirs.departures);
}

TEST(TileEngines, AgreeOnRandomPlatforms) {
  Random random(21);
  for (int instance = 0; instance < 24; ++instance) {
    const auto n = static_cast<std::int32_t>(random.integer(1, 7));
    Platform platform = random_platform(random);
    for (Link& link : platform.links) link.memory_tiles = 2 * n * n + 3;
    Allocation allocation =
        computable(random_allocation(random, n, platform.nodes(), instance % 2 == 1), platform);
    allocation.redux = instance % 4 == 3;
    const Options options{.rules = {.planned_tasks = static_cast<int>(random.integer(0, 2)),
                                    .relay = instance % 5 == 4,
                                    .limited_memory = instance % 6 == 0 && n > 2},
                          .variation = {.jitter = instance % 3 == 0 ? 0.0 : 0.03, .seed = 5}};
    for (const NamedStrategy& strategy : all_strategies()) {
      if (strategy.name == "DMDA" && options.rules.limited_memory) continue;
      const Work work(n, strategy.allocates ? std::optional(allocation) : std::nullopt);
      const Trace exact = run_events(platform, work, strategy.maker, options);
      const Trace simulated = run_simgrid(platform, work, strategy.maker, options, 60);
      EXPECT_TRUE(same(exact, simulated)) << strategy.name << " on instance " << instance;
      EXPECT_EQ(find_broken_rule(platform, work, simulated,
                                 {.variation = options.variation,
                                  .relay = options.rules.relay,
                                  .limited_memory = options.rules.limited_memory}),
                "")
          << strategy.name << " on instance " << instance;
    }
  }
}

/// Where everything is a multiple of a quarter, many things happen at the same date.
TEST(TileEngines, AgreeOnTies) {
  const Platform platform = plain_platform(2, 1);
  const Allocation allocation{3, {0, 1, 1, 2, 1, 1, 2, 2, 2}};
  for (const NamedStrategy& strategy : all_strategies()) {
    const Work work(3, strategy.allocates ? std::optional(allocation) : std::nullopt);
    EXPECT_TRUE(same(run_events(platform, work, strategy.maker, {}),
                     run_simgrid(platform, work, strategy.maker, {}, 60)))
        << strategy.name;
  }
}

TEST(TileEngines, AnErrorComesBackFromTheOtherProcess) {
  Platform platform = plain_platform(1, 0);
  platform.links[0].memory_tiles = 10;
  const Work work(4, Allocation{4, std::vector<std::int32_t>(16, 1)});
  EXPECT_THROW(run_simgrid(platform, work, maker<StaticAllocation>(),
                           {.rules = {.limited_memory = true}}, 60),
               SimulationError);
}

}  // namespace
}  // namespace starport::tiles
