// A rank that is woken up finds the message at once.
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

TEST(Wakeup, NotifiedRankFindsTheMessageAtOnce) {
  const test::Outcome run = test::shell(test::kMpiEnvironment + test::kGuard + "mpirun -n 2 '" +
                                        STARPORT_WAKEUP_RANKS "'");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "500 notified, 0 missed\n");
}

}  // namespace
}  // namespace starport
