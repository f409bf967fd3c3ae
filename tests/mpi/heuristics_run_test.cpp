// Heuristics in real runs: on a worker that slows down, and those of users (programs and shared
// libraries).
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace starport {
namespace {

using test::TemporaryFile;

// An emulated run takes at least what the platform file and the slow-down say. On a busy machine it
// takes longer, so that heuristics are compared in simulations only (adaptive_test.cpp).
TEST(MpiAdaptive, AWorkerThatIsSlowedDownTakesAtLeastAsLongAsSaid) {
  const TemporaryFile platform(test::kTwoWorkers);
  const std::string words =
      platform.path() + " --problem 48x24x48 --json --noise slow_compute=2@0:x10";
  const auto real = test::mpi(
      3, "execute " + words + " --heuristics 'Het,ODDOML,Adaptive,Polaris[adapt=yes]' --emulate");
  ASSERT_EQ(real.status, 0) << real.err;
  const auto executed = test::json_of(real.out);
  EXPECT_EQ(executed.at("results").size(), 4U);
  const auto simulated = test::shell("starport run " + words + " --heuristics Het");
  ASSERT_EQ(simulated.status, 0) << simulated.err;
  const auto expected = test::json_of(simulated.out);
  EXPECT_GE(executed.at("results").at(0).at("real").at("makespan_s").get<double>(),
            0.95 * expected.at("results").at(0).at("makespan_s").get<double>());
}

TEST(MpiAdaptive, OtherNoiseIsRefused) {
  const TemporaryFile platform(test::kTwoWorkers);
  const std::string run = "execute " + platform.path() + " --problem 16x12x24 --noise ";
  const auto without = test::mpi(3, run + "slow=2@1:x5");
  EXPECT_EQ(without.status, 2);
  EXPECT_NE(
      without.err.find("--noise: expected --emulate and a heuristic for the star with this option"),
      std::string::npos);
  const auto cv = test::mpi(3, run + "cv=6% --emulate");
  EXPECT_EQ(cv.status, 2);
  EXPECT_NE(cv.err.find("--noise: expected only slow=, slow_link= and slow_compute="),
            std::string::npos)
      << cv.err;
}

TEST(OthersForReal, AProgramAndASharedLibrary) {
  const test::TemporaryFile platform(test::kTwoWorkers);
  const auto outcome =
      test::mpi(3, "execute " + platform.path() +
                       " --problem 15x12x22 --emulate --json --plugin " STARPORT_PLUGINS
                       "/libscarce.so --heuristics exec:" STARPORT_SOURCE_DIR
                       "/tests/fixtures/first.sh,Scarce");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto runs = test::json_of(outcome.out).at("results");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at(1).at("heuristic"), "Scarce");
}

TEST(OthersForReal, ALieIsFoundBeforeTheStart) {
  const test::TemporaryFile platform(test::kTwoWorkers);
  const auto outcome = test::mpi(3, "execute " + platform.path() +
                                        " --problem 15x12x22 --emulate --plugin " STARPORT_PLUGINS
                                        "/libmisbehaving.so --heuristics Lies");
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.err.find("Lies: its plan breaks the model at transfer 1: only 0 of "),
            std::string::npos)
      << outcome.err;
}

TEST(OthersForReal, OneThatGivesUpStopsTheRun) {
  const test::TemporaryFile platform(test::kTwoWorkers);
  const auto outcome =
      test::mpi(3, "execute " + platform.path() +
                       " --problem 15x12x22 --emulate --heuristics exec:/bin/false");
  EXPECT_NE(outcome.status, 0);
  EXPECT_NE(outcome.err.find("/bin/false ended with status 1 and gave no answer"),
            std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace starport
