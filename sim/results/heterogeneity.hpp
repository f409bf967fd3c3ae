// How different the workers of a platform are: figures that results have on request.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/results/figure.hpp"

#include <optional>
#include <span>
#include <string>

namespace starport {

/// A figure of a platform, whatever runs there.
struct PlatformMeasure {
  Figure figure;
  double (*of)(const Platform& platform);
};

/// In the order of their columns.
std::span<const PlatformMeasure> platform_measures();
/// What they are called and mean.
FigureList measure_figures();
/// Throws InputError that lists them.
const PlatformMeasure& platform_measure(const std::string& key, const std::string& pointer);

}  // namespace starport
