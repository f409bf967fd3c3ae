// Statistics of samples, the block size that is chosen, speed as a function of size, and workers
// that differ.
#include "sim/kernel/speed_measures.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/kernel/emulation.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/sample_statistics.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace starport {
namespace {

TEST(Samples, TheMedianLiesBetweenTwoOfTheValues) {
  // Of ten values, at most one lies below the median with probability 11 / 1024, at most two with
  // 56 / 1024, which is more than 2.5%.
  const MedianInterval ten = median_interval({9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
  EXPECT_EQ(ten.low, 1);
  EXPECT_EQ(ten.high, 8);
  const MedianInterval six = median_interval({1, 2, 3, 4, 5, 6});  // 1 / 64 at each side
  EXPECT_EQ(six.low, 1);
  EXPECT_EQ(six.high, 6);
  std::vector<double> many(10'001);  // 1.96 standard deviations of 50 on each side
  std::iota(many.begin(), many.end(), 0);
  EXPECT_NEAR(median_interval(many).low, 5000 - 98, 1.5);
  EXPECT_NEAR(median_interval(many).high, 5000 + 98, 1.5);
  const MedianInterval one = median_interval({5});
  EXPECT_EQ(one.low, 5);
  EXPECT_EQ(one.high, 5);
}

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

TEST(Emulation, SlowsDownAndPages) {
  const Emulation paging{.slowdown = 2, .memory_bytes = 1000, .paging = 10};
  EXPECT_EQ(paging.factor(1000), 2);
  EXPECT_EQ(paging.factor(1500), 2 * (1 + 10 * 0.5));
  EXPECT_EQ(Emulation{}.factor(1e300), 1);
  EXPECT_EQ(held_bytes(2, 4), 3 * 2 * 16 * 8);
}

TEST(Unequal, ItemsSayWhichWorkersDiffer) {
  const auto workers = parse_unequal_workers(3, 2, "threads=1:4,slow=2:2.5,paging=2:24MiB:10");
  EXPECT_EQ(workers[0].threads, 4);
  EXPECT_EQ(workers[0].emulation.factor(1e9), 1);
  EXPECT_EQ(workers[1].threads, 2);
  EXPECT_EQ(workers[1].emulation.slowdown, 2.5);
  EXPECT_EQ(workers[1].emulation.memory_bytes, 24 * 0x1p20);
  EXPECT_EQ(workers[1].emulation.paging, 10);
  EXPECT_EQ(workers[2].threads, 2);
  EXPECT_EQ(parse_unequal_workers(1, 1, "")[0].emulation.factor(1e9), 1);
}

TEST(Unequal, EachFaultIsNamed) {
  const auto error_of = [](const char* text) -> std::string {
    try {
      parse_unequal_workers(3, 1, text);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of("slw=1:2"),
            "--unequal: expected items such as threads=1:2,slow=2:2.5,paging=3:24MiB:10, found "
            "'slw=1:2' (did you mean 'slow'?)");
  EXPECT_EQ(error_of("threads=1:2,slow=4:2"),
            "--unequal: expected a worker from 1 to 3 behind 'slow=', found 'slow=4:2'");
  EXPECT_EQ(error_of("slow=1:0.5"),
            "--unequal: expected a number, 1 or more, at its end, found 'slow=1:0.5'");
  EXPECT_EQ(error_of("paging=1:24MiB"),
            "--unequal: expected a number, 0 or more, at its end, found 'paging=1:24MiB'");
  EXPECT_NE(error_of("paging=1:24:10").find("found 'paging=1:24:10'"), std::string::npos);
  EXPECT_EQ(error_of("threads=1:0"),
            "--unequal: expected threads from 1 to 1024 at its end, found 'threads=1:0'");
}

/// A worker whose update of w blocks takes time_s(w); no room beyond `most` blocks.
template <class Time>
std::optional<SpeedSample> fake_sample(std::int64_t side, std::int64_t most, Time&& time_s) {
  if (side * side > most) return std::nullopt;
  return SpeedSample{
      .rows = side, .columns = side, .block_size = 4, .seconds = time_s(side * side)};
}

TEST(SpeedMeasures, PointsAreWhereTheCurveBends) {
  std::set<std::int64_t> measured;
  const auto samples = measure_speed_functions(64, [&](std::int64_t side) {
    EXPECT_TRUE(measured.insert(side).second) << side;  // none twice
    const auto constant = [](std::int64_t w) { return 0.01 * static_cast<double>(w); };
    const auto cliff = [](std::int64_t w) {  // from 24 x 24 blocks on
      const auto blocks = static_cast<double>(w);
      return 0.01 * blocks * (w <= 576 ? 1 : 1 + 10 * (blocks / 576 - 1));
    };
    return PerWorker<std::optional<SpeedSample>>{fake_sample(side, 100, constant),
                                                 fake_sample(side, 10'000, cliff)};
  });
  // The first worker has the same speed everywhere, and room for 8 x 8.
  EXPECT_EQ(samples[0].back().rows, 8);
  // Every side where the cliff begins, few of those before, where the speed is the same.
  for (const std::int64_t side : {24, 25, 26, 27, 28}) EXPECT_TRUE(measured.contains(side)) << side;
  for (const std::int64_t side : {5, 7, 13, 22, 23}) EXPECT_FALSE(measured.contains(side)) << side;
  EXPECT_EQ(samples[1].back().rows, 64);
  for (std::size_t i = 1; i < samples[1].size(); ++i) {
    EXPECT_GT(samples[1][i].seconds, samples[1][i - 1].seconds);
  }
}

TEST(SpeedMeasures, WhatOtherPointsContradictIsLeftOut) {
  const auto samples = measure_speed_functions(8, [](std::int64_t side) {
    const double seconds = side == 2 ? 100 : static_cast<double>(side * side);
    return PerWorker<std::optional<SpeedSample>>{
        fake_sample(side, 100, [&](std::int64_t) { return seconds; })};
  });
  for (const SpeedSample& sample : samples[0]) EXPECT_NE(sample.rows, 2);
  EXPECT_EQ(samples[0].back().seconds, 64);
}

TEST(SpeedMeasures, AWorkerIsMeasuredWithinItsMemory) {
  SpeedMeter meter(4, {}, held_bytes(9, 4));
  EXPECT_FALSE(meter.measure(4).has_value());
  const auto sample = meter.measure(3);
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(sample->blocks(), 9);
  EXPECT_EQ(sample->inner, 1);
  EXPECT_GT(sample->seconds, 0);
  EXPECT_LE(sample->interval_s->low, sample->seconds);
  EXPECT_GE(sample->interval_s->high, sample->seconds);
  EXPECT_EQ(largest_side(held_bytes(9, 4), 4, 64), 3);
  EXPECT_EQ(largest_side(held_bytes(100, 4), 4, 5), 5);
  EXPECT_THROW(largest_side(held_bytes(3, 4), 4, 64), InputError);
}

}  // namespace
}  // namespace starport
