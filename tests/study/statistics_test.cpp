#include "sim/study/statistics.hpp"

#include "sim/study/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace starport {
namespace {

TEST(Statistics, MedianIsBetweenTheTwoInTheMiddle) {
  EXPECT_EQ(median_of({3, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 2, 3}), 2.5);
}

// 1, 2, 3: mean 2, standard deviation 1, error 1/sqrt(3). Student's 97.5% quantile at two degrees
// of freedom solves t / sqrt(2 + t^2) = 0.95: t = 0.95 sqrt(2 / (1 - 0.95^2)) = 4.302653.
TEST(Statistics, IntervalIsStudents) {
  const Interval interval = interval_of({1, 2, 3});
  const double t = 0.95 * std::sqrt(2 / (1 - 0.95 * 0.95));
  EXPECT_NEAR(interval.low, 2 - t / std::sqrt(3), 1e-9);
  EXPECT_NEAR(interval.high, 2 + t / std::sqrt(3), 1e-9);
}

Result result(const char* name, std::vector<double> makespans_s) {
  Result one;
  one.heuristic = name;
  one.repetitions = repetitions_of(std::move(makespans_s));
  one.metrics.makespan_s = one.repetitions->mean_s;
  one.metrics.enrolled_workers = 1;
  return one;
}

// Repetitions spread from 10 to 30, but B is 1 more than A each time: its difference is not within
// noise, though their intervals overlap. C is more or less than A by the same: it is.
TEST(Statistics, DifferencesArePaired) {
  Comparison comparison;
  comparison.noise = "cv=0.5,seed=1";
  comparison.platform = {.name = "one", .workers = {{1, 1, 5, 0}}};
  comparison.results = {result("B", {11, 21, 31}), result("A", {10, 20, 30}),
                        result("C", {12, 18, 30})};
  relate(comparison);
  const Repetitions& b = *comparison.results[0].repetitions;
  EXPECT_TRUE(b.interval_s.has(20));
  EXPECT_NEAR(b.above_best.low, 0.05, 1e-12);
  EXPECT_NEAR(b.above_best.high, 0.05, 1e-12);
  EXPECT_FALSE(b.within_noise);
  EXPECT_TRUE(comparison.results[1].repetitions->within_noise);
  EXPECT_TRUE(comparison.results[2].repetitions->within_noise);
  const std::vector<std::pair<std::string, std::string>> pairs{{"B", "C"}, {"A", "C"}};
  EXPECT_EQ(pairs_within_noise(comparison), pairs);
  const std::string table = to_table(comparison);
  EXPECT_NE(table.find("noise: cv=0.5,seed=1; 3 repetitions, the same for every heuristic; 95% "
                       "intervals by Student\nwithin noise of each other: B and C, A and C\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("5.00% .. 5.00%"), std::string::npos) << table;
}

}  // namespace
}  // namespace starport
