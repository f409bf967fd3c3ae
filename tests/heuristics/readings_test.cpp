// Other readings of the papers' words: HomI's own thresholds, min-min that counts C, Het by the
// dates of execution. What is expected is worked out by hand.
#include "heuristics/star/chunks.hpp"
#include "heuristics/star/homogeneous.hpp"
#include "heuristics/star/min_min.hpp"
#include "heuristics/star/planning.hpp"
#include "sim/files/error.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"
#include "tests/star/star_support.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <memory>

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
  PlanningClock coarse(costs);
  std::vector<double> exact_s, coarse_s;
  for (int step = 0; step < 4; ++step) {
    EXPECT_EQ(exact.workers[0].second_step_end_s(exact.step_end_s(exact.workers[0])),
              step == 0 ? 4 : 4 + 5.0 * step);
    exact.plan_step(0);
    coarse.plan_step(0);
    exact_s.push_back(exact.communication_end_s);
    coarse_s.push_back(coarse.communication_end_s);
  }
  EXPECT_EQ(exact_s, (std::vector<double>{2, 4, 9, 14}));
  EXPECT_EQ(coarse_s, (std::vector<double>{2, 7, 12, 17}));
  exact.rebase(14);  // the last updates end at 17 and 22
  EXPECT_EQ(exact.communication_end_s, 0);
  EXPECT_EQ(exact.workers[0].ready_s, 8);
  EXPECT_EQ(exact.workers[0].buffers_s, 3);
}

// The same where C counts, 3 s, and a chunk has two steps: the third message comes after the last
// update, the return and C; the port is free for others until then.
TEST(Readings, TheExactClockReturnsChunksWhereCCounts) {
  StepCosts cost = costs_of(0, 2, 5, 3, 10);
  cost.chunk_steps = 2;
  ExactClock clock({cost}, true);
  std::vector<double> received_s;
  for (int step = 0; step < 4; ++step) {
    clock.plan_step(0);
    received_s.push_back(clock.communication_end_s);
  }
  // C 0 to 3, steps at 5 and 7, updates until 10 and 15; home at 18, C at 21, steps at 23 and 25.
  EXPECT_EQ(received_s, (std::vector<double>{5, 7, 23, 25}));
}

// 9 columns: sides of 4 make panels of 4, 4 and 1 columns, three of 3 where they are even; two of a
// side of 5 cannot be equal, and one of 20 is more than there is.
TEST(Readings, EvenPanelsAreAsManyAsBefore) {
  const Problem problem{.r = 4, .s = 9, .t = 3, .block_size = 80};
  Platform platform;
  for (const std::int64_t side : {4, 5, 20}) {
    platform.workers.push_back(
        {.c_s = 1, .w_s = 1, .m_blocks = kOptimizedOverlapped.blocks(side) + 1});
  }
  platform.workers.push_back({.c_s = 1, .w_s = 1, .m_blocks = 4});  // no room for a chunk
  const Platform even = with_even_panels(platform, problem, kOptimizedOverlapped);
  std::vector<std::int64_t> sides;
  for (const Worker& worker : even.workers)
    sides.push_back(chunk_side(worker, kOptimizedOverlapped));
  EXPECT_EQ(sides, (std::vector<std::int64_t>{3, 5, 9, 0}));
}

// A worker whose thirds hold 15 x 15 elements: of blocks of 10 x 10 that is one, and 20 x 20
// elements of C are four chunks; cut anywhere they are 15 x 15, 15 x 5, 5 x 15 and 5 x 5. A and B:
// each of the four gets its rows and columns of 20 elements.
TEST(Readings, SquaresOfElements) {
  const PlatformFile file =
      parse_platform(test::json_of(R"({"schema_version": 1, "name": "one", "workers": [
        {"bandwidth": "1MBps", "speed": "1Mf", "memory": "5400B"}]})"),
                     "");
  const Case instance{file, parse_problem("20", 10)};
  const auto run = [&](const char* name, EngineKind engine) {
    const auto algorithms = model_registry().read_algorithms(name, "--heuristics");
    const Comparison comparison =
        compare(algorithms, instance, model_registry().models, {.engine = engine});
    EXPECT_EQ(comparison.records[0].error, "");
    return comparison.records[0].figures;
  };
  const double byte_s = 1e-6;
  for (const EngineKind engine : {EngineKind::analytic, EngineKind::simgrid}) {
    const Figures blocks = run("BMM", engine);
    const Figures elements = run("BMM[squares=elements]", engine);
    EXPECT_EQ(blocks.real(kBlocksMoved), 2 * 4 + 4 * 2 * 2);
    EXPECT_EQ(elements.real(kBlocksMoved), 2 * 4 + 4 * 2 * 2);
    EXPECT_EQ(elements.real(kBlockUpdates), 8);
    EXPECT_DOUBLE_EQ(elements.real(kCcr), 3);
    EXPECT_TRUE(is_none(elements[kTimesBound]));  // whose memory is in whole blocks
    // One worker, nothing overlaps: all transfers, then 2 x 20^3 operations at 1 Mf.
    EXPECT_NEAR(elements.real(kMakespan), 24 * 800 * byte_s + 16000e-6, 1e-9);
  }
  EXPECT_THROW(test::by_recurrence("BMM[squares=elements]", make_star(instance), instance.problem),
               NotApplicable);
  // Speeds that were measured with blocks do not hold for single elements.
  Case measured = instance;
  measured.file.entries[0].speed_function = {
      {.rows = 1, .columns = 1, .block_size = 10, .seconds = 2e-3},
      {.rows = 2, .columns = 2, .block_size = 10, .seconds = 9e-3}};
  EXPECT_THROW(to_elements(measured), NotApplicable);
}

// Three equal workers, panels of two chunks of three steps; C takes as long as a chunk computes.
// The first worker is at its second chunk when it must be sent C after its last update: the second
// worker, idle, has it sooner. Then the first is idle for longer than the third, which is not
// sooner: two take turns.
TEST(Readings, MinMinThatCountsCUsesTwoWorkers) {
  std::vector<StepCosts> costs;
  for (int worker = 0; worker < 3; ++worker) costs.push_back(costs_of(worker, 1, 2, 6, 6));
  const Problem problem{.r = 4, .s = 8, .t = 3, .block_size = 80};
  const StepOrder order = min_min_order(costs, problem, {.counts_c = true});
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
  const auto triples = find_own_thresholds(platform);
  ASSERT_EQ(triples.size(), 2U);
  EXPECT_EQ(triples[0], platform.workers[0]);
  EXPECT_EQ(triples[1], platform.workers[1]);
  EXPECT_EQ(make_virtual_platform(platform, triples[0]).enrolled, 2);
  EXPECT_EQ(make_virtual_platform(platform, triples[1]).enrolled, 1);
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
        std::pair("OMMOML", "OMMOML[count_c=no]"), std::pair("ODDOML", "ODDOML[serve=earliest]"),
        std::pair("ORROML", "ORROML[panels=full]"), std::pair("BMM", "BMM[squares=blocks]")}) {
    EXPECT_TRUE(transfers(plain) == transfers(asked)) << asked;
  }
}

// Chunks of 10 x 10 blocks are the fastest that fit, and cut 15 columns into two panels: of 8 and 7
// columns where they are even, although chunks of 7 x 7 blocks are faster than those of 8 x 8.
TEST(Readings, EvenPanelsAreAsManyWhereASmallerSideIsFaster) {
  const Problem problem{.r = 15, .s = 15, .t = 1, .block_size = 80};
  Worker worker{.c_s = 1e-6, .w_s = 0.1, .m_blocks = kOptimizedOverlapped.blocks(10)};
  worker.speeds = std::make_shared<const SpeedFunction>(
      std::vector<SpeedFunction::Point>{{49, 10}, {64, 8}, {100, 12}});
  const Platform platform = test::star({worker});
  ASSERT_EQ(chunk_side(platform.workers[0], kOptimizedOverlapped), 10);
  const Platform even = with_even_panels(platform, problem, kOptimizedOverlapped);
  EXPECT_EQ(chunk_side(even.workers[0], kOptimizedOverlapped), 8);
  EXPECT_EQ(even.workers[0].block_update_s(64), 1.0 / 8);
}

}  // namespace
}  // namespace starport
