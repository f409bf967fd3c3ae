// Whether two runs are of the same product on the same platform, as far as timelines tell.
#pragma once

#include "sim/results/timeline.hpp"

#include <string>
#include <vector>

namespace starport {

/// What differs, "different products (r=10, s=20, t=10 and r=10, s=40, t=10 blocks)"; empty where
/// nothing is known to differ.
std::vector<std::string> case_differences(const Timeline& a, const Timeline& b);

}  // namespace starport
