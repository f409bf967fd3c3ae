// What repetitions under noise come to.
#pragma once

#include <vector>

namespace starport {

/// A 95% confidence interval of a mean: Student's, from n - 1 degrees of freedom.
struct Interval {
  double low = 0;
  double high = 0;
  bool has(double value) const { return low <= value && value <= high; }
};

/// Repetitions of one heuristic. There are at least two.
struct Repetitions {
  std::vector<double> makespans_s;  ///< in the order of the repetitions
  double mean_s = 0;
  double median_s = 0;
  Interval interval_s;  ///< of the mean
};

double mean_of(const std::vector<double>& values);
double median_of(
    std::vector<double> values);  ///< the mean of the two in the middle of an even number
/// Of at least two values.
Interval interval_of(const std::vector<double>& values);
/// Of the mean of x - y, repetition by repetition: both had the same factors.
Interval paired_interval(const std::vector<double>& x, const std::vector<double>& y);

Repetitions repetitions_of(std::vector<double> makespans_s);

}  // namespace starport
