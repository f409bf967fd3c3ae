// The traces of real runs: dates of other machines' clocks, what a validator accepts, and the parts
// of the difference to the prediction.
#include "sim/mpi/execution/time_breakdown.hpp"
#include "sim/mpi/transport/worker_clock.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

namespace starport::mpi {
namespace {

TracedTransfer make_transfer(Direction direction, std::int32_t blocks, const Dates& dates) {
  TracedTransfer event;
  event.transfer.c = {{0, 1}, {0, blocks}};
  event.transfer.direction = direction;
  if (direction == Direction::to_worker) {
    event.transfer.update = {{0, 1}, {0, 1}, {0, 1}};
  }
  event.dates = dates;
  return event;
}

TEST(WorkerClock, IsReadOnceOrTwice) {
  WorkerClock clock;
  clock.set({.at_s = 100, .offset_s = 2000});
  EXPECT_EQ(clock.master_time_s(2150), 150);
  EXPECT_EQ(clock.worker_time_s(150), 2150);
  // The worker's clock gains 20 us per second.
  clock.set_last({.at_s = 200, .offset_s = 2000.002});
  EXPECT_NEAR(clock.master_time_s(2150.001), 150, 1e-7);
  EXPECT_NEAR(clock.worker_time_s(150), 2150.001, 1e-7);
  EXPECT_NEAR(clock.master_time_s(2100), 100, 1e-7);
  EXPECT_NEAR(clock.master_time_s(2200.002), 200, 1e-7);
}

TEST(WorkerClock, WrongReadingsDoNotStretchDurations) {
  // On a busy machine a reading is wrong by 40 ms.
  WorkerClock clock;
  clock.set({.at_s = 100, .offset_s = 2000});
  clock.set_last({.at_s = 101, .offset_s = 2000.04});
  EXPECT_NEAR(clock.master_time_s(2100.52), 100.5, 1e-3);
  EXPECT_NEAR(clock.master_time_s(2101) - clock.master_time_s(2100), 1, 0.0011);
}

/// A trace whose durations are not the model's, as real ones are not.
TEST(Validator, AnObservedTraceMayLastOtherwiseButKeepsOrderAndMemory) {
  const auto [platform, problem] = test::random_instance(4);
  const Trace model = test::by_recurrence("ODDOML", platform, problem);
  Trace real = model;
  // Everything later and later, by what only grows: order and causality stay.
  const auto slower = [](double date_s) { return date_s * 1.25; };
  for (auto& [transfer, dates] : real) {
    dates = {slower(dates.start_s), slower(dates.end_s), slower(dates.update_start_s),
             slower(dates.update_end_s)};
  }
  EXPECT_TRUE(find_violation(platform, problem, real).has_value());
  EXPECT_FALSE(find_violation(platform, problem, real, Timing::observed).has_value());

  Trace early_events =
      real;  // a transfer that starts before the end of the update that it waits for
  for (std::size_t i = 0; i < early_events.size(); ++i) {
    if (early_events[i].transfer.direction != Direction::to_master) continue;
    early_events[i].dates.start_s = early_events[i - 1].dates.start_s;
    break;
  }
  EXPECT_TRUE(find_violation(platform, problem, early_events, Timing::observed).has_value());
  Trace backwards = real;
  std::swap(backwards.back().dates.start_s, backwards.back().dates.end_s);
  EXPECT_TRUE(find_violation(platform, problem, backwards, Timing::observed).has_value());
}

// One worker, 1 s a block and 0.5 s a message. Predicted: 2.5 s there, 4 s of computing, 2.5 s
// home. For real: 0.1 s of packing, 0.7 s of latency, 3 s on the link; computing from 4 s to 9 s;
// the port waits until 9.2 s, and then 0.6 s + 2 s + 0.2 s.
TEST(TimeDifference, ItsPartsAddUp) {
  Platform platform{.name = "one"};
  platform.workers.push_back({.c_s = 1, .w_s = 4, .m_blocks = 10, .latency_s = 0.5});
  const Trace predicted{make_transfer(Direction::to_worker, 2, {0, 2.5, 2.5, 6.5}),
                        make_transfer(Direction::to_master, 2, {6.5, 9, 9, 9})};
  const Trace real{make_transfer(Direction::to_worker, 2, {0, 3.6, 4, 9}),
                   make_transfer(Direction::to_master, 2, {9.2, 12, 12, 12})};
  const std::vector<PortTime> times{
      {.start_s = 0, .packing_s = 0.1, .latency_s = 0.7, .link_s = 3},
      {.start_s = 9.2, .packing_s = 0.2, .latency_s = 0.6, .link_s = 2}};
  const auto differences = explain_differences(platform, predicted, real, times);
  ASSERT_EQ(differences.size(), 1U);
  const TimeDifference& difference = differences[0];
  EXPECT_NEAR(difference.link_s, 5 - 4, 1e-12);
  EXPECT_NEAR(difference.latency_s, 1.3 - 1, 1e-12);
  EXPECT_NEAR(difference.packing_s, 0.3, 1e-12);
  EXPECT_NEAR(difference.idle_s, (9.2 - 3.8) - 4, 1e-12);
  EXPECT_NEAR(difference.computing_s, 5 - 4, 1e-12);
  EXPECT_NEAR(difference.gaps_s, 4 - 2.5, 1e-12);
  const TimeDifference sum = sum_differences(differences);
  EXPECT_NEAR(sum.link_s + sum.latency_s + sum.packing_s + sum.idle_s, 12 - 9, 1e-12);
  EXPECT_NEAR(sum.computing_s + sum.gaps_s, 9 - 6.5, 1e-12);
}

}  // namespace
}  // namespace starport::mpi
