#include "sim/study/statistics.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace starport {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile_of(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const auto above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - std::floor(place)) * (values[above] - values[below]);
}

Interval interval_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  const double half =
      error * boost::math::quantile(boost::math::students_t_distribution<double>(n - 1), 0.975);
  return {.low = mean - half, .high = mean + half};
}

Interval paired_interval(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> differences(x.size());
  std::transform(x.begin(), x.end(), y.begin(), differences.begin(), std::minus<>());
  return interval_of(differences);
}

}  // namespace starport
