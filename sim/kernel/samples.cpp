#include "sim/kernel/samples.hpp"

#include "sim/files/numbers.hpp"
#include "sim/process/clock.hpp"

#include <algorithm>
#include <cmath>

namespace starport {

MedianInterval median_interval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  // P(exactly k of n values lie below the median) = C(n, k) / 2^n; each side may leave out 2.5%.
  const auto probability = [&](double k) {
    return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) -
                    n * std::log(2));
  };
  std::size_t below = 0;
  double outside = probability(0);
  while (outside <= 0.025) outside += probability(static_cast<double>(++below));
  const std::size_t low = below == 0 ? 0 : below - 1;
  return {.low = values[low], .high = values[values.size() - 1 - low]};
}

double relative_dispersion(const std::vector<double>& values) {
  return (quantile_of(values, 0.75) - quantile_of(values, 0.25)) / 2 / median_of(values);
}

Line fit_line(const std::vector<double>& x, const std::vector<double>& y) {
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

std::vector<double> measure(const std::function<void(int)>& call,
                            const std::function<void(int)>& prepare) {
  std::vector<double> seconds;
  for (int n = 0; n < kRepetitions; ++n) {
    if (prepare) prepare(n);
    const Stopwatch watch;
    call(n);
    seconds.push_back(watch.elapsed_s());
  }
  return seconds;
}

}  // namespace starport
