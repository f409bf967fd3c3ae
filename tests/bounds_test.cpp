#include "sim/report/bounds.hpp"

#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace starport {
namespace {

TEST(SteadyState, LinearProgramAgreesWithTheClosedForm) {
  test::Random random(2008);
  for (int instance = 0; instance < 300; ++instance) {
    Platform platform{.name = "random", .workers = {}};
    const std::int64_t p = random.integer(1, 40);
    const double spread = random.real(0, 4);  // up to four orders of magnitude
    for (std::int64_t i = 0; i < p; ++i) {
      platform.workers.push_back({.c_s = std::pow(10, random.real(-spread, spread)) * 1e-3,
                                  .w_s = std::pow(10, random.real(-spread, spread)) * 1e-3,
                                  .m_blocks = random.integer(0, 30000),
                                  .latency_s = 0});
    }
    const SteadyState lp = steady_state(platform);
    const SteadyState exact = bandwidth_centric(platform);
    const double rho = exact.throughput_updates_per_s;
    EXPECT_NEAR(lp.throughput_updates_per_s, rho, 1e-8 * rho) << "instance " << instance;
    double port = 0;
    for (std::size_t i = 0; i < platform.workers.size(); ++i) {
      port += lp.y_blocks_per_s[i] * platform.workers[i].c_s;
      EXPECT_LE(lp.x_updates_per_s[i] * platform.workers[i].w_s, 1 + 1e-8);
    }
    EXPECT_LE(port, 1 + 1e-8);
  }
}

// A link so slow that it rules alone: rho = mu / (2 c), whatever w.
TEST(SteadyState, ExtremeRatios) {
  for (const double w : {1e-8, 1e-11, 1e-15, 1e-50}) {
    const Platform one = test::star({{1, w, 40, 0}});  // mu = 4
    EXPECT_NEAR(steady_state(one).throughput_updates_per_s, 2, 1e-9) << w;
    const Platform two = test::star({{1, 1, 40, 0}, {1, w, 21, 0}});
    const double exact = bandwidth_centric(two).throughput_updates_per_s;
    EXPECT_NEAR(steady_state(two).throughput_updates_per_s, exact, 1e-9) << w;
  }
}

// PPoPP'08, Table 2 with x = 3: both workers need half of the port and compute all the time.
TEST(SteadyState, PaperExample) {
  const Platform platform = test::star({{1, 2, 12, 0}, {3, 6, 12, 0}});  // mu = 2
  EXPECT_NEAR(steady_state(platform).throughput_updates_per_s, 1.0 / 2 + 1.0 / 6, 1e-12);
  EXPECT_EQ(bandwidth_centric_order(platform), (std::vector<std::size_t>{0, 1}));
}

TEST(SteadyState, NobodyCanWork) {
  EXPECT_EQ(steady_state(test::star({{1, 1, 4, 0}})).throughput_updates_per_s, 0);
}

TEST(CommunicationBounds, Formulas) {
  const auto bounds = communication_bounds(1800);
  ASSERT_EQ(bounds.size(), 4U);
  EXPECT_NEAR(bounds[0].blocks_per_update, 1.0 / 120, 1e-15);  // 1/sqrt(8 m) = 1/120
  EXPECT_NEAR(bounds[1].blocks_per_update, std::sqrt(27.0 / 57600), 1e-15);
  EXPECT_NEAR(bounds[2].blocks_per_update, std::sqrt(27.0) / 120, 1e-15);  // both papers
  EXPECT_NEAR(bounds[3].blocks_per_update, 2 / std::sqrt(1800.0), 1e-15);
}

TEST(CommunicationBounds, WhatLayoutsAchieve) {
  EXPECT_DOUBLE_EQ(achieved_ccr(kMaximumReuse, 21, 100), 2.0 / 100 + 2.0 / 4);
  EXPECT_DOUBLE_EQ(achieved_ccr(kToledo, 12, 10), 0.2 + 1);
  EXPECT_EQ(achieved_ccr(kOptimizedOverlapped, 4, 10), std::numeric_limits<double>::infinity());
}

// The tight bound is below what any layout achieves, and above the papers' bounds.
TEST(CommunicationBounds, AreInOrder) {
  for (std::int64_t m = 5; m < 100'000; m = m * 3 / 2 + 1) {
    const auto bounds = communication_bounds(m);
    for (std::size_t i = 1; i < bounds.size(); ++i) {
      EXPECT_GT(bounds[i].blocks_per_update, bounds[i - 1].blocks_per_update);
    }
    for (const MemoryLayout* layout :
         {&kMaximumReuse, &kOptimizedOverlapped, &kOptimized, &kToledo, &kToledoOverlapped}) {
      EXPECT_GT(achieved_ccr(*layout, m, 1'000'000'000), bounds.back().blocks_per_update);
    }
  }
}

}  // namespace
}  // namespace starport
