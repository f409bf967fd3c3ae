// Heuristics whose chunks end between matrix elements, simulated with blocks of one element.
#pragma once

#include "sim/results/model.hpp"
#include "sim/star/heuristic.hpp"

#include <cstdint>

namespace starport {

/// Returns true if the heuristic plans only for blocks of one matrix element while the blocks of
/// the instance are larger, so that the instance must be converted with to_elements() to run it.
bool needs_elements(const Heuristic& heuristic, const Case& instance);
/// Returns the same platform and product with blocks of one matrix element: sizes in blocks are
/// multiplied by the block size, which becomes 1. Throws InputError when the product then has too
/// many blocks (check_problem()), and NotApplicable when the platform has no figures for blocks of
/// one element, as when c, w and m are given for another block size.
Case to_elements(const Case& instance);
/// Converts figures in `record`, a successful run of an instance that to_elements() made, from
/// blocks of one element to blocks of q x q elements (q >= 1): of the run and its workers the
/// blocks moved and block updates (rounded to integers), of the run also their ratio. All of these
/// must have values; other figures stay as they are.
void convert_to_blocks(Record& record, std::int64_t q);

}  // namespace starport
