// An update of the blocked outer product: one dgemm on whole panels (HeteroPar'12, section 4).
#pragma once

#include <cstdint>
#include <limits>

namespace starport {

/// Unequal workers on equal machines: what each computes is followed by a sleep.
struct Emulation {
  double slow = 1;  ///< everything takes so many times as long
  /// Holding f > 1 times as much takes another 1 + paging (f - 1) times as long.
  double memory_bytes = std::numeric_limits<double>::infinity();
  double paging = 0;

  /// How many times as long it takes on a worker that holds so much of A, B and C.
  double factor(double bytes) const;
};

/// The updates of one worker.
class PanelKernel {
 public:
  PanelKernel(std::int64_t block_size, const Emulation& emulation)
      : block_size_(block_size), emulation_(emulation) {}

  /// C += A.B for m x n blocks of C, by rows; A is one block wide, B one block high.
  void update(const double* a, const double* b, double* c, std::int64_t m, std::int64_t n) const;

 private:
  std::int64_t block_size_;
  Emulation emulation_;
};

/// Of A, B and C, m x n blocks of each.
double held_bytes(std::int64_t blocks, std::int64_t block_size);

}  // namespace starport
