// Dates of other machines' clocks.
#include "sim/mpi/transport/worker_clock.hpp"

#include <gtest/gtest.h>

namespace starport::mpi {
namespace {

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

}  // namespace
}  // namespace starport::mpi
