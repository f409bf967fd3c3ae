// What a comparison comes to, for who asks which schedule to run.
#pragma once

#include "sim/study/comparison.hpp"

#include <string>

namespace starport {

/// Which algorithm to run and what it wins, how far it is from the best possible, who does which
/// part of the work, what the platform should have more of. Empty unless two runs are complete.
std::string recommendation(const Comparison& comparison);

}  // namespace starport
