// The heuristics choose as their plain definitions do, whatever coincides.
#include "tests/heuristics/plain_heuristics.hpp"

#include "heuristics/star/lanes.hpp"
#include "heuristics/star/planning.hpp"
#include "heuristics/star/selection.hpp"
#include "heuristics/star/virtual_platform.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/recurrence.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

/// Up to `most` workers, at least `fewest`, drawn from a few kinds or all different; c and w are
/// integers, integers in steps of 0.9e-10 (so that near-equal dates form chains) or reals.
test::RandomInstance tied_instance(std::uint64_t seed, std::int64_t fewest = 1,
                                   std::int64_t most = 24) {
  Random random(seed);
  const auto figure = [&] {
    const auto whole = static_cast<double>(random.integer(1, 4));
    if (seed % 3 == 0) return whole;
    if (seed % 3 == 1) return whole * (1 + 0.9e-10 * static_cast<double>(random.integer(0, 30)));
    return random.real(0.5, 8);
  };
  const auto worker = [&] {
    return Worker{
        .c_s = figure(), .w_s = figure(), .m_blocks = random.integer(3, 60), .latency_s = 0};
  };
  std::vector<Worker> kinds{Worker{.c_s = 1, .w_s = 1, .m_blocks = 12, .latency_s = 0}};
  for (std::int64_t i = random.integer(0, 4); i > 0; --i) kinds.push_back(worker());
  const bool few_kinds = random.integer(0, 1) == 0;
  test::RandomInstance instance;
  for (std::int64_t p = random.integer(fewest, most); p > 0; --p) {
    const auto kind = static_cast<std::size_t>(random.integer(0, kinds.size() - 1));
    instance.platform.workers.push_back(few_kinds ? kinds[kind] : worker());
  }
  instance.platform.workers.push_back(kinds.front());  // usable under every layout
  instance.problem = {.r = random.integer(1, 12),
                      .s = random.integer(1, 40),
                      .t = random.integer(1, 8),
                      .block_size = 80};
  return instance;
}

std::vector<Transfer> fast(const char* name, const test::RandomInstance& instance) {
  return transfers_of(test::by_recurrence(name, instance.platform, instance.problem));
}

TEST(PlainDefinition, DemandDriven) {
  const std::vector<std::pair<const char*, const MemoryLayout*>> heuristics{
      {"ODDOML", &kOptimizedOverlapped},
      {"DDOML", &kOptimized},
      {"BMM", &kToledo},
      {"OBMM", &kToledoOverlapped}};
  for (std::uint64_t seed = 0; seed < 2000; seed += test::kSeedStride) {
    const auto instance = tied_instance(seed);
    for (const auto& [name, layout] : heuristics) {
      ASSERT_TRUE(fast(name, instance) ==
                  test::plain_demand_driven(instance.platform, instance.problem, *layout))
          << name << ", seed " << seed;
    }
  }
}

// Past kFewWorkers, no scan.
TEST(PlainDefinition, ManyWorkers) {
  for (std::uint64_t seed = 0; seed < 60; seed += test::kSeedStride) {
    auto [platform, problem] = tied_instance(seed, kFewWorkers, 2 * kFewWorkers);
    problem.s *= 5;
    const test::RandomInstance instance{platform, problem};
    ASSERT_TRUE(fast("ODDOML", instance) ==
                test::plain_demand_driven(platform, problem, kOptimizedOverlapped))
        << "seed " << seed;
    ASSERT_TRUE(fast("BMM", instance) == test::plain_demand_driven(platform, problem, kToledo))
        << "seed " << seed;
    problem.s /= 5;
    ASSERT_TRUE(fast("OMMOML", {platform, problem}) == test::plain_min_min(platform, problem))
        << "seed " << seed;
  }
}

TEST(PlainDefinition, RoundRobinAndMinMin) {
  for (std::uint64_t seed = 0; seed < 2000; seed += test::kSeedStride) {
    const auto instance = tied_instance(seed);
    const auto& [platform, problem] = instance;
    ASSERT_TRUE(fast("ORROML", instance) == test::plain_round_robin(platform, problem))
        << "seed " << seed;
    ASSERT_TRUE(fast("OMMOML", instance) == test::plain_min_min(platform, problem))
        << "seed " << seed;
  }
}

TEST(PlainDefinition, SelectionsOfHet) {
  for (std::uint64_t seed = 0; seed < 200; seed += test::kSeedStride) {
    const auto [platform, problem] = tied_instance(seed);
    for (const auto select : {select_by_scan, select_by_groups}) {
      const auto orders = select(kSelections, platform, problem, kOptimizedOverlapped, kUnknown);
      for (std::size_t n = 0; n < kSelections.size(); ++n) {
        const auto dispatcher = run_order(orders[n], platform, problem, kOptimizedOverlapped);
        ASSERT_TRUE(transfers_of(trace_by_recurrence(*dispatcher, platform, problem)) ==
                    test::plain_selection(kSelections[n], platform, problem))
            << kSelections[n].name() << (select == select_by_scan ? ", scan" : ", groups")
            << ", seed " << seed;
      }
    }
  }
}

// None is given up that would have been the best.
TEST(PlainDefinition, HetRunsTheBestSelection) {
  for (std::uint64_t seed = 0; seed < 1000; seed += test::kSeedStride) {
    const auto instance = tied_instance(seed);
    StepOrder best;
    double best_s = kUnknown;
    for (StepOrder& order :
         select_steps(kSelections, instance.platform, instance.problem, kOptimizedOverlapped)) {
      const double makespan_s =
          order_makespan_s(order, instance.platform, instance.problem, kOptimizedOverlapped);
      if (!clearly_less(makespan_s, best_s)) continue;
      best.swap(order);
      best_s = makespan_s;
    }
    const auto dispatcher =
        run_order(best, instance.platform, instance.problem, kOptimizedOverlapped);
    ASSERT_TRUE(transfers_of(trace_by_recurrence(*dispatcher, instance.platform,
                                                 instance.problem)) == fast("Het", instance))
        << "seed " << seed;
  }
}

TEST(PlainDefinition, HomAndHomI) {
  for (std::uint64_t seed = 0; seed < 1500; seed += test::kSeedStride) {
    auto instance = tied_instance(seed);
    instance.platform.workers.erase(
        instance.platform.workers.begin(),
        instance.platform.workers.end() - static_cast<std::ptrdiff_t>(std::min<std::size_t>(
                                              7, instance.platform.workers.size())));
    if (seed % 5 == 0) {
      for (Worker& worker : instance.platform.workers) worker.latency_s = worker.w_s / 3;
    }
    for (const bool by_memory : {true, false}) {
      ASSERT_TRUE(fast(by_memory ? "Hom" : "HomI", instance) ==
                  test::plain_extraction(instance.platform, instance.problem, by_memory))
          << (by_memory ? "Hom" : "HomI") << ", seed " << seed;
    }
  }
}

// Thresholds thinned out: still values present, the extremes among them.
TEST(PlainDefinition, HomIOnTooManyTriples) {
  Platform platform;
  for (int i = 0; i < 100; ++i) {
    platform.workers.push_back({.c_s = 1 + 0.01 * ((7 * i) % 100),
                                .w_s = 1 + 0.03 * ((13 * i) % 100),
                                .m_blocks = 20 + i,
                                .latency_s = 0});
  }
  const Problem problem{.r = 20, .s = 100, .t = 5, .block_size = 80};
  const Extraction all = best_by_all_figures(platform, problem);
  EXPECT_EQ(all.thinned, "");
  const Extraction some = best_by_all_figures(platform, problem, 1000);
  EXPECT_EQ(some.thinned, "10 of 100 memories, 10 of 100 links, 10 of 100 speeds");
  EXPECT_GE(estimate_s(some.best, problem), estimate_s(all.best, problem));
  EXPECT_LT(estimate_s(some.best, problem), 1.2 * estimate_s(all.best, problem));
  EXPECT_GE(std::count_if(platform.workers.begin(), platform.workers.end(),
                          [&](const Worker& worker) { return some.best.admits(worker); }),
            some.best.enrolled);
}

}  // namespace
}  // namespace starport
