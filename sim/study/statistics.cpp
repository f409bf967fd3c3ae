#include "sim/study/statistics.hpp"

#include "sim/study/comparison.hpp"

#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace starport {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
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

Repetitions repetitions_of(std::vector<double> makespans_s) {
  Repetitions result;
  result.mean_s = mean_of(makespans_s);
  result.median_s = median_of(makespans_s);
  result.interval_s = interval_of(makespans_s);
  result.makespans_s = std::move(makespans_s);
  return result;
}

void relate_repetitions(Comparison& comparison) {
  const Result* best = nullptr;
  for (const Result& result : comparison.results) {
    if (result.status != Status::ok || !result.repetitions) continue;
    if (best == nullptr || result.repetitions->mean_s < best->repetitions->mean_s) best = &result;
  }
  if (best == nullptr) return;
  const double least_s = best->repetitions->mean_s;
  for (Result& result : comparison.results) {
    if (result.status != Status::ok || !result.repetitions) continue;
    const Interval apart =
        paired_interval(result.repetitions->makespans_s, best->repetitions->makespans_s);
    result.repetitions->above_best = {.low = apart.low / least_s, .high = apart.high / least_s};
    result.repetitions->within_noise = apart.has(0);
  }
}

std::vector<std::pair<std::string, std::string>> pairs_within_noise(const Comparison& comparison) {
  std::vector<const Result*> rows;
  for (const Result& result : comparison.results) {
    if (result.status == Status::ok && result.repetitions) rows.push_back(&result);
  }
  std::vector<std::pair<std::string, std::string>> pairs;
  for (auto x = rows.begin(); x != rows.end(); ++x) {
    for (auto y = x + 1; y != rows.end(); ++y) {
      const Interval apart =
          paired_interval((*x)->repetitions->makespans_s, (*y)->repetitions->makespans_s);
      if (apart.has(0)) pairs.emplace_back((*x)->heuristic, (*y)->heuristic);
    }
  }
  return pairs;
}

}  // namespace starport
