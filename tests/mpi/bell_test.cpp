// What rings the bell of a rank is there when it wakes up.
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

TEST(Bell, WhoeverHearsItFindsTheMessageAtOnce) {
  const test::Outcome run = test::shell(test::kMpiEnvironment + "timeout -k 5 120 mpirun -n 2 '" +
                                        STARPORT_BELL_RANKS "'");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "500 times, 0 in vain\n");
}

}  // namespace
}  // namespace starport
