// The parts of real runs, and the programs that calibrate and execute.
#include "sim/files/numbers.hpp"
#include "sim/kernel/loopback.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/sample_statistics.hpp"
#include "sim/star/validator/validator.hpp"
#include "tests/star/star_support.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace starport::mpi {
namespace {

TEST(Samples, MedianDispersionAndLine) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
  // Quartiles of 1, 2, 3, 4, 100: 2 and 4; half of their distance over 3.
  EXPECT_DOUBLE_EQ(relative_dispersion({100, 4, 3, 2, 1}), 1.0 / 3);
  // y = 2 x + 1 but for one point, which the median of the slopes leaves out.
  const Line line = fit_theil_sen({1, 2, 3, 4, 5}, {3, 5, 70, 9, 11});
  EXPECT_DOUBLE_EQ(line.slope, 2);
  EXPECT_DOUBLE_EQ(line.intercept, 1);
  EXPECT_EQ(fit_theil_sen({1, 2}, {1, 3}).intercept,
            0);  // -1: a message does not end before it starts
}

TEST(Samples, ALinkIsFittedFromItsOwnSamples) {
  // 1 us and 1 ns a byte for worker 2; worker 1 is another link.
  std::vector<Calibration::Link> links;
  for (const std::int64_t bytes : {1000, 2000, 8000}) {
    const double seconds = 1e-6 + 1e-9 * static_cast<double>(bytes);
    links.push_back({.worker = 1, .bytes = bytes, .to_worker_s = {9}, .to_master_s = {9}});
    links.push_back(
        {.worker = 2, .bytes = bytes, .to_worker_s = {seconds}, .to_master_s = {seconds}});
  }
  const FittedLink link = fit_link(links, 2);
  EXPECT_NEAR(link.bandwidth_bytes_per_s, 1e9, 1);
  EXPECT_NEAR(link.latency_s, 1e-6, 1e-12);
  // Larger messages took less time: the largest one alone counts, 8000 bytes in 9 s.
  links.push_back({.worker = 3, .bytes = 8000, .to_worker_s = {9}, .to_master_s = {9}});
  links.push_back({.worker = 3, .bytes = 1000, .to_worker_s = {10}, .to_master_s = {10}});
  EXPECT_DOUBLE_EQ(fit_link(links, 3).bandwidth_bytes_per_s, 8000.0 / 9);
  EXPECT_EQ(fit_link(links, 3).latency_s, 0);
}

TEST(NodeMeasures, TheBestBlockSizeIsTheSmallestNearTheFastest) {
  // Speeds 2 q^3 / w: 2, 9.9, 10 and 8 Gflop/s.
  const auto series = [](std::int64_t q, double flops) {
    const auto side = static_cast<double>(q);
    return Calibration::Dgemm{.worker = 1,
                              .block_size = q,
                              .warm_s = {1},
                              .cold_s = {1},
                              .update_s = {2 * side * side * side / flops}};
  };
  EXPECT_EQ(best_block_size_index(
                {series(10, 2e9), series(320, 1e10), series(80, 9.9e9), series(640, 8e9)}),
            2U);
}

/// A trace whose durations are not the model's, as real ones are not.
TEST(Validator, AnObservedTraceMayLastOtherwiseButKeepsOrderAndMemory) {
  const auto [platform, problem] = test::random_instance(4);
  const Trace model = test::by_recurrence("ODDOML", platform, problem);
  Trace real = model;
  // Everything later and later, by what only grows: order and causality stay.
  const auto slower = [](double date_s) { return date_s * 1.25; };
  for (auto& [transfer, dates] : real) {
    dates = {slower(dates.start_s), slower(dates.end_s), slower(dates.update_start_s),
             slower(dates.update_end_s)};
  }
  EXPECT_TRUE(find_violation(platform, problem, real).has_value());
  EXPECT_FALSE(find_violation(platform, problem, real, Timing::observed).has_value());

  Trace early_events =
      real;  // a transfer that starts before the end of the update that it waits for
  for (std::size_t i = 0; i < early_events.size(); ++i) {
    if (early_events[i].transfer.direction != Direction::to_master) continue;
    early_events[i].dates.start_s = early_events[i - 1].dates.start_s;
    break;
  }
  EXPECT_TRUE(find_violation(platform, problem, early_events, Timing::observed).has_value());
  Trace backwards = real;
  std::swap(backwards.back().dates.start_s, backwards.back().dates.end_s);
  EXPECT_TRUE(find_violation(platform, problem, backwards, Timing::observed).has_value());
}

}  // namespace
}  // namespace starport::mpi
