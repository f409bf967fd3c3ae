// Means and confidence intervals of repeated measurements.
#pragma once

#include <vector>

namespace starport {

/// The two ends of a 95 % confidence interval of a mean (Student's t-distribution), in the unit of
/// the values; the result of interval_of() and paired_interval().
struct Interval {
  /// Lower end of the 95 % confidence interval, in the unit of the values.
  double low = 0;
  /// Upper end of the 95 % confidence interval, in the unit of the values; at least `low`.
  double high = 0;
  /// Returns true if the value lies in the interval, ends included.
  bool has(double value) const { return low <= value && value <= high; }
};

/// Returns the arithmetic mean of the values, in their unit; NaN for an empty list.
double mean_of(const std::vector<double>& values);
/// Returns the 95 % confidence interval (Student) of the mean of independent values, in their unit.
/// Requires at least two values; throws std::domain_error for fewer.
Interval interval_of(const std::vector<double>& values);
/// Returns the 95 % confidence interval (Student) of the mean of the differences x[i] - y[i], where
/// x[i] and y[i] were measured under the same random conditions, such as noise. Requires lists of
/// the same size (undefined behaviour if y is shorter) with at least two values; throws
/// std::domain_error for fewer.
Interval paired_interval(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace starport
