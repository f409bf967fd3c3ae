// The communication minimising algorithm (HeteroPar'12, section 3): the column-based arrangement of
// Beaumont, Boudet, Rastello and Robert 2001, in whole blocks.
#pragma once

#include "sim/spmd/partition.hpp"

#include <cstdint>

namespace starport::spmd {

/// Rectangles of about w_i blocks that cover side x side blocks, each a block or more: m_i n_i =
/// w_i cannot hold in general. Columns from the smallest nodes to the largest; in a column the
/// largest on top, on ties the lower number. Throws NotApplicable when there are more nodes than
/// blocks.
Arrangement cma(std::int64_t side, const PerWorker<std::int64_t>& w);

}  // namespace starport::spmd
