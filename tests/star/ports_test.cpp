// One-port, two-port and multi-port masters: timelines by hand, the engines, bounds.
#include "heuristics/star/registry.hpp"
#include "sim/files/error.hpp"
#include "sim/platform/port.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/bounds/steady_state.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/port_clock.hpp"
#include "sim/star/trace.hpp"
#include "sim/star/validator/date_rules.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/star/port_platforms.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

namespace starport {
namespace {

using Kind = Port::Kind;
using test::end_of;
using test::kFourBlocks;
using test::kTwo;
using test::many;
using test::two_workers;
using test::uneven_links;
using test::with_port;
using Intervals = std::vector<std::pair<double, double>>;

Intervals transfers(const Trace& trace) {
  Intervals intervals;
  for (const TracedTransfer& event : trace) {
    intervals.emplace_back(event.dates.start_s, event.dates.end_s);
  }
  return intervals;
}

void expect_near(const Intervals& found, const Intervals& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].first, expected[i].first, 1e-9) << "transfer " << i + 1;
    EXPECT_NEAR(found[i].second, expected[i].second, 1e-9) << "transfer " << i + 1;
  }
}

// C1 0-1, C2 1-2, AB1 2-4 and its update 4-6, AB2 4-6 and 6-9. R1 waits for its update: 6-7. R2:
// 9-10. The second round is sent meanwhile: C1 when worker 1 is free, 7-8; C2 when worker 2 is,
// 10-11; behind it AB1 11-13, update 13-15, AB2 13-15, update 15-18; R1 15-16, R2 18-19. On one
// port the second C1 waits for R2, until 10, and all ends at 20.
TEST(TwoPort, ByHand) {
  const Platform platform = with_port(two_workers(), kTwo);
  const Intervals expected{{0, 1}, {1, 2},   {2, 4},   {4, 6},   {6, 7},   {9, 10},
                           {7, 8}, {10, 11}, {11, 13}, {13, 15}, {15, 16}, {18, 19}};
  expect_near(transfers(test::by_recurrence("ORROML", platform, kFourBlocks)), expected);
  const Trace trace = test::simulate("ORROML", platform, kFourBlocks);
  expect_near(transfers(trace), expected);
  EXPECT_EQ(end_of(test::by_recurrence("ORROML", two_workers(), kFourBlocks)), 20);
  const Metrics metrics = compute_metrics(platform, trace);
  EXPECT_NEAR(metrics.makespan_s, 19, 1e-9);
  EXPECT_NEAR(metrics.send_utilisation, 12.0 / 19, 1e-9);
  EXPECT_NEAR(metrics.receive_utilisation, 4.0 / 19, 1e-9);
  EXPECT_NEAR(metrics.port_utilisation, 16.0 / 19, 1e-9);
}

// Both transfers are decided at 0: 0-2 with the update 2-3, then 2-7. That the second one will end
// after the update does not hide the end of the update before it has come.
TEST(TwoPort, WaitsForAnUpdateThatEndsDuringADecidedTransfer) {
  const Platform platform = with_port(test::star({{1, 1, 21, 0}}), kTwo);
  MasterView master(platform, {1, 1, 1, 1});
  TwoPortClock clock(master);
  clock.advance({.allows_update = true, .blocks = 2, .block_updates = 1});
  clock.advance({.blocks = 5});
  for (const double date_s : {2.0, 3.0, 7.0}) {
    EXPECT_EQ(master.next_update_end_s(), master.now_s() < 3 ? 3 : kUnknown);
    ASSERT_TRUE(clock.wait({}));
    EXPECT_EQ(master.now_s(), date_s);
    EXPECT_EQ(master.update_end_s(0, 1), date_s < 7 ? 3 : 0);
  }
  EXPECT_FALSE(clock.wait({}));
}

// Each worker by itself. Worker 1: C 0-1, AB 1-3, update 3-5, R 5-6, and again from 6: 6-7, 7-9,
// update 9-11, 11-12. Worker 2, with updates of 3 s: 0-1, 1-3, 6-7, 7-8, 8-10, 13-14.
TEST(MultiPort, ByHand) {
  const Platform platform = with_port(two_workers(), many());
  expect_near(transfers(test::simulate("ORROML", platform, kFourBlocks)), {{0, 1},
                                                                           {0, 1},
                                                                           {1, 3},
                                                                           {1, 3},
                                                                           {5, 6},
                                                                           {6, 7},
                                                                           {6, 7},
                                                                           {7, 8},
                                                                           {7, 9},
                                                                           {8, 10},
                                                                           {11, 12},
                                                                           {13, 14}});
}

// Three equal workers, two transfers at once, a block each. C1 and C2 0-1; at 1 the next two of the
// schedule whose workers are free, C3 1-2 and AB1 1-3; AB2 2-4; at 3 AB3, 3-5, which comes before
// R1 in the schedule. Updates of 1 s: 3-4, 4-5, 5-6. R1 4-5; at 5 R2, 5-6, and R3, which holds its
// port until 6: 6-7.
TEST(MultiPort, AtMostTwoAtOnceByHand) {
  const Platform platform =
      with_port(test::star({{1, 1, 5, 0}, {1, 1, 5, 0}, {1, 1, 5, 0}}), many(2));
  expect_near(transfers(test::simulate("ORROML", platform, {1, 3, 1, 1})),
              {{0, 1}, {0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 5}, {4, 5}, {5, 6}, {6, 7}});
}

// Links of 1 and 1/2 block a second, 5/4 in all. C1 and C2: the slow link takes 1/2, 3/4 are left:
// C1 0-4/3, C2 0-2. AB1, 2 blocks at 3/4, 4/3-4; AB2 2-6. Update 1 4-5. R1 from 5: 3/4 until 6,
// then alone at 1: until 6.25. Update 2 6-9, R2 9-11. With a latency of 1/2 on both links, which
// takes no bandwidth, C1 and C2 run from 1/2: 0-11/6 and 0-5/2; AB1 flows from 7/3, AB2 from 3.
TEST(MultiPort, SharedBandwidthByHand) {
  const Platform platform = with_port(uneven_links(), many(0, 0.8));
  const Trace trace = test::simulate("ORROML", platform, {1, 2, 1, 1});
  expect_near(transfers(trace), {{0, 4.0 / 3}, {0, 2}, {4.0 / 3, 4}, {2, 6}, {5, 6.25}, {9, 11}});
  EXPECT_FALSE(find_violation(platform, {1, 2, 1, 1}, trace));
  Platform late = platform;
  for (Worker& worker : late.workers) worker.latency_s = 0.5;
  const Trace latent = test::simulate("ORROML", late, {1, 2, 1, 1});
  EXPECT_NEAR(latent[0].dates.end_s, 0.5 + 4.0 / 3, 1e-9);
  EXPECT_NEAR(latent[1].dates.end_s, 2.5, 1e-9);
  EXPECT_FALSE(find_violation(late, {1, 2, 1, 1}, latent));
}

TEST(MaxMin, ByHand) {
  // The same flows; then four on fast links share equally.
  const auto ends =
      max_min_end_dates({{0, 1, 1}, {0, 1, 2}, {4.0 / 3, 2, 1}, {2, 2, 2}, {5, 1, 1}}, 0.8);
  const std::vector<double> expected{4.0 / 3, 2, 4, 6, 6.25};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(ends[i], expected[i], 1e-12);
  for (const double end : max_min_end_dates(std::vector<Flow>(4, {1, 3, 0.1}), 0.5)) {
    EXPECT_NEAR(end, 7, 1e-12);
  }
  EXPECT_TRUE(max_min_end_dates({}, 1).empty());
}

/// Calls `check` with the name of each heuristic and its planner for the platform and the product.
template <class Check>
void for_each_plan(const std::vector<NamedHeuristic>& heuristics, const Platform& platform,
                   const Problem& problem, const Check& check) {
  for (const NamedHeuristic& entry : heuristics) {
    SCOPED_TRACE(entry.name + ", " + describe(platform.port));
    try {
      check(entry, [&] { return entry.heuristic->plan(platform, problem); });
    } catch (const NotApplicable&) {
      const Port::Kind port = platform.port.kind;
      const bool one_port = entry.heuristic->requirements().ports == SupportedPorts::one;
      EXPECT_TRUE(entry.name == "HoLM" || (one_port && port != Port::Kind::one)) << entry.name;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("memory"), std::string::npos) << error.what();
    }
  }
}

/// Runs a third of the heuristics on both engines and returns the number of runs.
int compare_engines(std::uint64_t seed, const Platform& platform, const Problem& problem) {
  int runs = 0;
  const auto check = [&](const NamedHeuristic&, const Planner& plan) {
    const Trace trace = test::run_on_both_engines(platform, problem, plan).trace;
    EXPECT_EQ(find_difference(replay(platform, problem, to_transfers(trace)), trace), "");
    ++runs;
  };
  for_each_plan(test::every_third_heuristic(seed), platform, problem, check);
  return runs;
}

test::RandomInstance instance_of(std::uint64_t seed) {
  test::RandomInstance instance =
      seed % 3 == 0 ? test::uneven_instance(seed, 3) : test::random_instance(seed, seed % 7 + 1);
  if (seed % 4 == 1) {
    for (Worker& worker : instance.platform.workers) worker.latency_s = 0.25 * worker.c_s;
  }
  return instance;
}

TEST(TwoPort, EnginesAgreeOnRandomInstances) {
  int runs = 0;
  for (std::uint64_t seed = 1; seed <= 60; seed += test::kSeedStride * test::kSeedStride) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto [base, problem] = instance_of(seed);
    runs += compare_engines(seed, with_port(base, kTwo), problem);
  }
  EXPECT_GT(runs, 160 / static_cast<int>(test::kSeedStride * test::kSeedStride) - 4);
}

// Links 1e7 to 1e10 times as fast as the others: the transfers of a fast one are shorter than a
// rounding of the dates at which they happen.
TEST(TwoPort, EnginesAgreeOnLinksOfVeryDifferentSpeeds) {
  int runs = 0;
  for (std::uint64_t seed = 1; seed <= 40; seed += test::kSeedStride) {
    Random random(seed);
    PerWorker<Worker> workers;
    for (std::int64_t i = random.integer(2, 5); i > 0; --i) {
      const double fast = i % 2 == 0 ? std::pow(10, -random.real(7, 10)) : 1;
      const double c =
          seed % 2 == 0 ? random.real(1, 4) : static_cast<double>(random.integer(1, 3));
      const double w =
          seed % 2 == 0 ? random.real(1, 6) : static_cast<double>(random.integer(1, 5));
      workers.push_back({c * fast, w, random.integer(0, 1) == 0 ? 5 : 21, 0});
    }
    const Problem problem{random.integer(1, 6), random.integer(2, 14), random.integer(1, 5), 1};
    SCOPED_TRACE("seed " + std::to_string(seed));
    runs += compare_engines(seed, with_port(test::star(workers), kTwo), problem);
  }
  EXPECT_GT(runs, 100 / static_cast<int>(test::kSeedStride) - 4);
}

// One transfer at once is one port, whatever the engine. Het plans for two there.
TEST(MultiPort, OfOneTransferAtOnceIsOnePort) {
  for (std::uint64_t seed = 1; seed <= 20; seed += test::kSeedStride) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto [platform, problem] = instance_of(seed);
    const Platform multi = with_port(platform, many(1));
    const auto check = [&, &platform = platform, &problem = problem](const NamedHeuristic& named,
                                                                     const Planner& plan) {
      if (named.name == "Het" || named.name == "Polaris[effort=low]") return;  // other plans
      const auto one = [&] { return named.heuristic->plan(platform, problem); };
      const auto run = seed % 5 == 0 ? test::run_on_both_engines(multi, problem, plan)
                                     : test::run_here(multi, problem, plan);
      EXPECT_EQ(find_difference(run.trace, test::run_here(platform, problem, one).trace), "");
    };
    for_each_plan(test::every_heuristic(), multi, problem, check);
  }
}

/// Returns a plan of 40 random transfers, which are no product. Before most of them it waits for an
/// event, whatever it is, until a random date has passed.
Plan make_waiting_plan(std::uint64_t seed) {
  struct State {
    Random random;
    int decided = 0;
    double not_before_s = 0;
  };
  const auto state = std::make_shared<State>(State{.random = Random(seed)});
  return test::function_plan([state](const MasterView& star) -> test::Choice {
    const double next_s = star.next_update_end_s();
    const bool can_wait =
        star.has_transfer_under_way() || (next_s != kUnknown && clearly_less(star.now_s(), next_s));
    if (can_wait && star.now_s() < state->not_before_s) return Wait{};
    if (state->decided == 40) return Done{};
    ++state->decided;
    Random& random = state->random;
    if (random.integer(0, 2) != 0) state->not_before_s = star.now_s() + random.real(0, 6);
    Transfer transfer;
    transfer.worker =
        static_cast<std::int32_t>(random.integer(0, std::ssize(star.platform().workers) - 1));
    transfer.after_update = random.integer(0, star.updates_allowed(transfer.worker));
    transfer.c = {{0, 1}, {0, static_cast<std::int32_t>(random.integer(1, 6))}};
    if (random.integer(0, 2) == 0) {
      transfer.direction = Direction::to_master;
    } else if (random.integer(0, 1) == 0) {
      transfer.update = {.rows = {0, 1},
                         .columns = {0, static_cast<std::int32_t>(random.integer(1, 4))},
                         .inner = {0, 1}};
    }
    return transfer;
  });
}

// Both engines ask a dispatcher that waits at the same dates: it decides by the date alone.
TEST(Ports, EnginesAskADispatcherThatWaitsAtTheSameDates) {
  for (std::uint64_t seed = 1; seed <= 10; seed += test::kSeedStride) {
    Random random(seed);
    PerWorker<Worker> workers;
    for (std::int64_t i = random.integer(2, 5); i > 0; --i) {
      const double latency_s = random.integer(0, 1) == 0 ? 0 : random.real(0, 1);
      workers.push_back({random.real(0.5, 2), random.real(0.5, 4), 21, latency_s});
    }
    for (const Port& port : {Port{}, kTwo, many(), many(2), many(0, 0.7), many(3, 0.4)}) {
      const Platform platform = with_port(test::star(workers), port);
      const Problem problem{1, 1, 1, 1};
      const auto plan = [&] { return make_waiting_plan(seed); };
      const Trace simgrid = SimgridEngine().run(platform, problem, plan).trace;
      const Trace analytic = test::run_here(platform, problem, plan).trace;
      EXPECT_EQ(simgrid.size(), 40U);
      EXPECT_EQ(find_difference(analytic, simgrid), "")
          << "seed " << seed << ", " << describe(port);
    }
  }
}

// All steps arrive within a millisecond, long before the first of a thousand updates has ended.
TEST(MultiPort, EnginesAgreeWhereUpdatesPileUp) {
  constexpr std::int32_t steps = 1000;
  const Platform platform = with_port(test::star({{1e-7, 1, 2 * steps + 1, 0}}), many());
  const Problem problem{.r = 1, .s = 1, .t = steps, .block_size = 1};
  std::vector<Transfer> transfers;
  for (std::int32_t k = 0; k < steps; ++k) {
    Transfer& step = transfers.emplace_back();
    step.a = {{0, 1}, {k, k + 1}};
    step.b = {{k, k + 1}, {0, 1}};
    if (k == 0) step.c = {{0, 1}, {0, 1}};
    step.update = {.rows = {0, 1}, .columns = {0, 1}, .inner = {k, k + 1}};
  }
  Transfer& home = transfers.emplace_back();
  home.direction = Direction::to_master;
  home.c = {{0, 1}, {0, 1}};
  home.after_update = steps;
  const TransferList list(transfers);
  const auto plan = [&] { return make_list_plan(list); };
  const Trace trace = SimgridEngine().run(platform, problem, plan).trace;
  EXPECT_EQ(find_difference(trace, test::run_here(platform, problem, plan).trace), "");
  EXPECT_NEAR(end_of(trace), steps, 1e-3);
}

/// With the sides of the heuristic's own layout.
double rate_bound(Platform platform, const Problem& problem, const MemoryLayout& layout,
                  bool count_c) {
  for (Worker& worker : platform.workers) {
    const std::int64_t side = layout.side(worker.m_blocks);
    worker.m_blocks = side == 0 ? 0 : kOptimizedOverlapped.blocks(side);
  }
  return steady_state(platform, problem, count_c).throughput_updates_per_s;
}

// The trace obeys the rules of its port, and the rate stays below the bound, C counted or not: that
// of chunks, which Polaris' schedules are not (makespan_bounds_test.cpp has its own).
TEST(Ports, EveryHeuristicOnRandomPlatforms) {
  for (std::uint64_t seed = 1; seed <= 20; seed += test::kSeedStride) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const auto [base, problem] = instance_of(seed);
    const double c = base.workers.front().c_s;
    for (const Port& port : {Port{}, kTwo, many(), many(2), many(0, 0.7 * c), many(3, 0.4 * c)}) {
      const Platform platform = with_port(base, port);
      const auto check = [&, &problem = problem](const NamedHeuristic& named, const Planner& plan) {
        const Trace trace = test::run_here(platform, problem, plan).trace;
        const auto violation = find_violation(platform, problem, trace);
        ASSERT_FALSE(violation) << violation->transfer << ": " << violation->message;
        const MemoryLayout* layout = named.heuristic->requirements().layout;
        if (layout == nullptr) return;
        const Metrics metrics = compute_metrics(platform, trace);
        const double rate = static_cast<double>(problem.updates()) / metrics.makespan_s;
        for (const bool count_c : {false, true}) {
          EXPECT_FALSE(clearly_less(rate_bound(platform, problem, *layout, count_c), rate))
              << (count_c ? "C counted" : "");
        }
      };
      for_each_plan(test::every_heuristic(), platform, problem, check);
    }
  }
}

// Het runs the best of its eight selections as the platform's own port dates them.
TEST(TwoPort, HetChoosesByItsOwnPort) {
  for (std::uint64_t seed = 1; seed <= 30; seed += test::kSeedStride) {
    const auto [base, problem] = test::random_instance(seed);
    const Platform platform = with_port(base, kTwo);
    double best_s = kUnknown;
    for (const char* ratio : {"global", "local"}) {
      for (const char* look_ahead : {"no", "yes"}) {
        for (const char* count_c : {"no", "yes"}) {
          const std::string name = std::string("Het[ratio=") + ratio + ",look_ahead=" + look_ahead +
                                   ",count_c=" + count_c + "]";
          best_s = std::min(best_s, end_of(test::by_recurrence(name, platform, problem)));
        }
      }
    }
    EXPECT_NEAR(end_of(test::by_recurrence("Het", platform, problem)), best_s, 1e-9 * best_s);
  }
}

// Limits on transfers, a shared bandwidth, neither or both. Figures without round ratios, since the
// engines may tell a heuristic of the end of an update and of that of a transfer at the same date
// in either order.
TEST(MultiPort, EnginesAgreeOnRandomInstances) {
  int runs = 0;
  for (std::uint64_t seed = 1; seed <= 36; seed += test::kSeedStride) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    auto [base, problem] = instance_of(seed);
    Random random(seed);
    for (Worker& worker : base.workers) {
      worker.c_s *= random.real(1, 1.25);
      worker.w_s *= random.real(1, 1.25);
    }
    const double c = base.workers.front().c_s;
    const Port ports[] = {many(), many(2), many(0, 0.7 * c), many(3, 0.4 * c)};
    runs += compare_engines(seed, with_port(base, ports[seed / 2 % 4]), problem);
  }
  EXPECT_GT(runs, 75 / static_cast<int>(test::kSeedStride));
}

// Ends that differ by less than a billionth of the date, but by more than rounding explains, are
// two: two long transfers first, then blocks of A, B and C of a second each, of which those of
// worker 2 take 2 us longer.
TEST(MultiPort, EndsThatAreNearlyEqualStayApart) {
  const Platform platform =
      with_port(test::star({{1, 1e-3, 1'000'000, 0}, {1, 1e-3, 1'000'000, 2e-6}}), many());
  const Problem problem{.r = 1, .s = 5998, .t = 1, .block_size = 1};
  std::vector<Transfer> schedule;
  const auto of_both = [&](const auto& make) {
    for (const std::int32_t worker : {0, 1}) {
      schedule.push_back(make(worker, Range{2999 * worker, 2999 * (worker + 1)}));
    }
  };
  of_both([](std::int32_t worker, const Range& columns) {
    return Transfer{.worker = worker, .c = {{0, 1}, columns}};
  });
  of_both([](std::int32_t worker, const Range&) {
    return Transfer{.worker = worker, .a = {{0, 1}, {0, 1}}};
  });
  of_both([](std::int32_t worker, const Range& columns) {
    const Rectangle b{{0, 1}, columns};
    return Transfer{.worker = worker,
                    .b = b,
                    .update = {.rows = {0, 1},
                               .columns = columns,
                               .inner = {0, 1},
                               .release_a = {{0, 1}, {0, 1}},
                               .release_b = b}};
  });
  of_both([](std::int32_t worker, const Range& columns) {
    return Transfer{.worker = worker,
                    .direction = Direction::to_master,
                    .c = {{0, 1}, columns},
                    .after_update = 1};
  });
  const Trace trace = replay(platform, problem, schedule);
  EXPECT_NEAR(trace[3].dates.end_s - trace[3].dates.start_s, 1.000002, 1e-11);
  const auto violation = find_violation(platform, problem, trace);
  EXPECT_EQ(violation ? violation->message : "", "");
}

}  // namespace
}  // namespace starport
