// Comparing the current speed of workers with their calibration.
#include "sim/mpi/execution/probe.hpp"

#include "sim/app/model_registry.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/platform/student_t.hpp"
#include "sim/star/analytic_run.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <utility>
#include <vector>

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

TEST(Probe, ChangesOfMoreThanFivePercentAreDescribed) {
  const PlatformFile file = measured_file(0);
  const Platform platform = file.at_block_size(4);
  EXPECT_TRUE(has_samples(file, 4));
  EXPECT_FALSE(has_samples(file, 8));
  PlatformFile few = file;
  few.samples->dgemm[0].update_s.resize(kMinSamples - 1);
  EXPECT_FALSE(has_samples(few, 4));
  const auto changes = [&](double updates, double transfers) {
    return describe_changes(
        platform, "some/where.json",
        compare_with_calibration(file, platform, 4, make_probe(updates, transfers)));
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(changes(1, 1), Texts{});
  EXPECT_EQ(changes(1.04, 0.96), Texts{});
  EXPECT_EQ(changes(1.15, 1),
            Texts{"worker 1 now takes 575 us to update a block, but 500 us in where.json"});
  EXPECT_EQ(changes(1, 0.8),
            Texts{"worker 1 now takes 800 us to receive a block, but 1 ms in where.json"});
}

// Small chunks are updated faster than large ones: a probe that measures what the file says for its
// largest chunk shows no change.
TEST(Probe, UpdatesAreComparedWithThoseOfChunksOfTheirSize) {
  PlatformFile file = measured_file(0);
  const auto sample = [](std::int64_t side, double update_s) {
    const auto blocks = static_cast<double>(side * side);
    return SpeedSample{
        .rows = side, .columns = side, .block_size = 4, .seconds = blocks * update_s};
  };
  file.entries.front().speed_function = {sample(1, 4e-4), sample(2, 4.8e-4), sample(4, 5e-4)};
  const auto changes =
      compare_with_calibration(file, file.at_block_size(4), 4, make_probe(0.96 * 1.1, 1));
  EXPECT_NEAR(changes[0].updates, 1.1, 1e-9);
}

TEST(Probe, TheWorkerWhoseUpdatesVaryMostCounts) {
  LinkMeasures probe = make_probe(1, 1);
  const UpdateSample sample = probe.updates[0].front();
  probe.updates[0].assign(16, sample);
  probe.updates.push_back(probe.updates[0]);
  EXPECT_NEAR(update_variance(probe), 0, 1e-20);
  for (std::size_t n = 0; n < 4; ++n) probe.updates[1][n].seconds *= 2;
  EXPECT_GT(update_variance(probe), 0.01);
}

/// A run of Het on the worker of a file, whose parts outlive it.
struct HetRun {
  explicit HetRun(PlatformFile calibrated, const Problem& product)
      : file(std::move(calibrated)),
        platform(file.at_block_size(4)),
        problem(product),
        algorithms(model_registry().read_algorithms("Het", "heuristics")),
        planner(make_planner(algorithms.front(), platform, problem)),
        trace(run_to_trace(*planner().dispatcher, platform, problem)),
        run{.file = file,
            .platform = platform,
            .problem = problem,
            .planner = planner,
            .trace = trace} {}
  HetRun(const HetRun&) = delete;
  HetRun& operator=(const HetRun&) = delete;

  double makespan_s(const Trace& of) const { return compute_metrics(platform, of).makespan_s; }

  PlatformFile file;
  Platform platform;
  Problem problem;
  std::vector<NamedAlgorithm> algorithms;
  Planner planner;
  Trace trace;
  PlannedRun run;
};

TEST(Probe, PredictionFollowsTheCurrentSpeed) {
  const HetRun het(measured_file(0), {.r = 24, .s = 24, .t = 24, .block_size = 4});
  const auto variation = estimate_makespan_variation(het.run);
  const auto predict_makespan_s = [&](double updates, double transfers) {
    const Prediction prediction = predict_from_probe(
        het.run, variation,
        compare_with_calibration(het.file, het.platform, 4, make_probe(updates, transfers)), 0.3);
    const double makespan_s = het.makespan_s(prediction.trace);
    // All samples of the file are the same, so that only the error of the model is left.
    EXPECT_NEAR(prediction.interval_s->low, makespan_s * std::exp(-kNormal975 * kModelError), 1e-9);
    EXPECT_NEAR(prediction.interval_s->high, makespan_s * std::exp(kNormal975 * kModelError), 1e-9);
    return makespan_s;
  };
  const double before_s = het.makespan_s(predict_trace(het.run));
  EXPECT_NEAR(predict_makespan_s(1, 1), before_s, 1e-9);
  EXPECT_NEAR(predict_makespan_s(2, 2), 2 * before_s, 1e-9);
  EXPECT_GT(predict_makespan_s(1, 2), 1.2 * before_s);
  EXPECT_GE(predict_makespan_s(2, 1), before_s);
  EXPECT_FALSE(predict_from_probe(het.run, {}, {{}}, 0.3).interval_s);
}

TEST(Probe, CalibrationAndProbeCountAsMuchAsTheyAreCertain) {
  // Moments differ, but spans of two moments do not, so that the probe of one moment tells little.
  PlatformFile file = measured_file(0);
  auto& updates = file.samples->dgemm[0].update_s;
  updates.clear();
  for (int span = 0; span < 8; ++span) updates.insert(updates.end(), {2e-4, 8e-4});
  file.samples->links.clear();
  file.samples->lasted_s = 1.6;
  const HetRun het(file, {.r = 24, .s = 24, .t = 24, .block_size = 4});
  const auto variation = estimate_makespan_variation(het.run);
  ASSERT_TRUE(variation);
  EXPECT_EQ(variation->between(), 0);
  const double before_s = het.makespan_s(predict_trace(het.run));
  const Prediction prediction =
      predict_from_probe(het.run, variation, {{.updates = 1.2, .transfers = 1.2}}, 0.1);
  const double predicted_s = het.makespan_s(prediction.trace);
  EXPECT_GT(predicted_s, before_s);
  EXPECT_LT(predicted_s, 1.1 * before_s);
  EXPECT_LT(prediction.interval_s->low, predicted_s);
  EXPECT_GT(prediction.interval_s->high, predicted_s);

  // A long one tells more.
  const Prediction longer =
      predict_from_probe(het.run, variation, {{.updates = 1.2, .transfers = 1.2}}, 3);
  EXPECT_GT(het.makespan_s(longer.trace), 1.1 * before_s);
  EXPECT_LT(longer.interval_s->high / longer.interval_s->low,
            prediction.interval_s->high / prediction.interval_s->low);

  // So does a short one whose result no such moment explains: the machine has changed.
  const Prediction changed =
      predict_from_probe(het.run, variation, {{.updates = 4, .transfers = 4}}, 0.1);
  EXPECT_GT(het.makespan_s(changed.trace), 3 * before_s);
  EXPECT_GT(changed.interval_s->high / changed.interval_s->low,
            prediction.interval_s->high / prediction.interval_s->low);
}

TEST(Probe, LastsAsLongAsTheVariationAsksFor) {
  const Calibration samples{.dgemm = {}, .links = {}, .lasted_s = 4};
  const auto duration_s = [&](double deviation, double run_s) {
    const TimeVariation variation{.mean_square_between = 0,
                                  .within = deviation * deviation,
                                  .spans = 8,
                                  .moments_per_span = 5};
    return probe_duration_s(samples, variation, run_s);
  };
  EXPECT_EQ(duration_s(0, 100), 0.3);
  const double brief_s = duration_s(0.02, 100);  // known to 1.5 % by some ten moments of 0.1 s
  EXPECT_GT(brief_s, 0.9);
  EXPECT_LT(brief_s, 1.1);
  EXPECT_NEAR(duration_s(0.03, 100), 9 * brief_s / 4, 1e-9);
  EXPECT_EQ(duration_s(0.1, 100), 3);
  EXPECT_NEAR(duration_s(0.1, 6), 2, 1e-9);
  EXPECT_EQ(probe_duration_s(samples, std::nullopt, 20), 2);
}

}  // namespace
}  // namespace starport::mpi
