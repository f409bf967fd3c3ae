// Two processors and a link: HCW'06.
#include "sim/spmd/two_processors.hpp"

#include "sim/files/error.hpp"
#include "sim/spmd/simgrid/simgrid_runs.hpp"
#include "sim/spmd/validator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <string>

namespace starport::spmd {
namespace {

TwoProcessors pair(double ratio, double megabits_per_s = 80) {
  return {.N = 6500,
          .fast_flops = 4.82e9,
          .slow_flops = 4.82e9 / ratio,
          .bandwidth_bytes_per_s = megabits_per_s * 1e6 / 8};
}

BulkRun run(const TwoProcessors& problem, Shape shape, const BulkOptions& options = {}) {
  return run_bulk(problem, plan_bulk(problem, shape, options));
}

TEST(TwoProcessors, GoldenTimes) {
  const TwoProcessors problem = pair(15);
  EXPECT_EQ(plan_bulk(problem, Shape::square_corner).cut, 1625);
  EXPECT_EQ(plan_bulk(problem, Shape::straight_line).cut, 406);
  EXPECT_NEAR(run(problem, Shape::square_corner).communication_s, 16.9, 1e-9);
  EXPECT_NEAR(run(problem, Shape::straight_line).communication_s, 33.8, 1e-9);
  EXPECT_NEAR(run(problem, Shape::square_corner).makespan_s, 123.7303, 5e-5);
  EXPECT_NEAR(run(problem, Shape::straight_line).makespan_s, 140.6346, 5e-5);
  EXPECT_NEAR(run(problem, Shape::sequential).makespan_s, 113.9523, 5e-5);
  EXPECT_NEAR(run(problem, Shape::square_corner, {.overlap = Overlap::both}).makespan_s, 106.8303,
              5e-5);
}

TEST(TwoProcessors, TheCrossOverIsAtThree) {
  for (int r = 1; r <= 25; ++r) {
    const TwoProcessors problem = pair(r);
    const double corner = run(problem, Shape::square_corner).communication_s;
    const double straight = run(problem, Shape::straight_line).communication_s;
    if (r == 3) {
      EXPECT_DOUBLE_EQ(corner, straight);
    } else {
      EXPECT_EQ(corner<straight, r> 3) << r;
    }
  }
  // With both directions at once it is elsewhere: at r = 3 the straight line is slower.
  const BulkOptions both{.both_directions = true};
  EXPECT_LT(run(pair(3), Shape::square_corner, both).communication_s,
            run(pair(3), Shape::straight_line, both).communication_s);
}

TEST(TwoProcessors, FortyFivePercentLessCommunication) {
  for (const double bandwidth : {80.0, 380.0}) {
    double saved = 0;
    for (int r = 4; r <= 25; ++r) {
      saved += 1 - run(pair(r, bandwidth), Shape::square_corner).communication_s /
                       run(pair(r, bandwidth), Shape::straight_line).communication_s;
    }
    EXPECT_NEAR(saved / 22, 0.4499, 5e-5);
  }
}

TEST(TwoProcessors, TheStraightLineLosesToOneProcessorBeyondFifteen) {
  for (int r = 4; r <= 25; ++r) {
    const double straight = run(pair(r, 380), Shape::straight_line).makespan_s;
    const double sequential = run(pair(r, 380), Shape::sequential).makespan_s;
    EXPECT_EQ(straight < sequential, r <= 15) << r;
    EXPECT_GT(run(pair(r), Shape::straight_line).makespan_s, sequential) << r;
  }
}

TEST(TwoProcessors, TheBestCutIsTheBestOfAll) {
  TwoProcessors problem = pair(7);
  problem.N = 300;
  for (const auto overlap : {Overlap::none, Overlap::fast, Overlap::both}) {
    BulkOptions options{.overlap = overlap};
    const std::int64_t best = best_cut(problem, Shape::square_corner, options);
    options.cut = best;
    const double least_s = run(problem, Shape::square_corner, options).makespan_s;
    for (std::int64_t q = 1; q < problem.N; ++q) {
      options.cut = q;
      EXPECT_LE(least_s, run(problem, Shape::square_corner, options).makespan_s);
    }
  }
  // P1 alone overlapping gains nothing by area, where P2 rules, and something at its best q.
  const BulkOptions by_area{.overlap = Overlap::fast};
  BulkOptions by_time = by_area;
  by_time.cut = best_cut(pair(15), Shape::square_corner, by_area);
  const double area_s = run(pair(15), Shape::square_corner, by_area).makespan_s;
  EXPECT_NEAR(area_s, run(pair(15), Shape::square_corner).makespan_s, 0.11);
  EXPECT_LT(run(pair(15), Shape::square_corner, by_time).makespan_s, area_s - 5);
}

TEST(TwoProcessors, OnlyACornerOverlaps) {
  try {
    plan_bulk(pair(3), Shape::straight_line, {.overlap = Overlap::both});
    FAIL() << "accepted";
  } catch (const NotApplicable& reason) {
    EXPECT_STREQ(reason.what(), "only the square corner has elements that need no message");
  }
}

TEST(TwoProcessors, SimgridSaysTheSame) {
  for (const auto shape : {Shape::square_corner, Shape::straight_line, Shape::sequential}) {
    for (const bool both : {false, true}) {
      for (const auto overlap : {Overlap::none, Overlap::fast, Overlap::both}) {
        if (overlap != Overlap::none && shape != Shape::square_corner) continue;
        TwoProcessors problem = pair(6, 100);
        problem.latency_s = 0.25;
        const BulkPlan plan =
            plan_bulk(problem, shape, {.both_directions = both, .overlap = overlap});
        const BulkRun exact = run_bulk(problem, plan);
        const BulkRun simulated = simulate_bulk(problem, plan);
        EXPECT_NEAR(simulated.makespan_s, exact.makespan_s, 1e-9 * exact.makespan_s);
        EXPECT_NEAR(simulated.fast.end_s, exact.fast.end_s, 1e-9 * exact.makespan_s);
        EXPECT_NEAR(simulated.slow.end_s, exact.slow.end_s, 1e-9 * exact.makespan_s);
        for (std::size_t k = 0; k < exact.messages.size(); ++k) {
          EXPECT_NEAR(simulated.messages[k].start_s, exact.messages[k].start_s,
                      1e-9 * exact.makespan_s);
          EXPECT_NEAR(simulated.messages[k].end_s, exact.messages[k].end_s,
                      1e-9 * exact.makespan_s);
        }
      }
    }
  }
}

// Of a product of one element, the slower processor may get all.
TEST(TwoProcessors, SimgridSaysTheSameWhereTheSlowerOneComputesAll) {
  TwoProcessors problem = pair(2);
  problem.N = 1;
  const BulkPlan plan = plan_bulk(problem, Shape::straight_line, {.cut = 1});
  ASSERT_EQ(plan.fast.local_flops + plan.fast.rest_flops, 0);
  EXPECT_DOUBLE_EQ(simulate_bulk(problem, plan).makespan_s, run_bulk(problem, plan).makespan_s);
}

TEST(TwoProcessors, ARunHasTheDatesOfItsPartsAndAllMessages) {
  const TwoProcessors problem = pair(6);
  const BulkPlan plan = plan_bulk(problem, Shape::square_corner);
  const BulkRun right = run_bulk(problem, plan);
  validate(problem, plan, right);
  const auto fault = [&](const std::function<void(BulkRun&)>& change) {
    BulkRun run = right;
    change(run);
    try {
      validate(problem, plan, run);
    } catch (const SimulationError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(fault([](BulkRun& run) { run.messages.pop_back(); }), "3 of 4 messages");
  EXPECT_EQ(fault([](BulkRun& run) { run.messages.push_back(run.messages.back()); }),
            "5 of 4 messages");
  EXPECT_TRUE(fault([](BulkRun& run) {
                run.communication_s -= 1;
              }).starts_with("the communication ends at "));
  EXPECT_TRUE(fault([](BulkRun& run) { run.makespan_s *= 2; }).starts_with("the run ends at "));
}

// An engine would execute each of these plans faithfully.
TEST(TwoProcessors, APlanHasTheMessagesAndTheWorkOfItsShape) {
  const TwoProcessors problem = pair(6);
  const auto fault = [&](const std::function<void(BulkPlan&)>& change) {
    BulkPlan plan = plan_bulk(problem, Shape::square_corner, {.overlap = Overlap::both});
    change(plan);
    try {
      validate(problem, plan, run_bulk(problem, plan));
    } catch (const SimulationError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(fault([](BulkPlan&) {}), "accepted");
  EXPECT_TRUE(fault([](BulkPlan& plan) { --plan.messages[1].elements; }).starts_with("message 2 "));
  EXPECT_TRUE(fault([](BulkPlan& plan) { plan.messages[2].from = 0; }).starts_with("message 3 "));
  EXPECT_EQ(fault([](BulkPlan& plan) { plan.messages.pop_back(); }), "3 of 4 messages");
  EXPECT_TRUE(fault([](BulkPlan& plan) { plan.fast.rest_flops *= 0.9; }).starts_with("P1 has "));
  EXPECT_TRUE(fault([](BulkPlan& plan) {
                std::swap(plan.slow.rest_flops, plan.slow.local_flops);
              }).starts_with("P2 has "));
}

// At three to one, the slower processor can compute half of its square before the messages.
TEST(TwoProcessors, BothHalvesOfTheWorkAreChecked) {
  const TwoProcessors problem = pair(3);
  const BulkPlan plan = plan_bulk(problem, Shape::square_corner, {.overlap = Overlap::both});
  ASSERT_EQ(plan.slow.local_flops, plan.slow.rest_flops);
  BulkRun run = run_bulk(problem, plan);
  run.slow.rest_start_s += 1;
  try {
    validate(problem, plan, run);
    FAIL() << "accepted";
  } catch (const SimulationError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("P2 starts the rest at ")) << error.what();
  }
}

}  // namespace
}  // namespace starport::spmd
