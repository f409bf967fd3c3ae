// Heuristics whose chunks end between matrix elements, simulated with blocks of one element.
#pragma once

#include "sim/results/model.hpp"
#include "sim/star/heuristic.hpp"

#include <cstdint>

namespace starport {

/// Returns whether the heuristic needs blocks of one element while the instance has larger ones.
bool needs_elements(const Heuristic& heuristic, const Case& instance);
/// Returns the instance with blocks of one element. Throws InputError when there are too many
/// blocks, NotApplicable when the platform is given in c, w and m for another block size.
Case to_elements(const Case& instance);
/// Converts the figures of a run in elements to those of blocks of q x q elements.
void convert_to_blocks(Record& record, std::int64_t q);

}  // namespace starport
