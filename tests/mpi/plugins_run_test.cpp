// Real runs with heuristics of users: programs and shared libraries.
#include "tests/mpi/mpi_support.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace starport::mpi {
namespace {

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
}  // namespace starport::mpi
