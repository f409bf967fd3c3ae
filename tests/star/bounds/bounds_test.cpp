#include "sim/star/bounds/makespan_bounds.hpp"
#include "sim/star/bounds/steady_state.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace starport {
namespace {

constexpr Problem kProblem{.r = 100, .s = 800, .t = 100, .block_size = 80};

/// Up to 40 workers, up to four orders of magnitude apart.
Platform random_platform(test::Random& random) {
  Platform platform{.name = "random", .workers = {}};
  const std::int64_t p = random.integer(1, 40);
  const double spread = random.real(0, 4);
  for (std::int64_t i = 0; i < p; ++i) {
    platform.workers.push_back({.c_s = std::pow(10, random.real(-spread, spread)) * 1e-3,
                                .w_s = std::pow(10, random.real(-spread, spread)) * 1e-3,
                                .m_blocks = random.integer(0, 30000),
                                .latency_s = 0});
  }
  return platform;
}

// A link so slow that it rules alone: rho = mu / (2 c), whatever w.
TEST(SteadyState, ExtremeRatios) {
  for (const double w : {1e-8, 1e-11, 1e-15, 1e-50}) {
    const Platform one = test::star({{1, w, 40, 0}});  // mu = 4
    EXPECT_NEAR(steady_state(one, kProblem).throughput_updates_per_s, 2, 1e-9) << w;
    const Platform two = test::star({{1, 1, 40, 0}, {1, w, 21, 0}});
    // The second worker has mu = 3: worker 1 computes all the time, 1 update/s for half of the
    // port, worker 2 gets the other half, 3/4.
    EXPECT_NEAR(steady_state(two, kProblem).throughput_updates_per_s, 1.75, 1e-12) << w;
  }
}

// PPoPP'08, Table 2 with x = 3: both workers need half of the port and compute all the time.
TEST(SteadyState, PaperExample) {
  const Platform platform = test::star({{1, 2, 12, 0}, {3, 6, 12, 0}});  // mu = 2
  EXPECT_NEAR(steady_state(platform, kProblem).throughput_updates_per_s, 1.0 / 2 + 1.0 / 6, 1e-12);
  EXPECT_EQ(bandwidth_centric_order(platform), (std::vector<std::size_t>{0, 1}));
}

std::vector<Port> ports(test::Random& random, const Platform& platform) {
  const double c = platform.workers.front().c_s * random.real(0.1, 2);
  const std::int64_t most = random.integer(1, 10);
  return {{},
          {.kind = Port::Kind::two},
          {.kind = Port::Kind::multi},
          {.kind = Port::Kind::multi, .max_transfers = most},
          {.kind = Port::Kind::multi, .c_s = c},
          {.kind = Port::Kind::multi, .max_transfers = most, .c_s = c}};
}

// That a solution is the optimum needs no second solver: it is feasible, its prices are feasible
// for the dual program (no worker could do updates worth more than the resources they take), and
// both have the same value. Checked with the rows of bounds.hpp, written out once more.
TEST(SteadyState, IsFeasibleAndItsPricesProveItOptimal) {
  test::Random random(3);
  for (int instance = 0; instance < 150; ++instance) {
    Platform platform = random_platform(random);
    const Problem problem{.r = 10, .s = 10, .t = random.integer(1, 200), .block_size = 1};
    const auto t = static_cast<double>(problem.t);
    for (const Port& port : ports(random, platform)) {
      platform.port = port;
      for (const bool count_c : {false, true}) {
        SCOPED_TRACE(describe(port) + ", instance " + std::to_string(instance));
        const SteadyState state = steady_state(platform, problem, count_c);
        const double rho = state.throughput_updates_per_s;
        const bool multi = port.kind == Port::Kind::multi;
        const auto price_of = [&](const char* name) {
          for (const Limit& limit : state.master) {
            if (limit.name == name) return limit.price_updates_per_s;
          }
          return 0.0;
        };
        double sends_s = 0;  // in a second
        double receptions_s = 0;
        double blocks = 0;
        double prices = price_of("port") + price_of("send port") + price_of("receive port") +
                        price_of("transfers at once") + price_of("bandwidth");
        for (std::size_t i = 0; i < platform.workers.size(); ++i) {
          const double c = platform.workers[i].c_s;
          const double w = platform.workers[i].w_s;
          const std::int64_t m = platform.workers[i].m_blocks;
          const auto mu = static_cast<double>(kOptimizedOverlapped.side(m));
          if (mu == 0) continue;
          const double x = state.x_updates_per_s[i];
          const double sent = 2 / mu + (count_c ? 1 / t : 0);
          EXPECT_NEAR(state.y_blocks_per_s[i], sent * x, 1e-9 * sent * x);
          EXPECT_NEAR(state.z_blocks_per_s[i], x / t, 1e-9 * x);
          EXPECT_LE(x * w, 1 + 1e-8);
          if (multi) {
            EXPECT_LE(sent * x * c, 1 + 1e-8);
            EXPECT_LE(x / t * c, 1 + 1e-8);
          }
          sends_s += sent * x * c;
          receptions_s += x / t * c;
          blocks += (sent + 1 / t) * x;
          prices +=
              state.computation_price[i] + state.send_link_price[i] + state.receive_link_price[i];
          const double home = port.kind == Port::Kind::one && !count_c ? 0 : c / t;
          double worth = state.computation_price[i] * w + state.send_link_price[i] * sent * c +
                         state.receive_link_price[i] * c / t;
          worth += price_of("port") * (sent * c + home) + price_of("send port") * sent * c +
                   price_of("receive port") * c / t;
          if (port.max_transfers > 0) {
            worth += price_of("transfers at once") * (sent + 1 / t) * c /
                     static_cast<double>(port.max_transfers);
          }
          worth += price_of("bandwidth") * (sent + 1 / t) * port.c_s;
          EXPECT_GE(worth, 1 - 1e-6) << "worker " << i;
        }
        if (port.kind == Port::Kind::one) {
          EXPECT_LE(sends_s + (count_c ? receptions_s : 0), 1 + 1e-8);
        }
        if (port.kind == Port::Kind::two) {
          EXPECT_LE(sends_s, 1 + 1e-8);
          EXPECT_LE(receptions_s, 1 + 1e-8);
        }
        if (port.max_transfers > 0) {
          EXPECT_LE(sends_s + receptions_s, static_cast<double>(port.max_transfers) * (1 + 1e-8));
        }
        EXPECT_LE(blocks * port.c_s, 1 + 1e-8);
        EXPECT_NEAR(prices, rho, 1e-7 * rho);
      }
    }
  }
}

// With C counted, more ports are never worse; without it Table 1 neglects what two ports may not.
TEST(SteadyState, MorePortsDoMore) {
  test::Random random(4);
  for (int instance = 0; instance < 100; ++instance) {
    Platform platform = random_platform(random);
    const Problem problem{.r = 10, .s = 10, .t = random.integer(1, 200), .block_size = 1};
    double fewer = 0;
    for (const Port::Kind kind : {Port::Kind::one, Port::Kind::two, Port::Kind::multi}) {
      platform.port.kind = kind;
      const double rho = steady_state(platform, problem, true).throughput_updates_per_s;
      EXPECT_GE(rho, fewer * (1 - 1e-9)) << to_string(kind);
      EXPECT_LE(rho, steady_state(platform, problem).throughput_updates_per_s * (1 + 1e-9));
      fewer = rho;
    }
  }
}

// By hand: two workers of side 2 (mu = 2) that take a block in 1 s, an update in 1/2 s; t = 4. An
// update is 2/2 = 1 block sent and 1/4 of a block home.
// - one-port: sum x <= 1, of which the port's price is all: rho = 1;
// - two-port: the same, receptions take 1/4 of their port;
// - multi-port: each link allows x_i <= 1, half of what w_i would: rho = 2, 1 for each link out;
// - 1 transfer at once: 1.25 s of it for an update, rho = 0.8;
// - a shared block each 0.2 s: 1.25 * 0.2 = 1/4 s for an update: rho = 4, links again: 2, half in
// use.
TEST(SteadyState, EachPortByHand) {
  Platform platform = test::star({{1, 0.5, 12, 0}, {1, 0.5, 12, 0}});
  const Problem problem{.r = 8, .s = 8, .t = 4, .block_size = 1};
  const auto solved = [&](const Port& port) {
    platform.port = port;
    return steady_state(platform, problem);
  };
  const SteadyState one = solved({});
  EXPECT_NEAR(one.throughput_updates_per_s, 1, 1e-9);
  EXPECT_NEAR(one.master.at(0).price_updates_per_s, 1, 1e-9);
  const SteadyState two = solved({.kind = Port::Kind::two});
  EXPECT_NEAR(two.throughput_updates_per_s, 1, 1e-9);
  ASSERT_EQ(two.master.size(), 2U);
  EXPECT_EQ(two.master[1].name, "receive port");
  EXPECT_NEAR(two.master[0].price_updates_per_s, 1, 1e-9);
  EXPECT_NEAR(two.master[1].use, 0.25, 1e-9);
  EXPECT_NEAR(two.master[1].price_updates_per_s, 0, 1e-9);
  const SteadyState multi = solved({.kind = Port::Kind::multi});
  EXPECT_NEAR(multi.throughput_updates_per_s, 2, 1e-9);
  EXPECT_TRUE(multi.master.empty());
  EXPECT_NEAR(multi.send_link_price[0], 1, 1e-9);
  EXPECT_NEAR(multi.send_link_price[1], 1, 1e-9);
  const SteadyState slot = solved({.kind = Port::Kind::multi, .max_transfers = 1});
  EXPECT_NEAR(slot.throughput_updates_per_s, 0.8, 1e-9);
  EXPECT_NEAR(slot.master.at(0).price_updates_per_s, 0.8, 1e-9);
  const SteadyState shared = solved({.kind = Port::Kind::multi, .c_s = 0.2});
  EXPECT_NEAR(shared.throughput_updates_per_s, 2, 1e-9);
  EXPECT_NEAR(shared.master.at(0).use, 0.5, 1e-9);
}

TEST(SteadyState, NobodyCanWork) {
  EXPECT_EQ(steady_state(test::star({{1, 1, 4, 0}}), kProblem).throughput_updates_per_s, 0);
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
