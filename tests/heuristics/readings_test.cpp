// Other readings of the papers' words: HomI's own thresholds, min-min that counts C, Het by the
// dates of execution. What is expected is worked out by hand.
#include "heuristics/star/homogeneous.hpp"
#include "heuristics/star/min_min.hpp"
#include "heuristics/star/planning.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

StepCosts costs_of(std::int32_t worker, double ab_s, double computation_s, double c_s,
                   std::int64_t panel_steps) {
  return {.worker = worker,
          .mu = 2,
          .panel_steps = panel_steps,
          .updates = 4,
          .ab_s = ab_s,
          .c_s = c_s,
          .computation_s = computation_s,
          .column_s = 0};
}

// Messages of 2 s, updates of 5 s. Two sets of buffers: the third message waits for the first
// update, which ends at 7 s; by the papers' clock the second one does.
TEST(Readings, TheExactClockHasTwoSetsOfBuffers) {
  const std::vector<StepCosts> costs{costs_of(0, 2, 5, 0, 10)};
  ExactClock exact(costs);
  PlanningClock<> coarse(costs);
  std::vector<double> exact_s, coarse_s;
  for (int step = 0; step < 4; ++step) {
    EXPECT_EQ(ExactClock::second_end_s(exact.workers[0], exact.end_s(exact.workers[0])),
              step == 0 ? 4 : 4 + 5.0 * step);
    exact.choose_each(0);
    coarse.choose(0);
    exact_s.push_back(exact.communication_end_s);
    coarse_s.push_back(coarse.communication_end_s);
  }
  EXPECT_EQ(exact_s, (std::vector<double>{2, 4, 9, 14}));
  EXPECT_EQ(coarse_s, (std::vector<double>{2, 7, 12, 17}));
}

// Three equal workers, panels of two chunks of three steps; C takes as long as a chunk computes.
// The first worker is at its second chunk when it must be sent C after its last update: the second
// worker, idle, has it sooner. Then the first is idle for longer than the third, which is not
// sooner: two take turns.
TEST(Readings, MinMinThatCountsCUsesTwoWorkers) {
  std::vector<StepCosts> costs;
  for (int worker = 0; worker < 3; ++worker) costs.push_back(costs_of(worker, 1, 2, 6, 6));
  const Problem problem{.r = 4, .s = 8, .t = 3, .block_size = 80};
  const StepOrder order = min_min_order_with_c(costs, problem);
  EXPECT_EQ(order,
            (StepOrder{0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1}));
  // By the papers' rule they are all used, as many as the port feeds.
  const StepOrder plain = min_min_order(costs, problem);
  EXPECT_EQ(plain[0], 0);
  EXPECT_EQ(plain[1], 1);
}

// Workers (c, w, m) of (1, 2, 12) and (2, 1, 12): the fast link's and the fast processor's triples
// are nobody's together.
TEST(Readings, OwnThresholdsAreTheTriplesOfWorkers) {
  Platform platform;
  platform.workers = {{.c_s = 1, .w_s = 2, .m_blocks = 12},
                      {.c_s = 2, .w_s = 1, .m_blocks = 12},
                      {.c_s = 1, .w_s = 2, .m_blocks = 12}};
  const auto triples = own_thresholds(platform);
  ASSERT_EQ(triples.size(), 2U);
  EXPECT_EQ(triples[0], platform.workers[0]);
  EXPECT_EQ(triples[1], platform.workers[1]);
  EXPECT_EQ(extract(platform, triples[0]).enrolled, 2);
  EXPECT_EQ(extract(platform, triples[1]).enrolled, 1);
}

// Two equal workers: C, A and B take 4 s each, updates 16 s. Who asked first is served first: by
// turns. By index, the first worker is sent what its two sets of buffers hold, then the second one;
// at 24 s the first update is complete, and the first worker can receive again.
TEST(Readings, ByIndexTheFirstWorkerIsFilledFirst) {
  const Platform platform = test::star(PerWorker<Worker>(2, {.c_s = 1, .w_s = 4, .m_blocks = 12}));
  const Problem problem{.r = 2, .s = 4, .t = 3, .block_size = 80};
  const auto first_workers = [&](const char* name) {
    std::vector<int> workers;
    for (const auto& traced : test::by_recurrence(name, platform, problem)) {
      if (workers.size() < 7) workers.push_back(traced.transfer.worker);
    }
    return workers;
  };
  EXPECT_EQ(first_workers("ODDOML"), (std::vector<int>{0, 1, 0, 1, 0, 1, 0}));
  EXPECT_EQ(first_workers("ODDOML[serve=index]"), (std::vector<int>{0, 0, 0, 1, 1, 1, 0}));
}

TEST(Readings, ThePapersAreTheDefaults) {
  const Platform platform = test::star({{.c_s = 1, .w_s = 4.5, .m_blocks = 21},
                                        {.c_s = 1.5, .w_s = 4, .m_blocks = 32},
                                        {.c_s = 4, .w_s = 2, .m_blocks = 12}});
  const Problem problem{.r = 6, .s = 12, .t = 5, .block_size = 80};
  const auto transfers = [&](const char* name) {
    std::vector<Transfer> order;
    for (const auto& traced : test::by_recurrence(name, platform, problem)) {
      order.push_back(traced.transfer);
    }
    return order;
  };
  for (const auto& [plain, asked] :
       {std::pair("Het", "Het[clock=coarse]"), std::pair("HomI", "HomI[thresholds=all]"),
        std::pair("OMMOML", "OMMOML[count_c=no]"), std::pair("ODDOML", "ODDOML[serve=earliest]")}) {
    EXPECT_TRUE(transfers(plain) == transfers(asked)) << asked;
  }
}

}  // namespace
}  // namespace starport
