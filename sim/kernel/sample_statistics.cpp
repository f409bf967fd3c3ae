#include "sim/kernel/sample_statistics.hpp"

#include "sim/files/numbers.hpp"
#include "sim/platform/random.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace starport {

double relative_dispersion(const std::vector<double>& values) {
  return (quantile_of(values, 0.75) - quantile_of(values, 0.25)) / 2 / median_of(values);
}

std::vector<double> batch_means(const std::vector<double>& values, std::size_t max_batches) {
  const std::size_t batches = std::min(max_batches, values.size());
  std::vector<double> means;
  for (std::size_t n = 0; n < batches; ++n) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(n * values.size() / batches);
    const auto end =
        values.begin() + static_cast<std::ptrdiff_t>((n + 1) * values.size() / batches);
    means.push_back(sample_mean({begin, end}));
  }
  return means;
}

double sample_mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> resample_blocks(const std::vector<double>& values, Random& random) {
  const auto block = static_cast<std::int64_t>(std::lround(std::sqrt(values.size())));
  std::vector<double> drawn;
  for (std::int64_t n = 0, first = 0; n < std::ssize(values); ++n) {
    if (n % block == 0) first = random.integer(0, std::ssize(values) - 1);
    drawn.push_back(values[static_cast<std::size_t>((first + n % block) % std::ssize(values))]);
  }
  return drawn;
}

MedianInterval bootstrap_interval(const std::function<double(const Resample&)>& statistic) {
  constexpr int draws = 400;
  Random random(1);
  const Resample resample = [&](const std::vector<double>& values) {
    return resample_blocks(values, random);
  };
  std::vector<double> results;
  for (int n = 0; n < draws; ++n) results.push_back(statistic(resample));
  return {.low = quantile_of(results, 0.025), .high = quantile_of(results, 0.975)};
}

Line fit_line_to_means(const std::vector<double>& x, const std::vector<double>& y) {
  double w = 0;
  double wx = 0;
  double wxx = 0;
  double wy = 0;
  double wxy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (y[i] * y[i]);
    w += weight;
    wx += weight * x[i];
    wxx += weight * x[i] * x[i];
    wy += weight * y[i];
    wxy += weight * x[i] * y[i];
  }
  const double slope = (w * wxy - wx * wy) / (w * wxx - wx * wx);
  const double intercept = (wy - slope * wx) / w;
  if (intercept < 0) return {.slope = wxy / wxx, .intercept = 0};
  return {.slope = slope, .intercept = intercept};
}

Line fit_theil_sen(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) {
      if (x[i] != x[j]) slopes.push_back((y[j] - y[i]) / (x[j] - x[i]));
    }
  }
  const double slope = median_of(slopes);
  std::vector<double> intercepts;
  for (std::size_t i = 0; i < x.size(); ++i) intercepts.push_back(y[i] - slope * x[i]);
  return {.slope = slope, .intercept = std::max(0.0, median_of(intercepts))};
}

}  // namespace starport
