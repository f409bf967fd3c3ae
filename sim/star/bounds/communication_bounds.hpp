// Communication volume of one worker: lower bounds from the literature, and what layouts achieve.
#pragma once

#include "sim/star/layout.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// A published lower bound on the communication-to-computation ratio of a worker.
struct CommunicationBound {
  const char* name;          ///< authors and year
  double blocks_per_update;  ///< blocks moved per block update, for large matrices
};

/// Returns the lower bounds for a worker with memory for `m_blocks` blocks, from the weakest to the
/// strongest: Irony, Toledo and Tiskin 2004; IPDPS'07 before and after refinement (the latter also
/// in PPoPP'08); Smith et al. 2019 and COSMA 2019.
std::vector<CommunicationBound> communication_bounds(std::int64_t m_blocks);

/// Returns the blocks moved per block update with the largest chunk that `layout` fits into
/// `m_blocks` blocks: 2/t + 2/side. Infinite when no chunk fits.
double achieved_ccr(const MemoryLayout& layout, std::int64_t m_blocks, std::int64_t t);

}  // namespace starport
