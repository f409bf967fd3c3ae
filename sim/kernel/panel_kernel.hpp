// Updates of the blocked outer product: one dgemm on whole panels (HeteroPar'12, section 4).
#pragma once

#include "sim/kernel/emulation.hpp"

#include <cstdint>

namespace starport {

/// Computes the updates of one worker, as slowly as its emulation says.
class PanelKernel {
 public:
  PanelKernel(std::int64_t block_size, const Emulation& emulation)
      : block_size_(block_size), emulation_(emulation) {}

  /// Computes C += A.B for m x n blocks of C, then sleeps as the emulation requires. Matrices are
  /// stored by rows without gaps; A is one block wide, B one block high.
  void update(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n) const;

 private:
  std::int64_t block_size_;
  Emulation emulation_;
};

/// Returns the memory in bytes of A, B and C together, each of `blocks` blocks of doubles.
double held_bytes(std::int64_t blocks, std::int64_t block_size);

}  // namespace starport
