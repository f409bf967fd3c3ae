// Messages between ranks, and waits for them, in a program of one rank.
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"

#include <gtest/gtest.h>

#include <string>

namespace starport {
namespace {

std::string alone(const std::string& name) {
  const auto outcome =
      test::shell(test::kMpiEnvironment + test::kGuard + "'" STARPORT_RANK_ALONE "' " + name);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  return outcome.out;
}

TEST(Messages, OutliveTheirSenders) { EXPECT_EQ(alone("late"), "done\n"); }

// A master that sleeps until a date far ahead hears of the time limit.
TEST(Messages, ListenedToWhileSleeping) {
  EXPECT_EQ(alone("sleep"),
            "timed out after 0.3 s. Raise --time-limit to let the run take longer\n");
}

// A worker that has failed, or ends, gives up a master that receives nothing.
TEST(Messages, ThatNobodyReceivesAreGivenUp) {
  EXPECT_EQ(alone("hang"),
            "the master (rank 0) has not received the last messages of this worker within 0.2 s\n");
}

// calibrate has no --time-limit.
TEST(Messages, AdviseOnlyOptionsThatThereAre) {
  EXPECT_EQ(alone("'no options'"), "timed out after 0.1 s\n");
}

TEST(Messages, WithTheReasonOfAFailureAreNoReport) { EXPECT_EQ(alone("failure"), "done\n"); }

TEST(Messages, NameTheLibraryThatAnotherProgramCalls) {
  EXPECT_EQ(alone("group"), "starport_gemm\n");
}

}  // namespace
}  // namespace starport
