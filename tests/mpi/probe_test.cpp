// Comparing the current speed of workers with their calibration.
#include "sim/mpi/execution/probe.hpp"

#include "sim/app/model_registry.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/star/analytic_run.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace starport::mpi {
namespace {

constexpr std::int64_t kBlockBytes = 8 * 4 * 4;

/// A worker of which so many times the file's figures are measured now: 2 x 2 blocks of C, operands
/// of 4, updates of 4.
LinkMeasures make_probe(double updates, double transfers) {
  const double message_s = transfers * 4e-3;
  LinkMeasures measures;
  measures.links = {{.worker = 1, .bytes = 4 * kBlockBytes, .to_worker_s = {message_s, message_s}},
                    {.worker = 1,
                     .bytes = 4 * kBlockBytes,
                     .to_worker_s = {message_s, message_s},
                     .to_master_s = {message_s}}};
  measures.updates = {{{.rows = 2, .columns = 2, .seconds = updates * 5e-4}}};
  return measures;
}

/// Returns a platform file with samples; those of updates differ by `spread` up and down.
PlatformFile measured_file(double spread) {
  using nlohmann::json;
  json updates = json::array();
  for (const double times : {1 - spread, 1., 1 + spread}) {
    for (int n = 0; n < 3; ++n) updates.push_back(5e-4 * times);
  }
  const json there = json::array({4e-3, 4e-3});
  const json samples{{"dgemm", {{{"worker", 1}, {"block_size", 4}, {"update_s", updates}}}},
                     {"links",
                      {{{"worker", 1}, {"bytes", 4 * kBlockBytes}, {"to_worker_s", there}},
                       {{"worker", 1},
                        {"bytes", 4 * kBlockBytes},
                        {"to_worker_s", there},
                        {"to_master_s", there}}}},
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

TEST(Probe, SignificantChangesAreDescribed) {
  const PlatformFile file = measured_file(0);
  const Platform platform = file.at_block_size(4);
  EXPECT_TRUE(has_samples(file, 4));
  EXPECT_FALSE(has_samples(file, 8));
  PlatformFile few = file;
  few.samples->dgemm[0].update_s.resize(kMinSamples - 1);
  EXPECT_FALSE(has_samples(few, 4));
  const auto changes = [&](double updates, double transfers) {
    return describe_changes(platform, "some/where.json",
                            compare_with_calibration(file, 4, make_probe(updates, transfers)));
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(changes(1, 1), Texts{});
  EXPECT_EQ(changes(1.04, 0.96), Texts{});
  EXPECT_EQ(changes(1.15, 1),
            Texts{"worker 1 now takes 575 us to update a block, but 500 us in where.json"});
  EXPECT_EQ(changes(1, 0.8),
            Texts{"worker 1 now takes 800 us to receive a block, but 1 ms in where.json"});
}

TEST(Probe, ChangesWithinTheUncertaintyAreNotSignificant) {
  const PlatformFile file = measured_file(0.5);
  const auto changes = compare_with_calibration(file, 4, make_probe(1.15, 1));
  EXPECT_NEAR(changes[0].updates.factor, 1.15, 1e-9);
  EXPECT_FALSE(changes[0].updates.is_significant());
}

TEST(Probe, PredictionFollowsTheCurrentSpeed) {
  const PlatformFile file = measured_file(0);
  const Platform platform = file.at_block_size(4);
  const Problem problem{.r = 24, .s = 24, .t = 24, .block_size = 4};
  const auto algorithms = model_registry().read_algorithms("Het", "heuristics");
  const Planner planner = make_planner(algorithms.front(), platform, problem);
  const Trace trace = run_to_trace(*planner().dispatcher, platform, problem);
  const PlannedRun run{
      .file = file, .platform = platform, .problem = problem, .planner = planner, .trace = trace};
  const auto predict_makespan_s = [&](double updates, double transfers) {
    const Prediction prediction =
        predict_from_probe(run, compare_with_calibration(file, 4, make_probe(updates, transfers)),
                           relative_drift(run));
    const double makespan_s = compute_metrics(platform, prediction.trace).makespan_s;
    EXPECT_NEAR(prediction.interval_s->low, makespan_s,
                1e-9);  // all samples of the file are the same
    EXPECT_NEAR(prediction.interval_s->high, makespan_s, 1e-9);
    return makespan_s;
  };
  const double before_s = compute_metrics(platform, predict_trace(run)).makespan_s;
  EXPECT_NEAR(predict_makespan_s(1, 1), before_s, 1e-9);
  EXPECT_NEAR(predict_makespan_s(2, 2), 2 * before_s, 1e-9);
  EXPECT_GT(predict_makespan_s(1, 2), 1.2 * before_s);
  EXPECT_GE(predict_makespan_s(2, 1), before_s);
}

TEST(Probe, IntervalIsThatOfRunsAfterProbesInTheCalibration) {
  // In half of the calibration, an update takes 4/5 of what it takes in the other half. With a
  // probe and a run of a quarter of the calibration each, that start at each eighth, the runs take
  // 1, 9/8, 5/4, 10/9, 1, 9/10, 4/5 and 8/9 of what the probes predict.
  PlatformFile file = measured_file(0);
  file.samples->dgemm[0].update_s = {4e-4, 4e-4, 4e-4, 4e-4, 5e-4, 5e-4, 5e-4, 5e-4};
  file.samples->links.clear();
  file.samples->lasted_s = 4 * kMinProbe_s;
  Platform platform = file.at_block_size(4);
  platform.workers[0].c_s = 1e-9;
  const Problem problem{.r = 2, .s = 2, .t = 150, .block_size = 4};  // 0.3 s
  const auto algorithms = model_registry().read_algorithms("Het", "heuristics");
  const Planner planner = make_planner(algorithms.front(), platform, problem);
  const Trace trace = run_to_trace(*planner().dispatcher, platform, problem);
  const PlannedRun run{
      .file = file, .platform = platform, .problem = problem, .planner = planner, .trace = trace};
  const double spread = std::sqrt((1. / 64 + 1. / 16 + 1. / 81 + 1. / 100 + 1. / 25 + 1. / 81) / 8);
  EXPECT_NEAR(*relative_drift(run), spread, 1e-4);
  const Prediction prediction = predict_from_probe(run, {{}}, relative_drift(run));
  EXPECT_NEAR(compute_metrics(platform, prediction.trace).makespan_s, 0.3, 1e-5);
  const double half_s = 4.3027 * std::sqrt(4. / 3) * spread * 0.3;  // at least three pairs
  EXPECT_NEAR(prediction.interval_s->low, 0.3 - half_s, 1e-4);
  EXPECT_NEAR(prediction.interval_s->high, 0.3 + half_s, 1e-4);
  file.samples->lasted_s.reset();
  EXPECT_FALSE(relative_drift(run));
  EXPECT_FALSE(predict_from_probe(run, {{}}, relative_drift(run)).interval_s);
}

}  // namespace
}  // namespace starport::mpi
