// Measures of the heterogeneity of a platform: optional columns of the results of a sweep.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/results/figure.hpp"

#include <span>
#include <string>

namespace starport {

/// A measure of how different the workers of a platform are, such as the coefficient of variation
/// of their memories: the function that computes it, and the declaration of the column of results
/// that shows it. A static object, an element of platform_measures().
struct PlatformMeasure {
  /// Declaration (name, format, meaning) of the column of results that holds the measure.
  Figure figure;
  /// Function that computes the measure, a pure number: a coefficient of variation is at least 0, a
  /// ratio at least 1; NaN or infinite if memories of 0 blocks make it so. The platform must have
  /// at least one worker (undefined behaviour otherwise).
  double (*compute)(const Platform& platform);
};

/// Returns all measures of how different the workers of a platform are, a static list in the order
/// of their columns: c_cv, c_ratio, w_cv, w_ratio, m_cv, m_ratio. They are the coefficient of
/// variation (population standard deviation / mean, 0 for equal workers) and the ratio of the
/// largest to the smallest value (1 for equal workers), over the workers, of c (seconds to send a
/// block), w (seconds per block update) and m (memory in blocks).
std::span<const PlatformMeasure> platform_measures();
/// Returns the declarations of the columns of results for all measures of a platform's
/// heterogeneity, in the order of platform_measures(), as pointers to static objects.
FigureList platform_measure_figures();
/// Returns the measure of a platform's heterogeneity with this key, such as "c_cv", as a reference
/// to a static object. Throws InputError that lists the keys when there is none; `pointer`, the
/// JSON pointer of the key in its file, is the place in the message.
const PlatformMeasure& find_platform_measure(const std::string& key, const std::string& pointer);

}  // namespace starport
