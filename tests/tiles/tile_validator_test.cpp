// Every strategy keeps the rules on random platforms; a trace that breaks one is refused.
#include "sim/files/error.hpp"
#include "sim/results/timeline.hpp"
#include "sim/tiles/trace.hpp"
#include "sim/tiles/validator.hpp"
#include "tests/golden.hpp"
#include "tests/tiles/tile_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace starport::tiles {
namespace {

TEST(TileValidator, AcceptsEveryStrategy) {
  Random random(11);
  for (int instance = 0; instance < 60; ++instance) {
    const ProductSize size = random_size(random, 1);
    const Platform platform = random_platform(random);
    Allocation allocation =
        computable(random_allocation(random, size, platform.nodes(), instance % 2 == 1), platform);
    allocation.redux = instance % 4 == 3;
    const EngineOptions options{.runtime = {.planned_tasks = static_cast<int>(random.integer(0, 3)),
                                            .relay = random.integer(0, 1) == 1},
                                .noise = jitter(5)};
    for (const NamedStrategy& strategy : all_strategies()) {
      const TaskGraph work(size, strategy.allocates ? std::optional(allocation) : std::nullopt);
      const TileTrace trace = run_event_engine(platform, work, strategy.maker, options);
      EXPECT_EQ(find_violation(platform, work, trace,
                               {.noise = options.noise, .relay = options.runtime.relay}),
                "")
          << strategy.name << " on instance " << instance;
      EXPECT_EQ(static_cast<std::int64_t>(trace.tasks.size()), work.tasks());
    }
  }
}

// What an engine passes on, entry by entry, is what it returns, and is validated meanwhile.
TEST(TileValidator, ReplaysARunWhileItGoesOn) {
  const Platform platform = plain_platform(3, 2);
  const TaskGraph work({6, 4, 5}, std::nullopt);
  const auto validate = [&](std::size_t left_out) {
    TraceValidator validator(platform, work, {});
    TileTrace passed_on;
    std::string violation;
    std::size_t number = 0;
    run_event_engine(platform, work, maker<Dmda>(), {}, [&](const TraceRecord& record) {
      passed_on.add(record);
      if (number++ != left_out && violation.empty()) violation = validator.add(record);
    });
    EXPECT_EQ(find_difference(passed_on, run_event_engine(platform, work, maker<Dmda>(), {})), "");
    return violation.empty() ? validator.finish() : violation;
  };
  EXPECT_EQ(validate(SIZE_MAX), "");
  for (const std::size_t left_out : {0, 7, 30}) EXPECT_NE(validate(left_out), "") << left_out;
}

// Each slice of a timeline has the ranges of its task, or of its tile of C.
TEST(TileTimeline, SlicesHaveTheRangesOfTheirTasksAndTiles) {
  const Platform platform = plain_platform(2, 1);
  const TaskGraph work({2, 3, 4}, std::nullopt);  // A has 8 tiles, B 12
  const TileTrace trace = run_event_engine(platform, work, maker<Dmda>(), {});
  const Timeline timeline = make_tile_timeline("x", platform, work, trace, false);
  using Ranges = std::pair<double, std::vector<std::int64_t>>;  // after the start
  std::multiset<Ranges> expected;
  const auto cell = [](std::int32_t number, std::int32_t columns) -> std::vector<std::int64_t> {
    const std::int64_t row = number / columns;
    const std::int64_t column = number % columns;
    return {row, row + 1, column, column + 1};
  };
  for (const TracedTask& traced : trace.tasks) {
    std::vector<std::int64_t> ranges = cell(traced.task.target, 3);
    ranges.insert(ranges.end(), {traced.task.k, traced.task.k + 1});
    expected.emplace(traced.start_s, ranges);
  }
  for (const TracedTransfer& traced : trace.transfers) {
    const Tile tile = traced.transfer.tile;
    std::vector<std::int64_t> ranges(tile >= 8 && tile < 20 ? 4 : 0);
    const auto own = tile < 8 ? cell(tile, 4) : tile < 20 ? cell(tile - 8, 3) : cell(tile - 20, 3);
    ranges.insert(ranges.end(), own.begin(), own.end());
    if (tile < 8) ranges.resize(8);
    expected.emplace(traced.start_s, ranges);
  }
  std::multiset<Ranges> found;
  for (const Slice& slice : timeline.slices) {
    const auto values = timeline.values_of(slice);
    found.emplace(slice.start_s, std::vector<std::int64_t>(values.begin(), values.end()));
  }
  EXPECT_EQ(found, expected);
}

// What goes from GPU to GPU occupies a link of both.
TEST(TileTimeline, TransfersBetweenGpusHaveTwoLanes) {
  const Platform platform = plain_platform(2, 0);
  const TaskGraph work(1, std::nullopt);
  TileTrace trace;
  trace.transfers = {{.transfer = {.tile = 0, .from = 0, .to = 2}, .start_s = 0, .end_s = 1},
                     {.transfer = {.tile = 0, .from = 2, .to = 1}, .start_s = 1, .end_s = 2}};
  const Timeline timeline = make_tile_timeline("x", platform, work, trace, false);
  ASSERT_EQ(timeline.slices.size(), 2U);
  EXPECT_EQ(timeline.slices[0].other_lane, std::nullopt);
  ASSERT_TRUE(timeline.slices[1].other_lane);
  EXPECT_EQ(timeline.lanes[timeline.slices[1].lane].name, "to it");
  EXPECT_EQ(timeline.lanes[*timeline.slices[1].other_lane].name, "from it");
  EXPECT_EQ(timeline.group_of(timeline.slices[1].lane).name, "P1");
  EXPECT_EQ(timeline.group_of(*timeline.slices[1].other_lane).name, "P2");
}

TEST(TileValidator, EntriesMayNotGoBackInTime) {
  const Platform platform = plain_platform(1, 1);
  const TaskGraph work(2, std::nullopt);
  std::vector<TraceRecord> records;
  run_event_engine(platform, work, maker<Dmda>(), {},
                   [&](const TraceRecord& record) { records.push_back(record); });
  std::rotate(records.begin(), records.end() - 1, records.end());
  TraceValidator validator(platform, work, {});
  std::string violation;
  for (std::size_t i = 0; i < records.size() && violation.empty(); ++i)
    violation = validator.add(records[i]);
  EXPECT_NE(violation.find("an entry starts after one of"), std::string::npos) << violation;
}

/// Half of A and B and all of C fit, no more.
TEST(TileValidator, MemoryIsKept) {
  Random random(12);
  for (int instance = 0; instance < 40; ++instance) {
    const ProductSize size = random_size(random, 3);
    Platform platform = random_platform(random);
    for (Link& link : platform.links) link.memory_tiles = size.t * (size.r + size.s);
    for (const NamedStrategy& strategy : all_strategies()) {
      const Allocation allocation =
          computable(random_allocation(random, size, platform.nodes(), false), platform);
      const TaskGraph work(size, strategy.allocates ? std::optional(allocation) : std::nullopt);
      const TileTrace trace = run_event_engine(platform, work, strategy.maker, {});
      EXPECT_EQ(find_violation(platform, work, trace, {}), "") << strategy.name;
    }
  }
}

// A GPU whose memory is unknown has no limit.
TEST(TileValidator, MemoryOfUnknownSizeIsNotExceeded) {
  Platform platform = plain_platform(1, 0);
  platform.links[0].memory_tiles.reset();
  const TaskGraph work(4, Allocation{4, std::vector<std::int32_t>(16, 1)});
  const TileTrace trace = run_event_engine(platform, work, maker<StaticAllocation>(),
                                           {.runtime = {.limited_memory = true}});
  EXPECT_EQ(find_violation(platform, work, trace, {.limited_memory = true}), "");
}

// It holds positions in its own list of tiles.
static_assert(!std::is_copy_constructible_v<GpuMemory> && !std::is_move_constructible_v<GpuMemory>);

// Without a worker, which slow-downs would name, a GPU's link is as the platform and the noise say.
TEST(TileValidator, TheLinkOfAGpuWithoutAWorkerTakesItsTime) {
  Platform platform = plain_platform(1, 1);
  std::erase_if(platform.workers, [](const Worker& worker) { return worker.node != kHub; });
  const TaskGraph work(2, std::nullopt);
  Noise noise;
  noise.transfers.ratios = {2, 2};
  const ActivityDurations durations(platform, work, noise);
  const Transfer transfer{.tile = 0, .from = kHub, .to = 1};
  EXPECT_EQ(durations.transfer_end_s(transfer, 3), 3 + 2 * transfer_time_s(platform, kHub, 1));
}

// The ends under noise are computed anew: a run whose noise differs in any part is refused.
TEST(TileValidator, RefusesOtherNoise) {
  const Platform platform = plain_platform(2, 1);
  const TaskGraph work(4, std::nullopt);
  Noise noise = jitter(3);
  noise.transfers.cv = 0.1;
  noise.slow_downs = {
      {.worker = 1, .activity = starport::Activity::update, .from_s = 2.3, .factor = 2},
      {.worker = 1, .activity = starport::Activity::update, .from_s = 3.1, .factor = 0.5},
      {.worker = 2, .activity = starport::Activity::transfer, .from_s = 0.9, .factor = 4},
      {.worker = 0, .activity = starport::Activity::update, .from_s = 1e-9, .factor = 1.5}};
  noise.stops = {{.worker = 2, .at_s = 6}};
  const TileTrace trace = run_event_engine(platform, work, maker<Dmda>(), {.noise = noise});
  EXPECT_EQ(find_violation(platform, work, trace, {.noise = noise}), "");
  const auto refused = [&](const std::function<void(Noise&)>& change) {
    Noise other = noise;
    change(other);
    return find_violation(platform, work, trace, {.noise = other}) != "";
  };
  EXPECT_TRUE(refused([](Noise& other) { other.seed = 4; }));
  EXPECT_TRUE(refused([](Noise& other) { other.updates.ratios.clear(); }));
  EXPECT_TRUE(refused([](Noise& other) { other.transfers.cv = 0.11; }));
  EXPECT_TRUE(refused([](Noise& other) { other.stops[0].at_s = 2; }));
  for (std::size_t i = 0; i < noise.slow_downs.size(); ++i) {
    EXPECT_TRUE(refused([&](Noise& other) { other.slow_downs[i].factor *= 1.1; })) << i;
    EXPECT_TRUE(refused([&](Noise& other) {
      other.slow_downs.erase(other.slow_downs.begin() + static_cast<std::ptrdiff_t>(i));
    })) << i;
  }
}

TEST(TileValidator, LessMemoryMovesMore) {
  const Platform platform = [] {
    Platform small = plain_platform(1, 0);
    small.links[0].memory_tiles = 4 * 4 + 5;
    return small;
  }();
  const TaskGraph work(4, Allocation{4, std::vector<std::int32_t>(16, 1)});
  const TileTrace enough = run_event_engine(platform, work, maker<StaticAllocation>(),
                                            {.runtime = {.limited_memory = false}});
  const TileTrace little = run_event_engine(platform, work, maker<StaticAllocation>(), {});
  EXPECT_EQ(enough.transfers.size(), 4U * 16);
  EXPECT_GT(little.transfers.size(), enough.transfers.size());
  EXPECT_EQ(find_violation(platform, work, little, {}), "");
  EXPECT_EQ(find_violation(platform, work, enough, {}),
            "at 11.75 s, the transfer of tile 45 from node 0 to node 1 exceeds the memory of its "
            "destination");
}

TEST(TileValidator, TooLittleMemoryIsAnError) {
  Platform platform = plain_platform(1, 0);
  platform.links[0].memory_tiles = 2;
  const TaskGraph work(4, Allocation{4, std::vector<std::int32_t>(16, 1)});
  try {
    run_event_engine(platform, work, maker<StaticAllocation>(), {});
    FAIL() << "accepted";
  } catch (const SimulationError& error) {
    EXPECT_STREQ(error.what(), "the memory of GPU 1 (2 tiles) cannot hold the 3 tiles of a task");
  }
}

struct Fault {
  std::function<void(TileTrace&)> spoil;
  std::string rule;
};

TEST(TileValidator, RefusesBrokenTraces) {
  const Platform platform = plain_platform(2, 1);
  const TaskGraph work(2, Allocation{2, {1, 2, 1, 2, 1, 2, 1, 2}});
  const TileTrace good = run_event_engine(platform, work, maker<StaticAllocation>(), {});
  ASSERT_EQ(find_violation(platform, work, good, {}), "");
  const auto first_return = [](TileTrace& trace) {
    return std::find_if(trace.transfers.begin(), trace.transfers.end(),
                        [](const TracedTransfer& traced) { return traced.transfer.to == kHub; });
  };
  const std::vector<Fault> faults{
      {[](TileTrace& t) { t.tasks.pop_back(); }, "task (1, 1, 1) never runs"},
      {[](TileTrace& t) { t.tasks.push_back(t.tasks.back()); },
       "at 5.5 s, task (1, 1, 1) is not the next task of its tile"},
      {[](TileTrace& t) { t.tasks[0].task.k = 1; },
       "at 0.75 s, task (0, 0, 1) is not the next task of its tile"},
      {[](TileTrace& t) { t.tasks[0].task.target = 7; }, "at 0.75 s, target 7 has no task 0"},
      {[](TileTrace& t) { t.tasks[0].end_s += 1; },
       "at 0.75 s, task (0, 0, 0) takes 2 s instead of 1 s"},
      {[](TileTrace& t) { t.tasks[0].start_s = t.tasks[0].end_s - 1.5; },
       "at 0.25 s, task (0, 0, 0) takes 1.5 s instead of 1 s"},
      {[](TileTrace& t) { t.tasks[0].worker = 0; },
       "at 0.75 s, task (0, 0, 0) takes 1 s instead of 3 s"},
      {[](TileTrace& t) { t.tasks[0].worker = 2; },
       "at 0.75 s, task (0, 0, 0) runs at node 2 without a valid copy of tile 8"},
      {[](TileTrace& t) { t.transfers.erase(t.transfers.begin()); },
       "at 0.75 s, task (0, 0, 0) runs at node 1 without a valid copy of tile 8"},
      {[](TileTrace& t) { t.transfers[0].end_s = 1; },
       "at 0 s, the transfer of tile 8 from node 0 to node 1 takes 1 s instead of 0.25 s"},
      {[](TileTrace& t) {
         t.transfers[1].start_s = 0;
         t.transfers[1].end_s = 0.25;
       },
       "at 0 s, the transfer of tile 0 from node 0 to node 1 overlaps another transfer in the same "
       "link "
       "direction"},
      {[](TileTrace& t) { t.transfers[0].transfer.from = 2; },
       "at 0 s, the transfer of tile 8 from node 2 to node 1 has no valid copy at its source"},
      {[](TileTrace& t) {
         t.transfers.push_back({{.tile = 8, .from = 0, .to = 1}, 2, 0, 0.3, 0.55});
       },
       "at 0.3 s, the transfer of tile 8 from node 0 to node 1 is superfluous, since its "
       "destination has a "
       "valid copy"},
      {[&](TileTrace& t) { t.transfers.erase(first_return(t)); },
       "tile 0 of C does not return to the hub"},
      {[](TileTrace& t) {
         t.evictions.push_back({{.tile = 0, .node = 1}, 1});
       },
       "at 1 s, tile 0 is evicted from node 1, where it is needed"}};
  for (const Fault& fault : faults) {
    TileTrace bad = good;
    fault.spoil(bad);
    EXPECT_EQ(find_violation(platform, work, bad, {}), fault.rule);
  }
  EXPECT_EQ(find_violation(platform, work, good, {.relay = true}),
            "at 1.75 s, the transfer of tile 8 from node 1 to node 2 does not go through the hub");
}

/// Two tasks at once on one worker: dates that overlap.
TEST(TileValidator, RefusesAWorkerWithTwoTasks) {
  const Platform platform = plain_platform(1, 0);
  const TaskGraph work(2, Allocation{2, {1, 1, 1, 1}});
  TileTrace trace = run_event_engine(platform, work, maker<StaticAllocation>(), {});
  trace.tasks[1].start_s -= 0.25;
  trace.tasks[1].end_s -= 0.25;
  EXPECT_EQ(find_violation(platform, work, trace, {}), "at 1.5 s, worker 1 runs two tasks at once");
}

/// Runs a product of 4 x 4 x 4 tiles on two fast and one slow GPU, from one list of tasks.
TileTrace run_list(const Platform& platform, const TaskGraph& graph,
                   const RuntimeOptions& options) {
  return run_event_engine(platform, graph, central_list(1), {.runtime = options});
}

/// Of two transfers that exclude each other the one requested first starts first, in both orders.
TEST(TileValidator, RefusesTransfersThatOvertakeOthers) {
  Platform platform = plain_platform(3, 0);
  platform.links[2].in_s = 0.4;
  platform.workers[2].update_s = 1.7;
  const TaskGraph work(4, std::nullopt);
  for (const bool cuda_order : {false, true}) {
    const TileTrace good = run_list(platform, work, {.cuda_order = cuda_order});
    const ValidationOptions expectations{.cuda_order = cuda_order};
    ASSERT_EQ(find_violation(platform, work, good, expectations), "");
    int between_gpus = 0;
    for (std::size_t later = 1; later < good.transfers.size(); ++later) {
      for (std::size_t earlier = 0; earlier < later; ++earlier) {
        const Transfer& first = good.transfers[earlier].transfer;
        const Transfer& second = good.transfers[later].transfer;
        const bool same_end = first.to == kHub ? second.to == kHub && first.from == second.from
                                               : first.to == second.to;
        // One of them writes to the GPU from which the other one sends to a third.
        const bool chained = first.to != kHub && second.to != kHub &&
                             (first.from == second.to || first.to == second.from);
        if (!same_end && !(cuda_order && chained)) continue;
        between_gpus += same_end ? 0 : 1;
        TileTrace bad = good;
        std::swap(bad.transfers[earlier].request, bad.transfers[later].request);
        EXPECT_NE(find_violation(platform, work, bad, expectations)
                      .find("starts after one that was requested later"),
                  std::string::npos)
            << "transfers " << earlier << " and " << later;
      }
    }
    EXPECT_EQ(between_gpus > 0, cuda_order);
  }
}

/// A GPU that fetches tiles for a second task before those of the first have arrived.
TEST(TileValidator, RefusesFetchesForTwoTasksAtOnce) {
  const Platform platform = plain_platform(2, 0);
  const TaskGraph work(3, std::nullopt);
  const ValidationOptions expectations{.fetches_for_one_task = true};
  const auto run = [&](bool one) {
    return run_list(platform, work, {.planned_tasks = 1, .fetches_for_one_task = one});
  };
  EXPECT_EQ(find_violation(platform, work, run(true), expectations), "");
  EXPECT_EQ(find_violation(platform, work, run(false), {}), "");
  EXPECT_EQ(find_violation(platform, work, run(false), expectations),
            "at 1.75 s, task (0, 2, 0) starts at node 1, which requested tile 20 for it at 0 s, "
            "before the tiles of the tasks before it had arrived");
}

/// Changes a date, a worker, a node or a tile of an entry, or removes or repeats one.
void change_at_random(TileTrace& trace, const Platform& platform, Random& random) {
  const auto pick = [&](auto& list) {
    return list.begin() + static_cast<std::ptrdiff_t>(random.integer(0, std::ssize(list) - 1));
  };
  const double shift_s = trace.end_s() * (random.integer(0, 1) == 1 ? 1e-2 : -1e-7);
  const auto task = pick(trace.tasks);
  const auto traced = pick(trace.transfers);
  switch (random.integer(0, 10)) {
    case 0:
      task->end_s += shift_s;
      break;
    case 1:
      task->start_s += shift_s;
      task->end_s += shift_s;
      break;
    case 2:
      task->worker = static_cast<std::int32_t>(random.integer(0, std::ssize(platform.workers) - 1));
      break;
    case 3:
      std::swap(task->task, pick(trace.tasks)->task);
      break;
    case 4:
      trace.tasks.erase(task);
      break;
    case 5:
      traced->end_s += shift_s;
      break;
    case 6:
      traced->start_s += shift_s;
      traced->end_s += shift_s;
      break;
    case 7:
      std::swap(traced->transfer.tile, pick(trace.transfers)->transfer.tile);
      break;
    case 8:
      trace.transfers.erase(traced);
      break;
    case 9:
      trace.transfers.insert(traced, TracedTransfer(*traced));
      break;
    default:
      if (trace.evictions.empty()) return;
      if (random.integer(0, 1) == 1) {
        pick(trace.evictions)->date_s += shift_s;
      } else {
        trace.evictions.erase(pick(trace.evictions));
      }
  }
}

/// What is said of changed traces. A change of any rule changes a number.
TEST(TileValidator, VerdictsOnChangedTraces) {
  Random random(46);
  std::map<std::string, std::vector<double>> numbers;
  for (int draw = 0; draw < 120; ++draw) {
    auto [platform, options, size] = hard_case(random, static_cast<std::uint64_t>(draw));
    if (draw % 3 != 0) options.noise.stops.clear();
    options.runtime.relay = draw % 4 == 2;
    Allocation allocation =
        computable(random_allocation(random, size, platform.nodes(), true), platform);
    allocation.redux = draw % 4 == 3;
    const bool is_static = draw % 2 == 1;
    const TaskGraph work(size, is_static ? std::optional(allocation) : std::nullopt);
    TileTrace trace;
    try {
      trace = run_event_engine(platform, work, is_static ? maker<EffectiveSteal>() : maker<Dmda>(),
                               options);
    } catch (const SimulationError&) {  // no worker is left
    }
    if (trace.transfers.empty()) continue;
    const ValidationOptions expectations{.noise = options.noise, .relay = options.runtime.relay};
    test::Checksum sum;
    for (int change = 0; change < 30; ++change) {
      TileTrace changed = trace;
      change_at_random(changed, platform, random);
      const std::string violation = find_violation(platform, work, changed, expectations);
      sum.add(violation.empty() ? 0 : 1);
      test::add_digits(violation, sum);
    }
    numbers[is_static ? "EffectiveSteal" : "DMDA"].push_back(sum.value());
  }
  test::expect_golden("tests/tiles/verdicts.golden", numbers);
}

}  // namespace
}  // namespace starport::tiles
