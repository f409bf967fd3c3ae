// Dates of other machines' clocks.
#include "sim/mpi/transport/worker_clock.hpp"

#include <gtest/gtest.h>

namespace starport::mpi {
namespace {

TEST(WorkerClock, IsReadOnceOrTwice) {
  WorkerClock clock;
  clock.set({.at_s = 100, .ahead_s = 2000});
  EXPECT_EQ(clock.here_s(2150), 150);
  EXPECT_EQ(clock.there_s(150), 2150);
  // It gains 20 us a second.
  clock.set_again({.at_s = 200, .ahead_s = 2000.002});
  EXPECT_NEAR(clock.here_s(2150.001), 150, 1e-7);
  EXPECT_NEAR(clock.there_s(150), 2150.001, 1e-7);
  EXPECT_NEAR(clock.here_s(2100), 100, 1e-7);
  EXPECT_NEAR(clock.here_s(2200.002), 200, 1e-7);
}

}  // namespace
}  // namespace starport::mpi
