// Chunks that are cut between matrix elements: simulated in blocks of one element.
#pragma once

#include "sim/results/model.hpp"
#include "sim/star/heuristic.hpp"

#include <cstdint>

namespace starport {

/// Whether the heuristic wants blocks of one element, and the instance has larger ones.
bool sees_elements(const Heuristic& heuristic, const Case& instance);
/// The product in such blocks. Throws InputError when there are too many, and NotApplicable when
/// the platform says nothing of them.
Case in_elements(const Case& instance);
/// Turns the figures of such a run into those of blocks of q x q.
void count_in_blocks(Record& record, std::int64_t q);

}  // namespace starport
