// Communication volume of one worker: lower bounds from the literature, and what layouts achieve.
#pragma once

#include "sim/star/layout.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// A published lower bound on the communication-to-computation ratio of a worker with a given
/// memory.
struct CommunicationBound {
  /// Authors and year; a string literal.
  const char* name;
  /// Fewest blocks of A, B and C moved per block update, in the limit of large matrices.
  double blocks_per_update;
};

/// Returns the lower bounds for a worker with memory for `m_blocks` blocks (at least 1, not
/// checked), from the weakest to the strongest: Irony, Toledo and Tiskin 2004; IPDPS'07 before and
/// after refinement (the latter also in PPoPP'08); Smith et al. 2019 and COSMA 2019. Always the
/// same four.
std::vector<CommunicationBound> communication_bounds(std::int64_t m_blocks);

/// Returns the blocks moved per block update with the largest square chunk of C that `layout` fits
/// into `m_blocks` blocks of memory: 2/t + 2/side, where `t` (at least 1, not checked) is the
/// number of updates of each block of C. Infinite when no chunk fits.
double achieved_ccr(const MemoryLayout& layout, std::int64_t m_blocks, std::int64_t t);

}  // namespace starport
