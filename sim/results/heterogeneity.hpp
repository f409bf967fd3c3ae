// Measures of the heterogeneity of a platform: optional columns of the results of a sweep.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/results/figure.hpp"

#include <span>
#include <string>

namespace starport {

/// A measure of a platform, independent of any run.
struct PlatformMeasure {
  Figure figure;
  double (*compute)(const Platform& platform);
};

/// Returns all measures, in the order of their columns: coefficient of variation and ratio of the
/// largest to the smallest value of c, w and m.
std::span<const PlatformMeasure> platform_measures();
/// Returns the figures of all measures.
FigureList platform_measure_figures();
/// Returns the measure with this key. Throws InputError located at `pointer`, listing the keys,
/// when there is none.
const PlatformMeasure& find_platform_measure(const std::string& key, const std::string& pointer);

}  // namespace starport
