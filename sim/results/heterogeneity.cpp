#include "sim/results/heterogeneity.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace starport {
namespace {

std::vector<double> values_of(const Platform& platform, auto figure) {
  std::vector<double> values;
  for (const Worker& worker : platform.workers) {
    values.push_back(static_cast<double>(std::invoke(figure, worker)));
  }
  return values;
}

/// Returns the coefficient of variation sqrt(mean((x - m)^2)) / m over the workers, m the mean.
template <auto figure>
double variation(const Platform& platform) {
  double count = 0;
  double mean = 0;
  double squares = 0;
  for (const double value :
       values_of(platform, figure)) {  // Welford's method: exactly 0 for equal values
    const double before = value - mean;
    mean += before / ++count;
    squares += before * (value - mean);
  }
  return std::sqrt(squares / count) / mean;
}

/// Returns the ratio of the largest to the smallest value of the workers.
template <auto figure>
double ratio(const Platform& platform) {
  const std::vector<double> values = values_of(platform, figure);
  const auto [minimum, maximum] = std::ranges::minmax(values);
  return maximum / minimum;
}

constexpr Figure measure_figure(std::string_view key, std::string_view meaning,
                                std::string_view axis) {
  return figure(key, key, "", Form::ratio, Scope::label, meaning, {}, axis);
}

constexpr std::array kMeasures{
    PlatformMeasure{measure_figure("c_cv", "coefficient of variation of the workers' c",
                                   "coefficient of variation of c"),
                    variation<&Worker::c_s>},
    PlatformMeasure{measure_figure("c_ratio", "largest c of the workers / the smallest",
                                   "greatest c over the least"),
                    ratio<&Worker::c_s>},
    PlatformMeasure{measure_figure("w_cv", "coefficient of variation of the workers' w",
                                   "coefficient of variation of w"),
                    variation<&Worker::w_s>},
    PlatformMeasure{measure_figure("w_ratio", "largest w of the workers / the smallest",
                                   "greatest w over the least"),
                    ratio<&Worker::w_s>},
    PlatformMeasure{measure_figure("m_cv", "coefficient of variation of the workers' m",
                                   "coefficient of variation of m"),
                    variation<&Worker::m_blocks>},
    PlatformMeasure{measure_figure("m_ratio", "largest m of the workers / the smallest",
                                   "greatest m over the least"),
                    ratio<&Worker::m_blocks>}};

}  // namespace

std::span<const PlatformMeasure> platform_measures() { return kMeasures; }

FigureList platform_measure_figures() {
  FigureList figures;
  for (const PlatformMeasure& measure : kMeasures) figures.push_back(&measure.figure);
  return figures;
}

const PlatformMeasure& find_platform_measure(const std::string& key, const std::string& pointer) {
  std::vector<std::string> keys;
  for (const PlatformMeasure& measure : kMeasures) {
    if (measure.figure.key == key) return measure;
    keys.emplace_back(measure.figure.key);
  }
  throw InputError(pointer, fmt::format("one of {}", fmt::join(keys, ", ")), "'" + key + "'",
                   did_you_mean(key, keys));
}

}  // namespace starport
