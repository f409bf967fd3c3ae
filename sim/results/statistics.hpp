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

double mean_of(const std::vector<double>& values);
/// Of at least two values.
Interval interval_of(const std::vector<double>& values);
/// Of the mean of x - y, repetition by repetition: both had the same factors.
Interval paired_interval(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace starport
