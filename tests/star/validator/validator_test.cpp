// The validator's must-fail cases: a valid trace, one thing broken.
#include "sim/star/validator/validator.hpp"

#include "sim/star/validator/block_rules.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace starport {
namespace {

// ORROML on two equal workers, mu = 2 in 12 blocks; r = s = 4, t = 3: two panels, two chunks each.
// Per worker: C, AB AB AB, R, C, AB AB AB, R: 20 transfers, alternating.
class ValidatorTest : public ::testing::Test {
 protected:
  Platform platform = test::star({{1, 1, 12, 0}, {1, 1, 12, 0}});
  Problem problem{4, 4, 3, 1};
  Trace trace = test::by_recurrence("ORROML", platform, problem);

  /// The message after a change to the transfers, dated again by the recurrence.
  std::string after(const std::function<void(std::vector<Transfer>&)>& change) {
    std::vector<Transfer> transfers = to_transfers(trace);
    change(transfers);
    const auto violation = find_violation(platform, problem, transfers);
    return violation ? std::to_string(violation->transfer) + ": " + violation->message : "valid";
  }
  /// The message after a change to the dates.
  std::string dated(const std::function<void(Trace&)>& change) {
    Trace changed = trace;
    change(changed);
    const auto violation = find_violation(platform, problem, changed);
    return violation ? std::to_string(violation->transfer) + ": " + violation->message : "valid";
  }
};

TEST_F(ValidatorTest, TheTraceItselfIsValid) {
  ASSERT_EQ(trace.size(), 20U);
  EXPECT_EQ(after([](auto&) {}), "valid");
  EXPECT_EQ(dated([](auto&) {}), "valid");
}

TEST_F(ValidatorTest, TheOrderThatTheOthersBuildOn) {
  // Transfers 0 and 1 send C, 2 to 7 the steps of both, 8 and 9 return C.
  for (std::size_t i = 0; i < 2; ++i) EXPECT_FALSE(trace[i].transfer.c.empty());
  for (std::size_t i = 2; i < 8; ++i) EXPECT_FALSE(trace[i].transfer.update.empty());
  for (std::size_t i = 8; i < 10; ++i) {
    EXPECT_EQ(trace[i].transfer.direction, Direction::to_master);
  }
}

TEST_F(ValidatorTest, PortBusy) {
  EXPECT_EQ(dated([](Trace& t) { t[1].dates.start_s = 3; }),
            "1: the transfer starts at 3 s, the port is busy until 4 s");
}

TEST_F(ValidatorTest, TransferTooShort) {
  EXPECT_EQ(dated([](Trace& t) { t[0].dates.end_s = 3.9; }),
            "0: the transfer lasts 3.9 s instead of 4 s");
}

TEST_F(ValidatorTest, UpdateTooShort) {
  EXPECT_EQ(dated([](Trace& t) { t[2].dates.update_end_s -= 0.5; }),
            "2: the update lasts 3.5 s instead of 4 s");
}

// A tenth of a second too short is seen at any date, and so is a late start.
TEST_F(ValidatorTest, DurationsAtLateDates) {
  EXPECT_EQ(dated([](Trace& t) {
              for (TracedTransfer& event : t) {
                Dates& dates = event.dates;
                for (double* date :
                     {&dates.start_s, &dates.end_s, &dates.update_start_s, &dates.update_end_s}) {
                  *date += 1 << 30;
                }
              }
              t[0].dates.start_s = 0;
            }),
            "0: the transfer lasts 1073741828 s instead of 4 s");
  platform.workers[0].w_s = 1e9;
  trace = test::by_recurrence("ORROML", platform, problem);
  EXPECT_EQ(dated([](Trace&) {}), "valid");
  EXPECT_EQ(dated([](Trace& t) { t.back().dates.end_s -= 0.1; }).substr(0, 23),
            "19: the transfer lasts ");
}

TEST_F(ValidatorTest, TransferTooLate) {
  EXPECT_EQ(dated([](Trace& t) {
              t.back().dates.start_s += 3;
              t.back().dates.end_s += 3;
              t.back().dates.update_start_s = t.back().dates.update_end_s = t.back().dates.end_s;
            }),
            "19: the transfer starts at 79 s, but it was due at 76 s");
}

TEST_F(ValidatorTest, UpdateTooLate) {
  EXPECT_EQ(dated([](Trace& t) {
              t[2].dates.update_start_s += 1;
              t[2].dates.update_end_s += 1;
            }),
            "2: the update starts at 13 s, but it was due at 12 s");
}

TEST_F(ValidatorTest, DatesOfNoUpdate) {
  EXPECT_EQ(dated([](Trace& t) { t[0].dates.update_end_s += 1; }),
            "0: dates for an update that does not exist");
}

TEST_F(ValidatorTest, NegativeRanges) {
  EXPECT_EQ(after([](auto& t) {
              t[0].a = {{0, -9}, {0, 1}};
            }),
            "0: a block is outside the matrices");
  EXPECT_EQ(after([](auto& t) {
              t[0].update.rows = {3, 1};
            }),
            "0: a block is outside the matrices");
}

TEST_F(ValidatorTest, UpdateBeforeItsData) {
  EXPECT_EQ(dated([](Trace& t) {
              t[2].dates.update_start_s -= 1;
              t[2].dates.update_end_s -= 1;
            }),
            "2: the update starts before its transfer has arrived");
}

TEST_F(ValidatorTest, TwoUpdatesAtOnce) {
  platform.workers[0].w_s = 10;
  trace = test::by_recurrence("ORROML", platform, problem);
  std::size_t second = 3;
  while (trace[second].transfer.worker != 0 || trace[second].transfer.update.empty()) ++second;
  EXPECT_EQ(dated([&](Trace& t) {
              t[second].dates.update_start_s -= 1;
              t[second].dates.update_end_s -= 1;
            }),
            std::to_string(second) + ": the update starts before the previous one has ended");
}

TEST_F(ValidatorTest, TransferBeforeTheUpdateItNames) {
  // The return of C starts, by its dates, before the last update has ended.
  platform.workers[1].w_s = 50;
  trace = test::by_recurrence("ORROML", platform, problem);
  const std::string said = dated([](Trace& t) {
    t.back().dates.start_s -= 1;
    t.back().dates.end_s -= 1;
  });
  EXPECT_NE(said.find("before the end of update"), std::string::npos) << said;
}

TEST_F(ValidatorTest, DateNotFinite) {
  EXPECT_EQ(dated([](Trace& t) { t[2].dates.update_end_s = kUnknown; }),
            "2: a date that is negative or not finite");
}

TEST_F(ValidatorTest, UpdateNotYetAllowed) {
  EXPECT_EQ(after([](auto& t) { t[8].after_update = 4; }),
            "8: the transfer waits for update 4 of worker 1, of which 3 exist");
}

TEST_F(ValidatorTest, UnknownWorker) {
  EXPECT_EQ(after([](auto& t) { t[3].worker = 7; }), "3: worker 8 is unknown: there are 2");
}

TEST_F(ValidatorTest, Nothing) {
  EXPECT_EQ(after([](auto& t) { t[0].c = {}; }), "0: the transfer carries nothing");
}

TEST_F(ValidatorTest, OutsideTheMatrices) {
  EXPECT_EQ(after([](auto& t) { t[0].c.columns.end = 5; }), "0: a block is outside the matrices");
  EXPECT_EQ(after([](auto& t) { t[2].update.inner.end = 4; }),
            "2: a block is outside the matrices");
}

TEST_F(ValidatorTest, OnlyCGoesBack) {
  EXPECT_EQ(after([](auto& t) {
              t[8].a = {{0, 1}, {0, 1}};
            }),
            "8: a transfer to the master carries only blocks of C and allows no update");
}

TEST_F(ValidatorTest, ReleaseWithoutUpdate) {
  EXPECT_EQ(after([](auto& t) {
              t[0].update.release_a = {{0, 1}, {0, 1}};
            }),
            "0: blocks are released at the end of an update that does not exist");
}

TEST_F(ValidatorTest, ReleaseOfWhatIsNotThere) {
  EXPECT_EQ(after([](auto& t) {
              t[2].update.release_b = {{2, 3}, {0, 2}};
            }),
            "2: B[2..2][0..1] is released, but not all of it is on worker 1");
}

TEST_F(ValidatorTest, MissingBlockOfA) {
  EXPECT_EQ(after([](auto& t) { t[2].a.rows.end = 1; }),
            "2: the update needs A[0..1][0..0], not all of it is on worker 1");
}

TEST_F(ValidatorTest, MissingBlockOfB) {
  EXPECT_EQ(after([](auto& t) { t[2].b = {}; }),
            "2: the update needs B[0..0][0..1], not all of it is on worker 1");
}

TEST_F(ValidatorTest, BlockSentAgain) {
  EXPECT_EQ(after([](auto& t) {
              t[2].update.release_a = {};
              t[4].a = t[2].a;
            }),
            "4: A[0..1][0..0] is sent to worker 1, which holds some of it");
}

TEST_F(ValidatorTest, UpdateMissing) {
  // The third step of the first chunk is gone; its C comes home two thirds done.
  EXPECT_EQ(after([](auto& t) {
              t.erase(t.begin() + 6);
              t[7].after_update = 2;
            }),
            "7: C[0..1][0..1] is returned with 2 of its 3 updates");
}

TEST_F(ValidatorTest, UpdateTwice) {
  EXPECT_EQ(after([](auto& t) {
              t[4].a = t[2].a;
              t[4].b = t[2].b;
              t[4].update = t[2].update;
            }),
            "4: C[0..1][0..1] gets an update k in 0..0 twice");
}

TEST_F(ValidatorTest, HomeTooEarly) {
  EXPECT_EQ(after([](auto& t) { t[8].after_update = 2; }),
            "8: C[0..1][0..1] is returned after update 2 of worker 1, but update 3 changes it");
}

TEST_F(ValidatorTest, HomeFromTheWrongWorker) {
  EXPECT_EQ(after([](auto& t) { t[8].worker = 1; }),
            "8: C[0..1][0..1] is returned by worker 2, which does not hold all of it");
}

TEST_F(ValidatorTest, NeverHome) {
  EXPECT_EQ(after([](auto& t) { t.pop_back(); }),
            "19: C[2..3][2..3] is never returned by worker 2");
}

TEST_F(ValidatorTest, ChunkForgotten) {
  EXPECT_EQ(
      after([](auto& t) { std::erase_if(t, [](const Transfer& x) { return x.worker == 1; }); }),
      "10: only 8 of the 16 blocks of C are returned");
}

TEST_F(ValidatorTest, SameCToTwoWorkers) {
  EXPECT_EQ(after([](auto& t) { t[1].c = t[0].c; }),
            "1: C[0..1][0..1] has been sent before, at least in part");
}

TEST_F(ValidatorTest, SameCSentAgainLater) {
  // The second chunk of worker 1 is its first one again.
  const std::string said = after([](auto& t) {
    for (std::size_t i = 10; i < t.size(); ++i) {
      if (t[i].worker != 0) continue;
      if (!t[i].a.empty()) t[i].a.rows = {0, 2};
      if (!t[i].c.empty()) t[i].c.rows = {0, 2};
      if (!t[i].update.empty()) t[i].update.rows = t[i].update.release_a.rows = {0, 2};
    }
  });
  EXPECT_EQ(said, "10: C[0..1][0..1] has been sent before, at least in part");
}

TEST_F(ValidatorTest, SameCTwiceOnOneWorker) {
  EXPECT_EQ(after([](auto& t) { t.insert(t.begin() + 1, t[0]); }),
            "1: C[0..1][0..1] is sent to worker 1, which already has some of it");
}

TEST_F(ValidatorTest, TwoChunksAtOnceNeedTheMemory) {
  platform.workers[0].w_s = 10;
  // The second chunk's C sent before the first is returned: 4 more blocks than the 12 there are
  // once both buffer sets are in use.
  EXPECT_EQ(after([](auto& t) {
              Transfer second = t[10];
              t.erase(t.begin() + 10);
              t.insert(t.begin() + 5, second);
            }),
            "5: worker 1 would hold 16 blocks at 20 s, its memory is 12");
}

TEST_F(ValidatorTest, TooMuchMemory) {
  // Slow enough for both buffer sets to be in use.
  platform.workers[0].w_s = 10;
  platform.workers[0].m_blocks = 11;
  EXPECT_EQ(after([](auto&) {}), "4: worker 1 would hold 12 blocks at 16 s, its memory is 11");
}

TEST_F(ValidatorTest, LateCWithoutAccumulator) {
  EXPECT_EQ(after([](auto& t) { t[0].update.add_c = true; }),
            "0: C[0..1][0..1] is to be added on worker 1, which has not accumulated all of it");
}

TEST_F(ValidatorTest, AccumulatorNeverGivenItsC) {
  EXPECT_EQ(after([](auto& t) { t.erase(t.begin()); }),
            "7: C[0..1][0..1] is returned without the master's C added");
}

TEST_F(ValidatorTest, NothingToAdd) {
  EXPECT_EQ(after([](auto& t) { t[2].update.add_c = true; }),
            "2: the update adds blocks of C, but the transfer carries none");
}

TEST_F(ValidatorTest, EmptyTrace) {
  EXPECT_EQ(after([](auto& t) { t.clear(); }), "0: only 0 of the 16 blocks of C are returned");
}

// One block of C with two updates, of which each of two workers does one. The first one is sent C.
class PartialSumsTest : public ::testing::Test {
 protected:
  std::string after(const std::function<void(std::vector<Transfer>&)>& change) const {
    std::vector<Transfer> transfers{
        {.worker = 0, .c = kBlock}, update(0, 0), update(1, 1), home(0), home(1)};
    change(transfers);
    const auto violation = find_violation(platform_, problem_, transfers);
    return violation ? std::to_string(violation->transfer) + ": " + violation->message : "valid";
  }
  static Transfer update(std::int32_t worker, std::int32_t k) {
    const Rectangle a{{0, 1}, {k, k + 1}};
    const Rectangle b{{k, k + 1}, {0, 1}};
    return {.worker = worker,
            .a = a,
            .b = b,
            .update = {.rows = {0, 1},
                       .columns = {0, 1},
                       .inner = {k, k + 1},
                       .release_a = a,
                       .release_b = b}};
  }
  static Transfer home(std::int32_t worker) {
    return {.worker = worker,
            .direction = Direction::to_master,
            .partial_sums = true,
            .c = kBlock,
            .after_update = 1};
  }

  static constexpr Rectangle kBlock{{0, 1}, {0, 1}};

 private:
  Platform platform_ = test::star({{1, 1, 5, 0}, {1, 1, 3, 0}});
  Problem problem_{1, 1, 2, 1};
};

TEST_F(PartialSumsTest, OfTwoWorkersAreValid) {
  EXPECT_EQ(after([](auto&) {}), "valid");
  // The master may have a partial sum before it sends the value to the other worker.
  EXPECT_EQ(after([](auto& t) {
              t = {update(1, 1), home(1), t[0], update(0, 0), home(0)};
            }),
            "valid");
}

TEST_F(PartialSumsTest, LackAnUpdate) {
  EXPECT_EQ(after([](auto& t) {
              t = {t[0], t[1], t[3]};
            }),
            "3: the partial sums of C[0..0][0..0] have 1 of its 2 updates");
}

TEST_F(PartialSumsTest, HaveAnUpdateTwice) {
  EXPECT_EQ(after([](auto& t) { t[2] = update(1, 0); }),
            "4: the partial sums of C[0..0][0..0] get an update k in 0..0 twice");
}

TEST_F(PartialSumsTest, AreNotReturned) {
  EXPECT_EQ(after([](auto& t) { t.pop_back(); }), "4: C[0..0][0..0] is never returned by worker 2");
}

TEST_F(PartialSumsTest, LackTheMastersC) {
  EXPECT_EQ(after([](auto& t) { t.erase(t.begin()); }),
            "4: none of the partial sums of C[0..0][0..0] has the master's C");
}

TEST_F(PartialSumsTest, HaveTheMastersCTwice) {
  EXPECT_EQ(after([](auto& t) { t.insert(t.begin() + 2, {.worker = 1, .c = kBlock}); }),
            "2: C[0..0][0..0] has been sent before, at least in part");
}

TEST_F(PartialSumsTest, MustBeMarked) {
  EXPECT_EQ(after([](auto& t) { t[3].partial_sums = false; }),
            "3: C[0..0][0..0] is returned with 1 of its 2 updates");
  EXPECT_EQ(after([](auto& t) { t[1].partial_sums = true; }),
            "1: only a transfer to the master carries partial sums");
}

TEST_F(PartialSumsTest, BesideTheResult) {
  // Worker 1 does both updates, worker 2 one of them again, before or after.
  EXPECT_EQ(
      after([](auto& t) {
        t[3].partial_sums = false;
        t[3].after_update = 2;
        t = {t[0], t[1], update(0, 1), t[2], t[4], t[3]};
      }),
      "5: C[0..0][0..0] is returned with all its updates, but partial sums of it have been too");
  EXPECT_EQ(after([](auto& t) {
              t[3].partial_sums = false;
              t[3].after_update = 2;
              t = {t[0], t[1], update(0, 1), t[3], t[2], t[4]};
            }),
            "6: the partial sums of C[0..0][0..0] have 1 of its 2 updates");
}

// What a worker that stops has accumulated from zero says nothing about the value of C, which
// another worker has.
TEST(BlockRules, AStopDoesNotAllowTheMastersCASecondTime) {
  const Problem problem{.r = 1, .s = 1, .t = 2, .block_size = 1};
  const Platform platform = test::star({{1, 1, 5, 0}, {1, 1, 5, 0}, {1, 1, 5, 0}});
  const Rectangle block{{0, 1}, {0, 1}};
  const auto with_c = [&](std::int32_t worker) {
    return TracedTransfer{.transfer = {.worker = worker, .c = block}, .dates = {}};
  };
  BlockRules rules(platform, problem);
  rules.check(with_c(1), 0);
  rules.check({.transfer = {.worker = 0,
                            .a = block,
                            .b = block,
                            .update = {.rows = {0, 1}, .columns = {0, 1}, .inner = {0, 1}}},
               .dates = {}},
              0);
  rules.lose_worker_blocks(0);
  EXPECT_FALSE(rules.find_repeated_c());
  rules.check(with_c(2), 0);
  EXPECT_TRUE(rules.find_repeated_c());
}

}  // namespace
}  // namespace starport
