// Work at a pace that changes.
#pragma once

#include <utility>
#include <vector>

namespace starport {

/// Changes of pace by date, as (date, factor): from that date on, work takes factor times as long.
using Pace = std::vector<std::pair<double, double>>;

/// When work of that nominal duration ends: the integral of 1 / factor over time.
double paced_end_s(double start_s, double work_s, const Pace& pace);

}  // namespace starport
