#include "sim/results/statistics.hpp"

#include "sim/platform/student_t.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace starport {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Interval interval_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  const double half = error * student_t_975(n - 1);
  return {.low = mean - half, .high = mean + half};
}

Interval paired_interval(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> differences(x.size());
  std::transform(x.begin(), x.end(), y.begin(), differences.begin(), std::minus<>());
  return interval_of(differences);
}

}  // namespace starport
