#include "sim/results/statistics.hpp"

#include "sim/files/numbers.hpp"
#include "sim/report/comparison_text.hpp"
#include "sim/results/figure.hpp"
#include "tests/star/star_support.hpp"

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

Record repeated(const char* name, std::vector<double> makespans_s) {
  Record record;
  record.algorithm = name;
  record.model = &star_model();
  record.figures = {{&kMakespan, mean_of(makespans_s)}, {&kEnrolledWorkers, std::int64_t{1}}};
  record.makespans_s = std::move(makespans_s);
  return record;
}

// B is 1 above A in every repetition, which is not within the noise although their intervals
// overlap. C differs from A by +2, -2 and 0, which is.
TEST(Statistics, DifferencesArePaired) {
  Comparison comparison{.instance = test::case_of(test::star({{1, 1, 5, 0}}), {}),
                        .noise = "cv=0.5,seed=1",
                        .models = {&star_model()},
                        .bounds = {{}},
                        .records = {repeated("B", {11, 21, 31}), repeated("A", {10, 20, 30}),
                                    repeated("C", {12, 18, 30})}};
  compute_relative_figures(comparison);
  const Record& b = comparison.records[0];
  EXPECT_LT(b.figures.real(kLowMakespan), 20);
  EXPECT_GT(b.figures.real(kHighMakespan), 20);
  EXPECT_NEAR(b.figures.real(kLowAboveBest), 0.05, 1e-12);
  EXPECT_NEAR(b.figures.real(kHighAboveBest), 0.05, 1e-12);
  EXPECT_EQ(b.figures.real(kWithinNoise), 0);
  EXPECT_EQ(comparison.records[1].figures.real(kWithinNoise), 1);
  EXPECT_EQ(comparison.records[2].figures.real(kWithinNoise), 1);
  const std::vector<std::pair<std::string, std::string>> pairs{{"B", "C"}, {"A", "C"}};
  EXPECT_EQ(pairs_within_noise(comparison), pairs);
  const std::string table = to_table(comparison);
  EXPECT_NE(table.find("noise: cv=0.5,seed=1; 3 repetitions, with the same noise for every "
                       "heuristic; 95% intervals of the mean (Student's t)\n"
                       "differences within the noise: B and C, A and C\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("5.00% .. 5.00%"), std::string::npos) << table;
}

}  // namespace
}  // namespace starport
