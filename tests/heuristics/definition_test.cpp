// The accelerated computations (heuristics/star/fast) make the same plans as the definitions, with
// any ties.
#include "heuristics/star/demand_driven.hpp"
#include "heuristics/star/fast/indexed_requests.hpp"
#include "heuristics/star/fast/large_platforms.hpp"
#include "heuristics/star/het.hpp"
#include "heuristics/star/min_min.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/analytic_run.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
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
  return compute_step_costs(instance.platform, instance.problem, kOptimizedOverlapped);
}

/// Instances of few sizes.
struct Several {
  explicit Several(std::uint64_t count) {
    for (std::uint64_t seed = 0; seed < count; seed += test::kSeedStride) {
      instances.push_back(tied_instance(seed, 3, 5));
    }
    for (const auto& instance : instances) costs.push_back(costs_of(instance));
  }

  std::vector<test::RandomInstance> instances;
  std::vector<std::vector<StepCosts>> costs;
};

std::vector<Transfer> run(Dispatcher& dispatcher, const test::RandomInstance& instance) {
  return to_transfers(run_to_trace(dispatcher, instance.platform, instance.problem));
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
      const auto scanned = make_demand_driven<ScannedRequests>(platform, problem, *layout);
      const auto followed = make_demand_driven<fast::IndexedRequests>(platform, problem, *layout);
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
    const StepOrder order = min_min_order(costs, instance.problem);
    ASSERT_TRUE(order == fast::min_min_by_ends(costs, instance.problem)) << "seed " << seed;
  }
}

/// Those alike in look-ahead beside each other.
std::vector<Selection> all_selections(const std::vector<StepCosts>& costs, const Problem& problem) {
  std::vector<Selection> selections;
  for (const bool look_ahead : {false, true}) {
    for (const Variant& variant : kVariants) {
      if (variant.look_ahead != look_ahead) continue;
      selections.push_back({.variant = variant, .costs = &costs, .problem = &problem});
    }
  }
  return selections;
}

TEST(Definition, VariantsOfHet) {
  for (std::uint64_t seed = 0; seed < 200; seed += test::kSeedStride) {
    const auto instance = tied_instance(seed);
    const auto costs = costs_of(instance);
    const auto selections = all_selections(costs, instance.problem);
    auto lanes = fast::select_in_lanes(selections);
    for (std::size_t n = 0; n < selections.size(); ++n) {
      const StepOrder order = select_steps(selections[n]).finish(kUnknown);
      const std::string name = selections[n].variant.name();
      ASSERT_FALSE(order.empty());
      ASSERT_TRUE(order == lanes[n].finish(kUnknown)) << name << ", seed " << seed;
      ASSERT_TRUE(order == fast::select_by_bounds(selections[n]).finish(kUnknown))
          << name << ", seed " << seed;
    }
  }
}

/// Expects the same orders from the definition and by bounds.
void expect_the_same_orders(const test::RandomInstance& instance, std::uint64_t seed) {
  const auto costs = costs_of(instance);
  const auto selections = all_selections(costs, instance.problem);
  for (const Selection& selection : selections) {
    ASSERT_TRUE(select_steps(selection).finish(kUnknown) ==
                fast::select_by_bounds(selection).finish(kUnknown))
        << selection.variant.name() << ", seed " << seed;
  }
}

// Where nearly every worker has a side of its own.
TEST(Definition, HetWithManySides) {
  for (std::uint64_t seed = 0; seed < 60; seed += test::kSeedStride) {
    auto instance = tied_instance(seed, 20, 40);
    Random random(seed + 1);
    for (Worker& worker : instance.platform.workers) worker.m_blocks *= random.integer(1, 60);
    ASSERT_NO_FATAL_FAILURE(expect_the_same_orders(instance, seed));
  }
}

// One whose steps are larger than all others' together, and late.
TEST(Definition, HetWithOneLargeSide) {
  for (std::uint64_t seed = 0; seed < 24; seed += test::kSeedStride) {
    auto instance = tied_instance(seed, 20, 40);
    Random random(seed + 1);
    const double spread = std::pow(10, -2 * static_cast<double>(seed % 5));
    for (Worker& worker : instance.platform.workers) {
      const std::int64_t mu = random.integer(1, 40);
      worker.m_blocks = mu * (mu + 4);
      worker.c_s = static_cast<double>(mu) * (1 + spread * random.real(0, 1));
    }
    const std::int64_t largest = 1000 << seed % 8;
    instance.platform.workers.push_back({.c_s = 100. * static_cast<double>(largest),
                                         .w_s = 1,
                                         .m_blocks = largest * (largest + 4),
                                         .latency_s = 0});
    instance.problem = {.r = 20, .s = 60, .t = 3, .block_size = 80};
    ASSERT_NO_FATAL_FAILURE(expect_the_same_orders(instance, seed));
  }
}

// Of a hundred sides, the large of which are worth waiting for after one of many others.
TEST(Definition, HetWithAHundredSides) {
  for (std::uint64_t seed = 0; seed < 6; seed += test::kSeedStride) {
    auto instance = tied_instance(seed, 80, 120);
    Random random(seed + 1);
    for (Worker& worker : instance.platform.workers) {
      const std::int64_t mu = random.integer(6, 105);
      worker.m_blocks = mu * (mu + 4);
      worker.w_s *= std::exp2(static_cast<double>(seed % 4));
    }
    instance.problem = {.r = 200, .s = 300, .t = 4, .block_size = 80};
    ASSERT_NO_FATAL_FAILURE(expect_the_same_orders(instance, seed));
  }
}

// Where most are busy for long, and the port waits for them or not.
TEST(Definition, HetWithManyWorkers) {
  for (std::uint64_t seed = 0; seed < 20; seed += test::kSeedStride) {
    auto instance = tied_instance(seed, 40, 80);
    const double slower = std::exp2(static_cast<double>(seed % 10));
    for (Worker& worker : instance.platform.workers) {
      worker.w_s *= slower;
      if (seed % 4 == 0) worker.latency_s = worker.c_s / 3;
    }
    instance.problem.s = 100;
    ASSERT_NO_FATAL_FAILURE(expect_the_same_orders(instance, seed));
  }
}

// Ratios that grow by less than the tolerance from one worker to the next: the scan must be
// followed from far below the best.
TEST(Definition, HetWithChainsOfTies) {
  for (std::uint64_t seed = 0; seed < 300; seed += test::kSeedStride) {
    Random random(seed);
    test::RandomInstance instance;
    const double step = 1e-10 * std::exp2(static_cast<double>(seed % 5));
    double c_s = 1;
    for (std::int64_t p = random.integer(15, 60); p > 0; --p) {
      instance.platform.workers.push_back(
          {.c_s = c_s -= random.real(0, step), .w_s = seed % 2 == 0 ? 1e-3 : 100, .m_blocks = 60});
    }
    instance.problem = {.r = 12, .s = 40, .t = 4, .block_size = 80};
    ASSERT_NO_FATAL_FAILURE(expect_the_same_orders(instance, seed));
  }
}

// Of several instances at once, in vectors of each width, as of each alone.
TEST(Definition, HetOnSeveralInstances) {
  const Several several(200);
  const auto& [instances, costs] = several;
  std::vector<Selection> selections;
  for (const Variant& variant : kVariants) {
    for (std::size_t n = 0; n < instances.size(); ++n) {
      selections.push_back(
          {.variant = variant, .costs = &costs[n], .problem = &instances[n].problem});
    }
  }
  const auto by_shape = [](const Selection& x) {
    return std::pair(x.variant.look_ahead, x.costs->size());
  };
  std::ranges::stable_sort(selections, {}, by_shape);
  std::vector<StepOrder> expected;
  for (const Selection& selection : selections) {
    expected.push_back(select_steps(selection).finish(kUnknown));
  }
  for (const std::size_t max_lanes : {2, 3, 4, 8, 16}) {
    auto orders = fast::select_in_lanes(selections, max_lanes);
    for (std::size_t n = 0; n < selections.size(); ++n) {
      ASSERT_TRUE(orders[n].finish(kUnknown) == expected[n])
          << max_lanes << " lanes, selection " << n;
    }
  }
}

// The plans of several instances, of different sizes, with orders given up, are those of each.
TEST(Definition, HetOfEach) {
  std::vector<test::RandomInstance> instances;
  for (std::uint64_t seed = 1000; seed < 1030; ++seed) {
    instances.push_back(tied_instance(seed, 1, 6));
  }
  std::vector<Instance> bare;
  for (const auto& [platform, problem] : instances) bare.push_back({&platform, &problem});
  const auto plans = fast::plan_het_batch({}, bare);
  ASSERT_EQ(plans.size(), instances.size());
  for (std::size_t n = 0; n < plans.size(); ++n) {
    const Plan alone = plan_het({}, instances[n].platform, instances[n].problem);
    EXPECT_EQ(plans[n].details, alone.details);
    ASSERT_TRUE(run(*plans[n].dispatcher, instances[n]) == run(*alone.dispatcher, instances[n]))
        << "instance " << n;
  }
}

// Planned in threads, they are the same: of few workers and of many.
TEST(Definition, HetInThreads) {
  for (std::uint64_t seed = 0; seed < 300; seed += test::kSeedStride) {
    const auto instance = seed % 10 == 0 ? tied_instance(seed, 41, 60) : tied_instance(seed);
    const Instance bare{&instance.platform, &instance.problem};
    const Plan planned = fast::plan_het_in_threads({}, bare, 3);
    const Plan alone = plan_het({}, instance.platform, instance.problem);
    EXPECT_EQ(planned.details, alone.details);
    ASSERT_TRUE(run(*planned.dispatcher, instance) == run(*alone.dispatcher, instance))
        << "seed " << seed;
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
    for (const Variant& variant : kVariants) {
      StepOrder order = select_steps({variant, &costs, &problem}).finish(kUnknown);
      const double makespan_s = order_makespan_s(order, platform, problem, kOptimizedOverlapped);
      if (!clearly_less(makespan_s, best_s)) continue;
      best.swap(order);
      best_s = makespan_s;
    }
    const auto dispatcher = make_order_dispatcher(best, platform, problem, kOptimizedOverlapped);
    ASSERT_TRUE(run(*dispatcher, instance) ==
                to_transfers(test::by_recurrence("Het", platform, problem)))
        << "seed " << seed;
  }
}

void expect_as_defined(const Platform& platform, const Problem& problem, std::uint64_t seed) {
  const VirtualPlatform plain = find_best_virtual_platform(platform, problem, Thresholds::all);
  const VirtualPlatform fast = fast::find_best_virtual_platform(platform, problem);
  ASSERT_EQ(fast.worker, plain.worker) << "seed " << seed;
  ASSERT_EQ(fast.side, plain.side) << "seed " << seed;
  ASSERT_EQ(fast.enrolled, plain.enrolled) << "seed " << seed;
}

TEST(Definition, HomI) {
  for (std::uint64_t seed = 0; seed < 1500; seed += test::kSeedStride) {
    auto [platform, problem] = tied_instance(seed, 1, 6);
    if (seed % 5 == 0) {
      for (Worker& worker : platform.workers) worker.latency_s = worker.w_s / 3;
    }
    expect_as_defined(platform, problem, seed);
  }
}

/// Links, speeds and memories that have to do with each other, or differ within the tolerance, or
/// are few; workers that saturate the port, or do not by far.
test::RandomInstance shaped_instance(std::uint64_t seed, int p) {
  Random random(seed);
  test::RandomInstance instance;
  const double speed = std::pow(10, random.real(-2, 1)) * p;
  for (int i = 0; i < p; ++i) {
    const double x = random.real(1, 4);
    const double y = random.real(1, 4);
    const std::int64_t m_blocks = random.integer(1, 300);
    const std::array shapes{
        Worker{.c_s = x, .w_s = y, .m_blocks = m_blocks},
        Worker{.c_s = x, .w_s = y, .m_blocks = m_blocks, .latency_s = random.real(0, 9)},
        Worker{.c_s = x, .w_s = x, .m_blocks = m_blocks, .latency_s = 2},
        Worker{.c_s = x, .w_s = 5 - x, .m_blocks = 20 + m_blocks % 3},
        Worker{.c_s = x, .w_s = y, .m_blocks = static_cast<std::int64_t>(100 * x * y)},
        Worker{.c_s = 1 + 1e-9 * x, .w_s = 1 + 1e-9 * y, .m_blocks = m_blocks},
        Worker{.c_s = std::round(x), .w_s = std::round(y), .m_blocks = m_blocks},
        Worker{.c_s = std::exp(3 * x),
               .w_s = std::exp(3 * y),
               .m_blocks = std::int64_t{1} << m_blocks % 40}};
    instance.platform.workers.push_back(shapes[seed % shapes.size()]);
    instance.platform.workers.back().w_s *= speed;
  }
  instance.platform.workers.front().m_blocks = 100;
  instance.problem = {.r = random.integer(1, 60),
                      .s = random.integer(1, 20 * p),
                      .t = random.integer(1, 50),
                      .block_size = 80};
  return instance;
}

TEST(Definition, HomIOnMoreWorkers) {
  for (std::uint64_t seed = 0; seed < 1200; seed += test::kSeedStride) {
    const auto [platform, problem] = shaped_instance(seed, 2 + static_cast<int>(seed % 19));
    expect_as_defined(platform, problem, seed);
  }
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const auto [platform, problem] = shaped_instance(seed, 60);
    expect_as_defined(platform, problem, seed);
  }
  auto [platform, problem] = shaped_instance(0, 300);  // 450,000 triples
  for (Worker& worker : platform.workers) worker.m_blocks = 40 + 20 * (worker.m_blocks % 5);
  expect_as_defined(platform, problem, 0);
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
    const auto dispatcher = make_algorithm_1(all, candidate.side, problem);
    const double makespan_s = test::makespan(run_to_trace(*dispatcher, identical, problem));
    EXPECT_NEAR(estimate_makespan_s(candidate, problem), makespan_s, 1e-12 * makespan_s)
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace starport
