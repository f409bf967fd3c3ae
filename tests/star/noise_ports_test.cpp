// Noise on two ports, and what is refused on several.
#include "heuristics/star/registry.hpp"
#include "sim/files/error.hpp"
#include "sim/platform/noise/noise.hpp"
#include "sim/star/trace.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/random_noise.hpp"
#include "tests/star/port_platforms.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace starport {
namespace {

using test::kTwo;
using test::noise_of;
using test::with_port;

// Without noise (ports_test.cpp): C1 0-1, C2 1-2, AB1 2-4, AB2 4-6, R1 6-7, R2 9-10, C1 7-8, C2
// 10-11, AB1 11-13, AB2 13-15, R1 15-16, R2 18-19, updates of 2 and 3 s.
//
// From 5 on the link of worker 2 takes twice as long: AB2 has moved one of its two blocks, the
// other takes until 7. Its update 7-10, R2 10-12. C2 when the worker is free, 12-14; behind it AB1
// 14-16, update 16-18, AB2 16-20, update 20-23; R1 18-19, R2 23-25.
TEST(NoiseOnTwoPorts, ASlowDownByHand) {
  const Platform platform = with_port(test::two_workers(), kTwo);
  const Noise noise = noise_of("slow_link=2@5:x2");
  const std::vector<std::pair<double, double>> expected{{0, 1},   {1, 2},   {2, 4},   {4, 7},
                                                        {6, 7},   {10, 12}, {7, 8},   {12, 14},
                                                        {14, 16}, {16, 20}, {18, 19}, {23, 25}};
  const Trace trace = test::run_on_both_engines("ORROML", platform, test::kFourBlocks, noise).trace;
  ASSERT_EQ(trace.size(), expected.size());
  for (std::size_t i = 0; i < trace.size(); ++i) {
    EXPECT_NEAR(trace[i].dates.start_s, expected[i].first, 1e-9) << i;
    EXPECT_NEAR(trace[i].dates.end_s, expected[i].second, 1e-9) << i;
  }
  EXPECT_TRUE(find_violation(platform, test::kFourBlocks, trace, noise_of("slow_link=2@5:x3")));
}

TEST(NoiseOnTwoPorts, EnginesAgreeOnRandomInstances) {
  int runs = 0;
  for (std::uint64_t seed = 1; seed <= 40; seed += test::kSeedStride) {
    const auto [base, problem] =
        seed % 3 == 0 ? test::uneven_instance(seed, 2) : test::random_instance(seed, seed % 5 + 1);
    const Platform platform = with_port(base, kTwo);
    for (const NamedHeuristic& entry : test::every_third_heuristic(seed)) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + entry.name);
      Trace nominal;
      try {
        nominal = test::by_recurrence(entry.name, platform, problem);
      } catch (const std::exception&) {
        continue;  // it does not apply, or no worker has the memory
      }
      Noise noise = random_noise(seed, platform.workers.size(), test::makespan(nominal));
      noise.stops.clear();
      test::run_on_both_engines(
          platform, problem,
          [&, &problem = problem] { return entry.heuristic->plan(platform, problem); }, noise);
      ++runs;
    }
  }
  EXPECT_GT(runs, 80 / static_cast<int>(test::kSeedStride));
}

TEST(NoiseOnSeveralPorts, WhatIsNotModelledIsRefused) {
  const auto refused = [](const std::string& port, const std::string& noise) {
    const test::TemporaryFile file(
        R"({"schema_version": 1, "name": "x", "block_size": 1, "port": ")" + port +
        R"(", "workers": [{"c_s": 1, "w_s": 1, "m_blocks": 5}]})");
    const auto said =
        test::shell("starport run " + file.path() + " --problem 1x1x1 --noise " + noise);
    EXPECT_EQ(said.status, 2);
    return said.err;
  };
  const std::string expected = "starport: --noise: expected a platform whose master has one port";
  EXPECT_EQ(refused("multi-port", "cv=6%"), expected + " or two, found multi-port\n");
  EXPECT_EQ(refused("two-port", "stop=1@3"), expected + ", where workers stop, found two-port\n");
  const Platform platform = with_port(test::two_workers(), kTwo);
  EXPECT_THROW(DrawnNoise(noise_of("stop=1@3"), platform), SimulationError);
  EXPECT_THROW(DrawnNoise(noise_of("cv=1%"), with_port(platform, test::many())), SimulationError);
}

}  // namespace
}  // namespace starport
