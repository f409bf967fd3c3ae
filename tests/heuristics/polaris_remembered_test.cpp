// What the search of Polaris remembers is what it would compute again.
#include "heuristics/star/polaris/balance.hpp"
#include "heuristics/star/polaris/estimate.hpp"
#include "heuristics/star/polaris/serving.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace starport {
namespace {

using polaris::Mode;
using polaris::RectangleTask;
using polaris::ServingOptions;

struct RememberedCase {
  Platform platform = test::star({});
  Problem problem;
};

RememberedCase remembered_case(test::Random& random) {
  RememberedCase instance;
  instance.problem = {.r = random.integer(1, 20),
                      .s = random.integer(2, 20),
                      .t = random.integer(1, 20),
                      .block_size = random.integer(1, 9)};
  for (int i = 0; i < 2; ++i) {
    instance.platform.workers.push_back(
        {.c_s = random.real(0.1, 3),
         .w_s = random.real(0.1, 3),
         .m_blocks = random.integer(3, 600),
         .latency_s = random.integer(0, 4) == 0 ? random.real(0, 5) : 0});
  }
  return instance;
}

ServingOptions any_serving_options(test::Random& random) {
  ServingOptions options;
  options.modes.prefetch = static_cast<polaris::Prefetch>(random.integer(0, 2));
  options.modes.spare_columns = random.integer(0, 2);
  options.message_options = {.loading_share = random.integer(1, 4) / 4.0,
                             .joining = random.integer(0, 2),
                             .rest = random.integer(1, 2),
                             .pieces = random.integer(1, 6),
                             .depth = random.integer(1, 3),
                             .group = random.integer(1, 3),
                             .late_c = random.integer(0, 3) > 0};
  options.patience = static_cast<double>(random.integer(0, 2));
  options.return_columns = random.integer(1, 2);
  return options;
}

// The same two rectangles or their mirror images, a few options, any limit: many runs come again,
// and are asked for as far as they went, less far, and farther.
TEST(Polaris, ServesNothingTwice) {
  test::Random random(2025);
  int stopped = 0;
  int over = 0;
  for (int number = 0; number < 60; ++number) {
    const auto [platform, problem] = remembered_case(random);
    const auto r = static_cast<std::int32_t>(problem.r);
    const auto s = static_cast<std::int32_t>(problem.s);
    polaris::ServingCache runs(platform, problem);
    const std::int32_t cut = s / 2;
    double usual_s = 100;
    for (int ask = 0; ask < 100; ++ask) {
      const ServingOptions options = any_serving_options(random);
      std::vector<RectangleTask> tasks{{0, {{0, r}, {0, cut}}, {}}, {1, {{0, r}, {cut, s}}, {}}};
      if (random.integer(0, 1) == 1) {
        tasks = {{1, {{0, r}, {0, s - cut}}, {}}, {0, {{0, r}, {s - cut, s}}, {}}};
      }
      bool possible = true;
      for (RectangleTask& task : tasks) {
        task.mode = polaris::find_cheapest_mode(platform.workers[task.worker], problem, problem.r,
                                                task.c.columns.size(), options.modes);
        possible = possible && task.mode.kind != Mode::Kind::none;
      }
      if (!possible) continue;
      const double limit_s = random.integer(0, 3) == 0 ? kUnknown : usual_s * random.real(0.5, 1.2);
      const auto known = runs.serve(tasks, options, limit_s);
      const auto anew = serve_tasks(platform, problem, tasks, options, limit_s);
      ASSERT_EQ(known.makespan_s, anew.makespan_s);
      ASSERT_EQ(known.transfers, anew.transfers);
      ASSERT_EQ(known.stopped, anew.stopped);
      ASSERT_EQ(known.tasks.size(), anew.tasks.size());
      for (std::size_t i = 0; i < anew.tasks.size(); ++i) {
        EXPECT_EQ(known.tasks[i].return_end_s, anew.tasks[i].return_end_s);
        EXPECT_EQ(known.tasks[i].compute_s, anew.tasks[i].compute_s);
      }
      if (anew.makespan_s < kUnknown) usual_s = anew.makespan_s;
      ++(anew.stopped ? stopped : over);
      // At the makespan itself it stops with the last transfer.
      if (anew.makespan_s == kUnknown) continue;
      const auto last = runs.serve(tasks, options, anew.makespan_s);
      EXPECT_TRUE(last.stopped);
      EXPECT_EQ(last.transfers, anew.transfers);
    }
  }
  EXPECT_GT(stopped, 500);
  EXPECT_GT(over, 500);
}

// Of a long run the dates are not kept: within one it is simulated again, and its order is that of
// the complete schedule whatever was asked for before.
TEST(Polaris, ServesLongSchedulesAsFarAsAsked) {
  const Problem problem{.r = 30, .s = 31, .t = 40, .block_size = 8};
  Platform platform = test::star({});
  platform.workers = {{.c_s = 1, .w_s = 3, .m_blocks = 6}, {.c_s = 2, .w_s = 2, .m_blocks = 9}};
  std::vector<RectangleTask> tasks{{0, {{0, 30}, {0, 17}}, {}}, {1, {{0, 30}, {17, 31}}, {}}};
  for (RectangleTask& task : tasks) {
    task.mode = polaris::find_cheapest_mode(platform.workers[task.worker], problem, problem.r,
                                            task.c.columns.size(), {});
  }
  const auto whole = serve_tasks(platform, problem, tasks, {}, kUnknown);
  ASSERT_GT(whole.transfers, 20'000);
  for (const bool complete_first : {false, true}) {
    polaris::ServingCache runs(platform, problem);
    if (complete_first) {
      EXPECT_EQ(runs.serve(tasks, {}, kUnknown).makespan_s, whole.makespan_s);
    }
    for (const double share : {0.7, 0.7, 0.3, 1.0, 0.9, 0.001, 1.1, 0.5, 1.0}) {
      const double limit_s = share * whole.makespan_s;
      const auto known = runs.serve(tasks, {}, limit_s);
      const auto anew = serve_tasks(platform, problem, tasks, {}, limit_s);
      EXPECT_EQ(known.makespan_s, anew.makespan_s) << share;
      EXPECT_EQ(known.transfers, anew.transfers) << share;
      EXPECT_EQ(known.stopped, anew.stopped) << share;
      EXPECT_EQ(known.tasks.size(), anew.tasks.size()) << share;
      if (share == 0.3) {
        EXPECT_EQ(runs.order(tasks, {}), whole.order);
      }
    }
    EXPECT_EQ(runs.order(tasks, {}), whole.order);
  }
}

// A small table is asked for many parts: most of them take the place of another one.
TEST(Polaris, EstimatesOfPartsAreThoseOfTheirModes) {
  test::Random random(7);
  auto [platform, problem] = remembered_case(random);
  problem.r = 200;
  problem.s = 200;
  polaris::Estimator estimator(platform, problem, {});
  for (int ask = 0; ask < 20'000; ++ask) {
    const int worker = static_cast<int>(random.integer(0, 1));
    const std::int64_t rows = random.integer(1, problem.r);
    const std::int64_t columns = random.integer(1, 40);
    estimator.modes.prefetch = static_cast<polaris::Prefetch>(random.integer(0, 2));
    estimator.modes.spare_columns = random.integer(0, 1);
    const Worker& figures = platform.workers[static_cast<std::size_t>(worker)];
    const Mode mode = find_cheapest_mode(figures, problem, rows, columns, estimator.modes);
    const double port_s =
        mode.kind == Mode::Kind::none
            ? kUnknown
            : mode.blocks * figures.c_s + static_cast<double>(mode.messages) * figures.latency_s;
    ASSERT_EQ(estimator.estimate_part(worker, rows, columns).port_s, port_s);
    ASSERT_EQ(estimator.operations, ask + 1);
  }
}

polaris::Tiling equal_tiling(std::int32_t strips, std::int32_t parts, std::int32_t side) {
  polaris::Tiling tiling;
  int worker = 0;
  for (std::int32_t i = 0; i < strips; ++i) {
    polaris::Strip& strip = tiling.strips.emplace_back();
    strip.width = side / strips;
    for (std::int32_t j = 0; j < parts; ++j)
      strip.parts.push_back({.worker = worker++, .height = side / parts});
  }
  return tiling;
}

TEST(Polaris, BalancedTilingsEndSoonerWhereNoPortIsShared) {
  test::Random random(3);
  const Problem problem{.r = 24, .s = 24, .t = 10, .block_size = 1};
  for (int trial = 0; trial < 20; ++trial) {
    Platform platform = test::star({});
    for (int i = 0; i < 12; ++i) {
      platform.workers.push_back(
          {.c_s = random.real(0.1, 1), .w_s = random.real(0.1, 1), .m_blocks = 200});
    }
    const polaris::Tiling equal = equal_tiling(3, 4, 24);
    polaris::Tiling tiling = equal;
    const polaris::Estimator of_one_port(platform, problem, {});
    polaris::balance(tiling, of_one_port, problem);
    EXPECT_EQ(of_one_port.makespan_s(tiling), of_one_port.makespan_s(equal));

    platform.port.kind = Port::Kind::multi;
    const polaris::Estimator estimator(platform, problem, {});
    polaris::balance(tiling, estimator, problem);
    EXPECT_LT(estimator.makespan_s(tiling), 0.8 * estimator.makespan_s(equal));
    std::int32_t width = 0;
    for (const polaris::Strip& strip : tiling.strips) {
      width += strip.width;
      std::int32_t height = 0;
      for (const polaris::Part& part : strip.parts) height += part.height;
      EXPECT_EQ(height, 24);
      // No row that goes from one worker of the strip to another one lets the strip end sooner.
      const double end_s = estimator.estimate_strip(tiling, strip).longest_s;
      for (std::size_t from = 0; from < 4; ++from) {
        for (std::size_t to = 0; to < 4; ++to) {
          polaris::Strip shifted = strip;
          if (--shifted.parts[from].height == 0) continue;
          ++shifted.parts[to].height;
          EXPECT_GE(estimator.estimate_strip(tiling, shifted).longest_s, end_s);
        }
      }
    }
    EXPECT_EQ(width, 24);
  }
}

}  // namespace
}  // namespace starport
