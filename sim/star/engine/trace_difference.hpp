// Whether two engines say the same of a run.
#pragma once

#include "sim/star/trace.hpp"

#include <string>

namespace starport {

/// Empty when the traces have the same transfers in the same order, with dates equal to 1e-9 of
/// the makespan; else where they differ first.
std::string find_difference(const Trace& ours, const Trace& reference);

}  // namespace starport
