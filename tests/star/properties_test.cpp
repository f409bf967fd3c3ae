// What holds for every heuristic on every platform.
#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/bounds/makespan_bounds.hpp"
#include "sim/star/bounds/steady_state.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

/// The steady-state rate when chunks have the sides of the heuristic's own layout: DDOML's are
/// larger than the mu_i of the papers' bound.
double rate_bound(const Platform& platform, const Problem& problem, const MemoryLayout& layout) {
  Platform same_sides = platform;
  for (Worker& worker : same_sides.workers) {
    const std::int64_t side = layout.side(worker.m_blocks);
    worker.m_blocks = side == 0 ? 0 : kOptimizedOverlapped.blocks(side);
  }
  return steady_state(same_sides, problem).throughput_updates_per_s;
}

TEST(Properties, EveryHeuristicOnRandomPlatforms) {
  int simulated = 0;
  for (std::uint64_t seed = 1; seed <= 60; seed += test::kSeedStride) {
    const auto [platform, problem] = test::random_instance(seed);
    for (const NamedHeuristic& named : test::every_heuristic()) {
      SCOPED_TRACE(named.name + ", seed " + std::to_string(seed));
      Trace trace;
      try {
        trace = test::by_recurrence(named.name, platform, problem);
      } catch (const NotApplicable&) {
        continue;
      }
      ++simulated;
      const auto violation = find_violation(platform, problem, trace);
      ASSERT_FALSE(violation) << violation->transfer << ": " << violation->message;

      const Metrics metrics = compute_metrics(platform, trace);
      // Every update is done; C goes out and comes home; no step brings fewer blocks than the
      // largest chunk allows.
      EXPECT_EQ(metrics.block_updates, problem.updates());
      std::int64_t c_blocks = 0;
      for (const TracedTransfer& event : trace) c_blocks += event.transfer.c.size();
      EXPECT_EQ(c_blocks, 2 * problem.r * problem.s);
      EXPECT_LE(metrics.port_utilisation, 1 + 1e-9);

      EXPECT_FALSE(clearly_less(metrics.makespan_s, *any_schedule_bound_s(platform, problem)));
      if (const MemoryLayout* layout = named.heuristic->requirements().layout) {
        const double rate = static_cast<double>(problem.updates()) / metrics.makespan_s;
        EXPECT_FALSE(clearly_less(rate_bound(platform, problem, *layout), rate));
      }

      // The dates are those of the recurrence, whoever decided the order.
      const Trace exact = replay(platform, problem, to_transfers(trace));
      for (std::size_t i = 0; i < trace.size(); ++i) {
        ASSERT_NEAR(trace[i].dates.start_s, exact[i].dates.start_s, 1e-9 * exact[i].dates.end_s);
        ASSERT_NEAR(trace[i].dates.update_end_s, exact[i].dates.update_end_s,
                    1e-9 * exact[i].dates.update_end_s);
      }
    }
  }
  EXPECT_GT(simulated, 500 / static_cast<int>(test::kSeedStride));
}

// What is dated is what is traced: each message is that of its transfer.
TEST(Properties, MessagesAreThoseOfTheirTransfers) {
  for (std::uint64_t seed = 1; seed <= 200; seed += test::kSeedStride) {
    const auto instance = test::random_instance(seed);
    for (const NamedHeuristic& named : test::every_heuristic()) {
      if (named.name == "HoLM" && !instance.platform.is_homogeneous()) continue;
      const Plan plan = named.heuristic->plan(instance.platform, instance.problem);
      MasterView star(instance.platform, instance.problem);
      run_recurrence(*plan.dispatcher, star, [&](const Message& message, const Dates&) {
        ASSERT_EQ(message, to_message(plan.dispatcher->transfer()))
            << named.name << ", seed " << seed;
      });
    }
  }
}

// Where dates coincide, ties must fall alike on SimGrid, whose dates are not exact.
TEST(Properties, TiesFallAlikeOnSimgridAndInTheRecurrence) {
  for (std::uint64_t seed = 100; seed < 140; seed += 2 * test::kSeedStride) {
    const auto [platform, problem] = test::random_instance(seed, 1.0 / 3);
    for (const char* name : {"ODDOML", "DDOML", "BMM", "OBMM", "Het", "OMMOML"}) {
      const Trace exact = test::by_recurrence(name, platform, problem);
      const Trace simulated = test::simulate(name, platform, problem);
      EXPECT_EQ(to_transfers(simulated), to_transfers(exact)) << name << ", seed " << seed;
    }
  }
}

TEST(Properties, SameInputSameTrace) {
  const auto [platform, problem] = test::random_instance(7);
  const Trace one = test::simulate("ODDOML", platform, problem);
  const Trace two = test::simulate("ODDOML", platform, problem);
  ASSERT_EQ(one.size(), two.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].transfer, two[i].transfer);
    EXPECT_EQ(one[i].dates.update_end_s, two[i].dates.update_end_s);  // to the last bit
  }
}

}  // namespace
}  // namespace starport
