// Updates of the blocked outer product: one dgemm on whole panels (HeteroPar'12, section 4).
#pragma once

#include "sim/kernel/emulation.hpp"

#include <cstdint>

namespace starport {

/// The computation of one worker in the blocked outer product (C += A.B, one block column of A by
/// one block row of B at a time), as slow as its emulation says.
class PanelKernel {
 public:
  /// Makes a kernel for blocks of block_size x block_size doubles; `emulation` is copied.
  PanelKernel(std::int64_t block_size, const Emulation& emulation)
      : block_size_(block_size), emulation_(emulation) {}

  /// Computes C += A.B for m x n blocks of C by one dgemm, then waits as the emulation requires.
  /// Matrices are stored by rows without gaps: A is m blocks high and one wide, B one high and n
  /// wide. Requires m, n >= 1 and arrays of that size (not checked). Blocks until both are done.
  void update(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n) const;

 private:
  std::int64_t block_size_;
  Emulation emulation_;
};

/// Returns the memory in bytes of A, B and C together when each has `blocks` blocks of block_size x
/// block_size doubles.
double held_bytes(std::int64_t blocks, std::int64_t block_size);

}  // namespace starport
