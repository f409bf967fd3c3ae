// What is fast chooses as the definitions do, whatever coincides.
#include "heuristics/star/demand_driven.hpp"
#include "heuristics/star/fast/followed_requests.hpp"
#include "heuristics/star/fast/for_many.hpp"
#include "heuristics/star/het.hpp"
#include "heuristics/star/min_min.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/recurrence.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <numeric>

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

std::vector<StepCosts> costs_of(const test::RandomInstance& instance) {
  return step_costs(instance.platform, instance.problem, kOptimizedOverlapped);
}

std::vector<Transfer> run(Dispatcher& dispatcher, const test::RandomInstance& instance) {
  return transfers_of(trace_by_recurrence(dispatcher, instance.platform, instance.problem));
}

TEST(Definition, DemandDriven) {
  int two_ports = 0;
  for (std::uint64_t seed = 0; seed < 2000; seed += test::kSeedStride) {
    auto instance = seed % 50 == 49 ? tied_instance(seed, 64, 128) : tied_instance(seed);
    if (seed % 4 == 0) instance.platform.port.kind = Port::Kind::two;
    two_ports += seed % 4 == 0 ? 1 : 0;
    for (const MemoryLayout* layout :
         {&kOptimizedOverlapped, &kOptimized, &kToledo, &kToledoOverlapped}) {
      const auto& [platform, problem] = instance;
      const auto scanned = demand_driven<ScannedRequests>(platform, problem, *layout);
      const auto followed = demand_driven<fast::FollowedRequests>(platform, problem, *layout);
      ASSERT_TRUE(run(*scanned, instance) == run(*followed, instance))
          << layout->name << ", seed " << seed;
    }
  }
  EXPECT_GT(two_ports, 10);
}

TEST(Definition, MinMin) {
  for (std::uint64_t seed = 0; seed < 2000; seed += test::kSeedStride) {
    const auto instance = seed % 50 == 49 ? tied_instance(seed, 64, 128) : tied_instance(seed);
    const auto costs = costs_of(instance);
    ASSERT_TRUE(min_min_order(costs, instance.problem) ==
                fast::min_min_by_ends(costs, instance.problem))
        << "seed " << seed;
  }
}

TEST(Definition, VariantsOfHet) {
  for (std::uint64_t seed = 0; seed < 200; seed += test::kSeedStride) {
    const auto instance = tied_instance(seed);
    const auto costs = costs_of(instance);
    const std::array<Variant, 8> neighbours{kVariants[0], kVariants[1], kVariants[4], kVariants[5],
                                            kVariants[2], kVariants[3], kVariants[6], kVariants[7]};
    auto one = select_workers(neighbours, costs, instance.problem, kUnknown, false);
    auto several = select_workers(neighbours, costs, instance.problem, kUnknown);
    auto groups = fast::select_by_groups(neighbours, costs, instance.problem, kUnknown);
    for (std::size_t n = 0; n < neighbours.size(); ++n) {
      const StepOrder order = one[n].take(kUnknown);
      ASSERT_FALSE(order.empty());
      ASSERT_TRUE(order == several[n].take(kUnknown)) << neighbours[n].name() << ", seed " << seed;
      ASSERT_TRUE(order == groups[n].take(kUnknown)) << neighbours[n].name() << ", seed " << seed;
    }
  }
}

// None is given up that would have been the best.
TEST(Definition, HetRunsTheBestVariant) {
  for (std::uint64_t seed = 0; seed < 1000; seed += test::kSeedStride) {
    const auto instance = tied_instance(seed);
    const auto& [platform, problem] = instance;
    StepOrder best;
    double best_s = kUnknown;
    const auto costs = costs_of(instance);
    for (PanelOrder& planned : select_workers(kVariants, costs, problem, kUnknown, false)) {
      StepOrder order = planned.take(kUnknown);
      const double makespan_s = order_makespan_s(order, platform, problem, kOptimizedOverlapped);
      if (!clearly_less(makespan_s, best_s)) continue;
      best.swap(order);
      best_s = makespan_s;
    }
    const auto dispatcher = run_order(best, platform, problem, kOptimizedOverlapped);
    ASSERT_TRUE(run(*dispatcher, instance) ==
                transfers_of(test::by_recurrence("Het", platform, problem)))
        << "seed " << seed;
  }
}

TEST(Definition, HomAndHomI) {
  for (std::uint64_t seed = 0; seed < 1500; seed += test::kSeedStride) {
    auto [platform, problem] = tied_instance(seed, 1, 6);
    if (seed % 5 == 0) {
      for (Worker& worker : platform.workers) worker.latency_s = worker.w_s / 3;
    }
    for (const Thresholds thresholds : {Thresholds::memory, Thresholds::all, Thresholds::own}) {
      const VirtualPlatform plain = best_virtual_platform(platform, problem, thresholds).best;
      const VirtualPlatform fast = fast::best_virtual_platform(platform, problem, thresholds).best;
      ASSERT_EQ(fast.worker, plain.worker) << "seed " << seed;
      ASSERT_EQ(fast.enrolled, plain.enrolled) << "seed " << seed;
    }
  }
}

// Row by row as the whole run.
TEST(Homogeneous, EstimateIsTheMakespanOfAlgorithm1) {
  for (std::uint64_t seed = 0; seed < 300; seed += test::kSeedStride) {
    const auto [platform, problem] = tied_instance(seed);
    Worker worker = platform.workers.front();
    worker.m_blocks += 5;
    worker.latency_s = seed % 2 == 0 ? 0 : worker.w_s / 3;
    const VirtualPlatform candidate(worker, static_cast<std::int64_t>(platform.workers.size()));
    std::vector<int> all(static_cast<std::size_t>(candidate.enrolled));
    std::iota(all.begin(), all.end(), 0);
    const Platform identical = test::star(PerWorker<Worker>(all.size(), worker));
    const auto dispatcher = algorithm_1(all, candidate.side, problem);
    const double makespan_s = test::makespan(trace_by_recurrence(*dispatcher, identical, problem));
    EXPECT_NEAR(estimate_s(candidate, problem), makespan_s, 1e-12 * makespan_s) << "seed " << seed;
  }
}

// Thresholds thinned out: still values present, the extremes among them.
TEST(Homogeneous, HomIOnTooManyTriples) {
  Platform platform;
  for (int i = 0; i < 100; ++i) {
    platform.workers.push_back({.c_s = 1 + 0.01 * ((7 * i) % 100),
                                .w_s = 1 + 0.03 * ((13 * i) % 100),
                                .m_blocks = 20 + i,
                                .latency_s = 0});
  }
  const Problem problem{.r = 20, .s = 100, .t = 5, .block_size = 80};
  const Extraction all = fast::best_virtual_platform(platform, problem, Thresholds::all);
  EXPECT_EQ(all.thinned, "");
  const Extraction some = fast::best_virtual_platform(platform, problem, Thresholds::all, 1000);
  EXPECT_EQ(some.thinned, "10 of 100 memories, 10 of 100 links, 10 of 100 speeds");
  EXPECT_GE(estimate_s(some.best, problem), estimate_s(all.best, problem));
  EXPECT_LT(estimate_s(some.best, problem), 1.2 * estimate_s(all.best, problem));
  EXPECT_GE(std::count_if(platform.workers.begin(), platform.workers.end(),
                          [&](const Worker& worker) { return some.best.admits(worker); }),
            some.best.enrolled);
}

}  // namespace
}  // namespace starport
