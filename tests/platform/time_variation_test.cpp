// The random-effects model of durations that vary with time.
#include "sim/platform/time_variation.hpp"

#include "sim/platform/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

namespace starport {
namespace {

double normal(Random& random) {
  double sum = -6;
  for (int n = 0; n < 12; ++n) sum += random.real(0, 1);
  return sum;
}

TEST(TimeVariation, ComponentsAreThoseOfTheAnalysisOfVariance) {
  // Two spans of two moments: within a span the logarithms differ by 2, the spans by 4.
  const auto variation =
      estimate_time_variation({std::exp(0.), std::exp(2.), std::exp(4.), std::exp(6.)});
  ASSERT_TRUE(variation);
  EXPECT_EQ(variation->spans, 2);
  EXPECT_EQ(variation->moments_per_span, 2);
  EXPECT_NEAR(variation->within, 2, 1e-12);
  EXPECT_NEAR(variation->mean_square_between, 16, 1e-12);
  EXPECT_NEAR(variation->between(), 7, 1e-12);
  EXPECT_NEAR(variation->variance_of_mean(1), 7 + 2, 1e-12);
  EXPECT_NEAR(variation->variance_of_mean(4), 7 / 2. + 2 / 4., 1e-12);
  EXPECT_FALSE(estimate_time_variation({1, 2, 3}));
  EXPECT_FALSE(estimate_time_variation({1, 2, 3, 0}));
}

TEST(TimeVariation, OneInterruptionChangesLittle) {
  std::vector<double> durations;
  for (int n = 0; n < 40; ++n) durations.push_back(n % 2 == 0 ? 1 : 1.02);
  const double before = estimate_time_variation(durations)->within;
  durations[7] = 2;
  EXPECT_LT(estimate_time_variation(durations)->within, 3 * before);
  durations.assign(40, 1);  // the median absolute deviation is 0
  durations[7] = 2;
  EXPECT_GT(estimate_time_variation(durations)->within, 0.001);
}

TEST(TimeVariation, AChangeThatTheCalibrationDidNotSeeIsBelieved) {
  // As a machine that was quiet during the calibration and is slower now.
  const TimeVariation quiet{
      .mean_square_between = 1e-4, .within = 1e-4, .spans = 8, .moments_per_span = 5};
  EXPECT_GT(predict_level(quiet, 20, 3).probe_weight, 0.98);
  // A program that began since takes half of the time, in turns that the probe sees.
  const ProbedLevel disturbed{.level = std::log(2), .variance = 0.03};
  const PredictedLevel level = predict_level(quiet, 20, 3, disturbed);
  EXPECT_GT(level.probe_weight, 0.9);
  EXPECT_GT(level.half_width, 0.4);
  EXPECT_LT(predict_level(quiet, 20, 3, {.level = 0.1, .variance = 0.03}).probe_weight, 0.2);
}

// Of runs drawn from the model itself, 95 % or some more lie in their intervals.
TEST(TimeVariation, IntervalsHoldWhatTheyPromise) {
  Random random(1);
  constexpr int runs = 2000;
  constexpr int spans = 8;
  constexpr int moments = 5;
  for (const auto& deviations : {std::pair(0.1, 0.02), std::pair(0.03, 0.1)}) {
    const double between = deviations.first;
    const double within = deviations.second;
    int held = 0;
    for (int run = 0; run < runs; ++run) {
      const double calibrated_minutes = between * normal(random);
      std::vector<double> durations;
      for (int span = 0; span < spans; ++span) {
        const double effect = calibrated_minutes + between * normal(random);
        for (int n = 0; n < moments; ++n) {
          durations.push_back(std::exp(effect + within * normal(random)));
        }
      }
      double log_mean = 0;
      for (const double duration : durations) log_mean += std::log(duration) / (spans * moments);
      const double minutes = between * normal(random) - log_mean;
      const auto draw = [&] {
        return minutes + between * normal(random) + within * normal(random);
      };
      const auto variation = estimate_time_variation(durations);
      const double probed = draw();
      const PredictedLevel level = predict_level(*variation, 1, 1, {.level = probed});
      held += std::abs(draw() - level.probe_weight * probed) <= level.half_width;
    }
    EXPECT_GT(held, 0.93 * runs) << between << ' ' << within;
    EXPECT_LT(held, 0.99 * runs) << between << ' ' << within;
  }
}

TEST(TimeVariation, AProbeCountsTheMoreTheLongerItIs) {
  const auto variation = estimate_time_variation({1, 1.1, 0.9, 1, 1.2, 1.3, 1.1, 1.2});
  ASSERT_TRUE(variation);
  const PredictedLevel brief = predict_level(*variation, 1, 0.5);
  const PredictedLevel longer = predict_level(*variation, 1, 20);
  EXPECT_LT(brief.probe_weight, longer.probe_weight);
  EXPECT_LT(longer.probe_weight, 1);
  EXPECT_GT(brief.half_width, longer.half_width);
}

// A machine that was quiet during the calibration and interrupts the probe for a quarter of it.
TEST(TimeVariation, AnInterruptedProbeCountsLess) {
  const TimeVariation quiet{
      .mean_square_between = 1e-4, .within = 1e-4, .spans = 8, .moments_per_span = 5};
  std::vector<double> durations(40, 1);
  EXPECT_EQ(variance_of_mean_logarithm(durations), 0);
  EXPECT_EQ(variance_of_mean_logarithm({1, 2, 1}), 0);
  for (int k = 10; k < 20; ++k) durations[static_cast<std::size_t>(k)] = 2;
  const double variance = variance_of_mean_logarithm(durations);
  // Two of eight spans at ln 2.
  EXPECT_NEAR(variance, std::log(2) * std::log(2) * (0.25 - 0.0625) / 7, 1e-12);
  const PredictedLevel calm = predict_level(quiet, 20, 3);
  const PredictedLevel interrupted = predict_level(quiet, 20, 3, {.variance = variance});
  EXPECT_LT(interrupted.probe_weight, 0.5 * calm.probe_weight);
  EXPECT_GT(interrupted.half_width, 2 * calm.half_width);
}

TEST(TimeVariation, MessagesAreAddedUpAsTheyOccur) {
  const Calibration samples{
      .dgemm = {{.worker = 1, .block_size = 80, .warm_s = {}, .cold_s = {}, .update_s = {1, 3}}},
      .links = {{.worker = 1, .bytes = 8, .to_worker_s = {1, 3}, .to_master_s = {}},
                {.worker = 1, .bytes = 80, .to_worker_s = {36}, .to_master_s = {28}}}};
  EXPECT_EQ(relative_updates(samples, 1, 80), (std::vector<double>{0.5, 1.5}));
  EXPECT_TRUE(relative_updates(samples, 1, 40).empty());
  // 64 messages of A and B for one of C each way.
  EXPECT_EQ(relative_transfers(samples, 1), (std::vector<double>{128. / 192, 256. / 192}));
  EXPECT_TRUE(relative_transfers(samples, 2).empty());
}

}  // namespace
}  // namespace starport
