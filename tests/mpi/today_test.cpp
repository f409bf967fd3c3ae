// What workers take just before a run, beside what their platform file says.
#include "sim/mpi/calibration/today.hpp"

#include "sim/app/known.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/star/recurrence.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace starport::mpi {
namespace {

constexpr std::int64_t kBytes = 8 * 4 * 4;  ///< of a block

/// A worker of which so many times the file's figures are measured now: 2 x 2 blocks of C, operands
/// of 4, updates of 4.
LinkMeasures now(double updates, double transfers) {
  const double message_s = transfers * 4e-3;
  LinkMeasures measures;
  measures.links = {{.worker = 1, .bytes = 4 * kBytes, .to_worker_s = {message_s, message_s}},
                    {.worker = 1,
                     .bytes = 4 * kBytes,
                     .to_worker_s = {message_s, message_s},
                     .to_master_s = {message_s}}};
  measures.updates = {{{.rows = 2, .columns = 2, .seconds = updates * 5e-4}}};
  return measures;
}

PlatformFile measured_file(double spread) {
  using nlohmann::json;
  json updates = json::array();
  for (const double times : {1 - spread, 1., 1 + spread}) {
    for (int n = 0; n < 3; ++n) updates.push_back(5e-4 * times);
  }
  const json there = json::array({4e-3, 4e-3});
  const json samples{
      {"dgemm", {{{"worker", 1}, {"block_size", 4}, {"update_s", updates}}}},
      {"links",
       {{{"worker", 1}, {"bytes", 4 * kBytes}, {"to_worker_s", there}},
        {{"worker", 1}, {"bytes", 4 * kBytes}, {"to_worker_s", there}, {"to_master_s", there}}}},
      {"lasted_s", 1}};
  const test::TemporaryFile file(
      json{{"schema_version", 1},
           {"name", "measured"},
           {"block_size", 4},
           {"provenance", {{"text", "t"}, {"samples", samples}}},
           {"workers", {{{"c_s", 1e-3}, {"w_s", 5e-4}, {"m_blocks", 45}}}}}
          .dump());
  return load_platform(file.path());
}

TEST(Today, WhatHasChangedIsSeen) {
  const PlatformFile file = measured_file(0);
  const Platform platform = file.at_block_size(4);
  EXPECT_TRUE(has_samples(file, 4));
  EXPECT_FALSE(has_samples(file, 8));
  PlatformFile few = file;
  few.samples->dgemm[0].update_s.resize(kFewestSamples - 1);
  EXPECT_FALSE(has_samples(few, 4));
  const auto changes = [&](double updates, double transfers) {
    return changes_text(platform, "some/where.json",
                        compare_today(file, 4, now(updates, transfers)));
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(changes(1, 1), Texts{});
  EXPECT_EQ(changes(1.04, 0.96), Texts{});
  EXPECT_EQ(changes(1.15, 1),
            Texts{"worker 1 updates a block in 575 us today, 500 us in where.json"});
  EXPECT_EQ(changes(1, 0.8), Texts{"worker 1 gets a block in 800 us today, 1 ms in where.json"});
}

TEST(Today, WhatWasLeftOpenIsNoChange) {
  const PlatformFile file = measured_file(0.5);
  const auto today = compare_today(file, 4, now(1.15, 1));
  EXPECT_NEAR(today[0].updates.times, 1.15, 1e-9);
  EXPECT_FALSE(today[0].updates.seen());
}

TEST(Today, ThePredictionFollows) {
  const PlatformFile file = measured_file(0);
  const Platform platform = file.at_block_size(4);
  const Problem problem{.r = 24, .s = 24, .t = 24, .block_size = 4};
  const auto algorithms = known().read_algorithms("Het", "heuristics");
  const Planner planner = planner_of(algorithms.front(), platform, problem);
  const Trace trace = trace_by_recurrence(*planner().dispatcher, platform, problem);
  const Foreseen run{
      .file = file, .platform = platform, .problem = problem, .planner = planner, .trace = trace};
  const auto makespan_s = [&](double updates, double transfers) {
    const Prediction today =
        predict_today(run, compare_today(file, 4, now(updates, transfers)), strays(run));
    const double today_s = metrics_of(platform, today.trace).makespan_s;
    EXPECT_NEAR(today.interval_s->low, today_s, 1e-9);  // all times are the same in the file
    EXPECT_NEAR(today.interval_s->high, today_s, 1e-9);
    return today_s;
  };
  const double before_s = metrics_of(platform, predicted_trace(run)).makespan_s;
  EXPECT_NEAR(makespan_s(1, 1), before_s, 1e-9);
  EXPECT_NEAR(makespan_s(2, 2), 2 * before_s, 1e-9);
  EXPECT_GT(makespan_s(1, 2), 1.2 * before_s);
  EXPECT_GE(makespan_s(2, 1), before_s);
}

TEST(Today, TheIntervalIsWhatTheCalibrationDidAfterALook) {
  // Half of the time it takes 4/5 of what it takes in the other half. A look and a run, a quarter
  // of the time each, at each eighth: 1, 9/8, 5/4, 10/9, 1, 9/10, 4/5 and 8/9 times as long.
  PlatformFile file = measured_file(0);
  file.samples->dgemm[0].update_s = {4e-4, 4e-4, 4e-4, 4e-4, 5e-4, 5e-4, 5e-4, 5e-4};
  file.samples->links.clear();
  file.samples->lasted_s = 4 * kLook_s;
  Platform platform = file.at_block_size(4);
  platform.workers[0].c_s = 1e-9;
  const Problem problem{.r = 2, .s = 2, .t = 150, .block_size = 4};  // 0.3 s
  const auto algorithms = known().read_algorithms("Het", "heuristics");
  const Planner planner = planner_of(algorithms.front(), platform, problem);
  const Trace trace = trace_by_recurrence(*planner().dispatcher, platform, problem);
  const Foreseen run{
      .file = file, .platform = platform, .problem = problem, .planner = planner, .trace = trace};
  const double spread = std::sqrt((1. / 64 + 1. / 16 + 1. / 81 + 1. / 100 + 1. / 25 + 1. / 81) / 8);
  EXPECT_NEAR(*strays(run), spread, 1e-4);
  const Prediction today = predict_today(run, {{}}, strays(run));
  EXPECT_NEAR(metrics_of(platform, today.trace).makespan_s, 0.3, 1e-5);
  const double half_s = 4.3027 * std::sqrt(4. / 3) * spread * 0.3;  // of three, where there are two
  EXPECT_NEAR(today.interval_s->low, 0.3 - half_s, 1e-4);
  EXPECT_NEAR(today.interval_s->high, 0.3 + half_s, 1e-4);
  file.samples->lasted_s.reset();
  EXPECT_FALSE(strays(run));
  EXPECT_FALSE(predict_today(run, {{}}, strays(run)).interval_s);
}

}  // namespace
}  // namespace starport::mpi
