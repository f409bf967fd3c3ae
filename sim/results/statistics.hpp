// Means and confidence intervals of repeated measurements.
#pragma once

#include <vector>

namespace starport {

/// A 95 % confidence interval of a mean, by Student's t-distribution.
struct Interval {
  double low = 0;
  double high = 0;
  bool has(double value) const { return low <= value && value <= high; }
};

/// Returns the arithmetic mean; NaN for an empty list.
double mean_of(const std::vector<double>& values);
/// Returns the confidence interval of the mean. Needs at least two values.
Interval interval_of(const std::vector<double>& values);
/// Returns the confidence interval of the mean of x[i] - y[i]. Needs at least two values of each;
/// both lists must have the same size, and x[i] and y[i] the same noise.
Interval paired_interval(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace starport
