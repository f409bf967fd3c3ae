// GPUs whose memories hold few tiles.
#include "sim/tiles/simgrid/simgrid_engine.hpp"
#include "sim/tiles/trace.hpp"
#include "sim/tiles/validator.hpp"
#include "tests/tiles/tile_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace starport::tiles {
namespace {

/// Returns the number of transfers to main memory.
std::int64_t returns(const TileTrace& trace) {
  return std::count_if(trace.transfers.begin(), trace.transfers.end(),
                       [](const TracedTransfer& traced) { return traced.transfer.to == kHub; });
}

/// From three tiles on, any memory suffices: tiles of C return to the hub and come back.
TEST(TileMemory, OfThreeTilesSuffices) {
  Random random(13);
  std::int64_t written_back = 0;
  for (int instance = 0; instance < 60; ++instance) {
    const ProductSize size = random_size(random, 2);
    Platform platform = random_platform(random);
    limit_memories(platform, size, random);
    const Allocation allocation =
        computable(random_allocation(random, size, platform.nodes(), false), platform);
    for (const NamedStrategy& strategy : all_strategies()) {
      const TaskGraph work(size, strategy.allocates ? std::optional(allocation) : std::nullopt);
      for (const bool relay : {false, true}) {
        const EngineOptions options{
            .runtime = {.cpus = relay ? CpuRule::one : CpuRule::plan,
                        .relay = relay,
                        .transfers_between_tasks = relay && instance % 2 == 1}};
        SCOPED_TRACE(strategy.name + (relay ? " relay " : " ") + std::to_string(instance));
        const TileTrace exact = run_event_engine(platform, work, strategy.maker, options);
        EXPECT_EQ(find_violation(platform, work, exact, {.relay = relay}), "")
            << strategy.name << " on instance " << instance;
        written_back += returns(exact) - size.cells();
        if (instance % 20 != 0) continue;
        const TileTrace simulated = run_simgrid_engine(platform, work, strategy.maker, options, 60);
        EXPECT_EQ(find_difference(exact, simulated), "") << strategy.name;
      }
    }
  }
  EXPECT_GT(written_back, 1000);
}

/// A memory of 3 tiles on a GPU that computes everything: C, A and B of each task come, and C goes,
/// since the tasks of the n tiles of C take turns.
TEST(TileMemory, OfThreeTilesMovesEverythingEachTime) {
  Platform platform = plain_platform(1, 0);
  platform.links[0].memory_tiles = 3;
  const TaskGraph work(2, Allocation{2, {1, 1, 1, 1}});
  const TileTrace trace = run_event_engine(platform, work, maker<StaticAllocation>(),
                                           {.runtime = {.planned_tasks = 0}});
  EXPECT_EQ(find_violation(platform, work, trace, {}), "");
  EXPECT_EQ(returns(trace), 8);  // after each of the 8 tasks
}

/// The golden case A with room for all of C and three tiles more.
TEST(TileMemory, WhatAGpuHolds) {
  Platform platform = plain_platform(1, 0);
  platform.links[0].memory_tiles = 7;
  const TaskGraph work(2, Allocation{2, {1, 1, 1, 1}});
  const TileTrace trace = run_event_engine(platform, work, maker<StaticAllocation>(),
                                           {.runtime = {.planned_tasks = 0}});
  const MemoryOccupancy occupancy(platform, work, trace);
  std::int64_t most = 0;
  for (const TracedTransfer& transfer : trace.transfers) {
    most = std::max(most, occupancy.tiles_at(1, transfer.start_s));
  }
  EXPECT_EQ(occupancy.tiles_at(1, -1), 0);
  EXPECT_EQ(occupancy.tiles_at(1, 0), 1);     // the first tile of C is on its way
  EXPECT_EQ(occupancy.tiles_at(1, 0.75), 3);  // with A and B; the first task starts
  EXPECT_EQ(most, 7);
  const auto came = std::count_if(trace.transfers.begin(), trace.transfers.end(),
                                  [](const TracedTransfer& t) { return t.transfer.to == 1; });
  EXPECT_EQ(occupancy.tiles_at(1, trace.end_s()), came - std::ssize(trace.evictions));
}

/// A tile of C that another GPU goes on with makes room where it was.
TEST(TileMemory, ATileOfCLeavesForGood) {
  Platform platform = plain_platform(2, 0);
  for (Link& link : platform.links) link.memory_tiles = 100;
  const TaskGraph work(1, Allocation{1, {1}});
  TileTrace trace;
  trace.tasks = {{{.target = 0, .k = 0}, 0, false, 0.75, 1.75}};
  trace.transfers = {{{.tile = 2, .from = 0, .to = 1}, 0, 0, 0, 0.25},
                     {{.tile = 2, .from = 0, .to = 2}, 1, 0, 0, 0.25}};
  const MemoryOccupancy occupancy(platform, work, trace);
  EXPECT_EQ(occupancy.tiles_at(2, 0.5), 1);
  EXPECT_EQ(occupancy.tiles_at(2, 0.75), 0);
  EXPECT_EQ(occupancy.tiles_at(1, 2), 1);
}

/// A timeline states every tile that leaves a GPU, so that transfers and removals alone give what
/// each memory holds at any date; never more than fits.
TEST(TileMemory, TimelinesStateEveryRemoval) {
  Random random(14);
  std::int64_t evicted = 0;
  std::int64_t overwritten = 0;
  for (int instance = 0; instance < 20; ++instance) {
    const ProductSize size = random_size(random, 3);
    Platform platform = random_platform(random);
    limit_memories(platform, size, random);
    for (const NamedStrategy& strategy : all_strategies()) {
      const Allocation allocation =
          computable(random_allocation(random, size, platform.nodes(), false), platform);
      const TaskGraph work(size, strategy.allocates ? std::optional(allocation) : std::nullopt);
      const TileTrace trace = run_event_engine(platform, work, strategy.maker, {});
      const Timeline timeline = make_tile_timeline("x", platform, work, trace, true);
      std::map<std::pair<std::size_t, double>, std::int64_t> changes;  // by group and date
      std::map<std::pair<std::size_t, double>, std::int64_t> stated;
      for (const auto* slices : {&timeline.slices, &timeline.removals}) {
        for (const Slice& slice : *slices) {
          if (!slice.held) continue;
          const std::pair key(timeline.lanes[slice.lane].group, slice.start_s);
          const SliceKind& kind = timeline.kind_of(slice);
          changes[key] += int{kind.direction == TransferDirection::to_group} -
                          int{kind.role == SliceRole::remove};
          stated[key] = slice.held->blocks;
          evicted += kind.name.ends_with("evicted") ? 1 : 0;
          overwritten += kind.name == "C overwritten" ? 1 : 0;
        }
      }
      evicted -= std::ssize(trace.evictions);
      std::map<std::size_t, std::int64_t> held;
      for (const auto& [key, change] : changes) {
        held[key.first] += change;
        ASSERT_EQ(held[key.first], stated.at(key)) << strategy.name << " at " << key.second;
        ASSERT_GE(held[key.first], 0);
        ASSERT_LE(held[key.first], *timeline.groups[key.first].memory_blocks);
      }
      if (trace.evictions.empty()) continue;
      TileTrace other = trace;
      ++other.evictions.back().eviction.node;
      EXPECT_EQ(find_difference(trace, trace), "");
      EXPECT_NE(find_difference(trace, other), "");
    }
  }
  EXPECT_EQ(evicted, 0);  // each eviction of the traces is stated once
  EXPECT_GT(overwritten, 100);
}

}  // namespace
}  // namespace starport::tiles
