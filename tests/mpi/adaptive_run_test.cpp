// Adaptive in runs for real, with a worker that slows down.
#include "tests/mpi/mpi_support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace starport {
namespace {

using test::TemporaryFile;

std::map<std::string, double> makespans(const std::string& options) {
  const TemporaryFile platform(test::kTwoWorkers);
  const auto outcome = test::mpi(3, "execute " + platform.path() +
                                        " --problem 48x24x48 --heuristic Het,ODDOML,Adaptive "
                                        "--emulate --json" +
                                        options);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  std::map<std::string, double> all;
  for (const auto& result : json.at("results")) {
    all[result.at("heuristic")] = result.at("real").at("makespan_s");
  }
  return all;
}

// What waits for the worker that is slowed down, a hundredfold, waits for seconds: on a busy
// machine too, who gives it no more chunks ends first.
TEST(MpiAdaptive, GivesAWorkerThatHasSlowedDownNoMore) {
  const auto all = makespans(" --noise slow_compute=2@0.1:x100");
  EXPECT_LT(all.at("Adaptive"), all.at("Het"));
  EXPECT_LT(all.at("Adaptive"), all.at("ODDOML"));
}

TEST(MpiAdaptive, OtherNoiseIsRefused) {
  const TemporaryFile platform(test::kTwoWorkers);
  const std::string run = "execute " + platform.path() + " --problem 16x12x24 --noise ";
  const auto without = test::mpi(3, run + "slow=2@1:x5");
  EXPECT_EQ(without.status, 2);
  EXPECT_NE(without.err.find("--noise: expected --emulate with it"), std::string::npos);
  const auto cv = test::mpi(3, run + "cv=6% --emulate");
  EXPECT_EQ(cv.status, 2);
  EXPECT_NE(cv.err.find("--noise: expected slow=, slow_link= or slow_compute= alone"),
            std::string::npos)
      << cv.err;
}

}  // namespace
}  // namespace starport
