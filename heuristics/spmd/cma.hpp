// The communication minimising algorithm (HeteroPar'12, section 3): the column-based arrangement of
// Beaumont, Boudet, Rastello and Robert (2001), rounded to blocks.
#pragma once

#include "sim/spmd/partition.hpp"

#include <cstdint>

namespace starport::spmd {

/// Arranges one rectangle of about w_i blocks of C, and at least one block, for each node i (from
/// 0) in columns that cover side x side blocks, with about the least sum of half perimeters. From
/// left to right, the columns have nodes of ascending w_i; the largest node of a column is on top,
/// on ties that of lower index. The w_i should sum to side², but only their ratios count; values
/// below 1 count as 1. `side` must not be negative (not checked). Throws NotApplicable if there are
/// more nodes than blocks, and InputError if there are no nodes.
Arrangement cma(std::int64_t side, const PerWorker<std::int64_t>& w);

}  // namespace starport::spmd
