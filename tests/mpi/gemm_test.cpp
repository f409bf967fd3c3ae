// Calls of starport_gemm() from other programs.
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"

#include <gtest/gtest.h>

namespace starport {
namespace {

using test::Outcome;
using test::shell;
using test::TemporaryFile;

Outcome gemm(int ranks, const std::string& arguments) {
  return shell(test::kMpiEnvironment + test::kGuard + "mpirun -n " + std::to_string(ranks) +
               " '" STARPORT_GEMM_RANKS "' " + arguments);
}

TEST(Gemm, PlansAndRunsProductsOfDoublesAndFloats) {
  const TemporaryFile platform(test::kTwoWorkers);
  for (const char* arguments :
       {"", " Polaris,ODDOML ''", " Het " STARPORT_PLUGINS "/libkernel_apart.so"}) {
    const auto outcome = gemm(3, platform.path() + arguments);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(test::count(outcome.out, ": 0 right"), 3U) << outcome.out;
    EXPECT_EQ(test::count(outcome.out, ": 0 -"), 6U) << outcome.out;
    EXPECT_EQ(outcome.err, "");
  }
}

/// Each of the three calls returns the same error on every rank.
TEST(Gemm, ErrorsAreCodesWithAMessage) {
  const TemporaryFile platform(test::kTwoWorkers);
  const TemporaryFile bad(R"({"schema_version": 1, "name": "bad", "workers": []})");
  struct Case {
    int ranks;
    std::string arguments;
    std::string message;
  };
  for (const Case& one : {
           Case{2, platform.path(), ": expected 3 ranks, the master and a worker each"},
           Case{3, "nowhere.json", "nowhere.json: "},
           Case{3, bad.path(), "/workers: expected at least one worker"},
           Case{3, platform.path() + " Hett", "'Hett'"},
           Case{3, platform.path() + " homogeneous",
                "heuristics: expected heuristics for the star"},
           Case{3, platform.path() + " Het nowhere.so", "nowhere.so: --kernel: expected a shared"},
       }) {
    const auto outcome = gemm(one.ranks, one.arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const auto ranks = static_cast<std::size_t>(one.ranks);
    EXPECT_EQ(test::count(outcome.out, "0: 2 untouched "), 3U) << outcome.out;
    EXPECT_EQ(test::count(outcome.out, ": 2 "), 3 * ranks) << outcome.out;
    EXPECT_EQ(test::count(outcome.out, one.message), 3 * ranks) << outcome.out;
  }
}

// The program does not read: the library must not raise SIGPIPE in its host.
TEST(Gemm, AHeuristicThatEndsIsAnError) {
  const TemporaryFile platform(test::kTwoWorkers);
  const auto outcome = gemm(3, platform.path() + " exec:/bin/false");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(test::count(outcome.out, ": 1 "), 9U) << outcome.out;
  EXPECT_EQ(test::count(outcome.out, "/bin/false ended with status 1"), 9U) << outcome.out;
}

// What a worker answers when it is to end arrives damaged: nobody knows whether it has ended, and
// all ranks are ended, with the reason, instead of waiting for it again.
TEST(Gemm, AWorkerThatDoesNotEndEndsTheProgram) {
  const TemporaryFile platform(test::kTwoWorkers);
  const auto outcome =
      shell(test::kMpiEnvironment + "export FLIP_RANK=1 FLIP_TAG=0 FLIP_MESSAGE=2 FLIP_BIT=0; " +
            test::kGuard +
            "mpirun -n 3 env LD_PRELOAD=" STARPORT_FLIPPED_BIT " '" STARPORT_GEMM_RANKS "' " +
            platform.path());
  EXPECT_EQ(outcome.status, 1) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(test::count(outcome.err, "starport_gemm: bytes received from rank 1 differ"), 1U)
      << outcome.err;
  EXPECT_EQ(outcome.err.find("terminate called"), std::string::npos) << outcome.err;
}

// At MPI_THREAD_MULTIPLE (3) all ranks agree on it by a message, below none may send one.
TEST(Gemm, AnotherThreadThanMpisIsRefused) {
  const TemporaryFile platform(test::kTwoWorkers);
  for (const char* level : {"1", "3"}) {
    const auto outcome =
        shell(test::kMpiEnvironment + "export CALL_IN_THREAD=" + level + "; " + test::kGuard +
              "mpirun -n 3 '" STARPORT_GEMM_RANKS "' " + platform.path());
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(test::count(outcome.out, "0: 2 untouched "), 3U) << outcome.out;
    EXPECT_EQ(test::count(outcome.out, "found one by another thread"), 9U) << outcome.out;
  }
}

// The product of the main thread is right; the call of the other thread, which begins while it
// runs, is refused when it is done.
TEST(Gemm, CallsByTwoThreadsAtOnceFollowEachOther) {
  const TemporaryFile platform(test::kTwoWorkers);
  const auto call = [&](const std::string& environment) {
    return shell(test::kMpiEnvironment + "export " + environment + "; " + test::kGuard +
                 "mpirun -n 3 '" STARPORT_GEMM_RANKS "' " + platform.path());
  };
  for (const char* level : {"1", "2", "3"}) {
    const auto outcome = call(std::string("CALL_AT_ONCE=") + level);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(test::count(outcome.out, "0: 0 right"), 1U) << outcome.out;
    EXPECT_EQ(test::count(outcome.out, ": 0 -"), 2U) << outcome.out;
    EXPECT_EQ(test::count(outcome.out, "0: 2 untouched "), 1U) << outcome.out;
    EXPECT_EQ(test::count(outcome.out, "found one by another thread"), 3U) << outcome.out;
    EXPECT_EQ(outcome.out.find("at once"), std::string::npos) << outcome.out;
  }
  // Each call meets one by another thread on some rank.
  const auto crossed = call("CALL_AT_ONCE=3 CALL_CROSSED=1");
  EXPECT_EQ(crossed.status, 0) << crossed.err;
  EXPECT_EQ(test::count(crossed.out, "0: 2 untouched "), 2U) << crossed.out;
  EXPECT_EQ(test::count(crossed.out, "found one by another thread"), 6U) << crossed.out;
  EXPECT_EQ(crossed.out.find("at once"), std::string::npos) << crossed.out;
}

}  // namespace
}  // namespace starport
