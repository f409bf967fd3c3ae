// Whether the C-stationary bound holds for a schedule.
#pragma once

#include "sim/platform/problem.hpp"
#include "sim/star/trace.hpp"

namespace starport {

/// Whether each worker keeps one rectangle of C at a time: it comes, all its updates are made there
/// with blocks of A and B that come after it, and it goes home before the next one comes. That is
/// what the bound is proved for (bounds/makespan_bounds.md).
bool keeps_one_rectangle(const Trace& trace, const Problem& problem);

}  // namespace starport
