// Checks the result of a real product.
#pragma once

#include "sim/mpi/matrices/product.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport::mpi {

/// The expected value of C after C += A.B, or a digest of it, computed before the run from A, B and
/// the initial C. Holds no reference to the matrices.
///
/// A small product is computed by one dgemm. For a large one, Freivalds' test (1977) is used: if
/// C != C0 + A.B, then C.x != C0.x + A.(B.x) for at least half of the vectors x of -1 and 1. With
/// 20 independent vectors, the columns of X, a wrong C passes with a probability of at most 2^-20.
/// An element may deviate by the rounding errors that are possible in its row; smaller deviations
/// go unnoticed.
///
/// All computations are in doubles. Each matrix is read once, some rows at a time, so that files
/// may be larger than the memory.
class ProductCheck {
 public:
  /// Computes the expected value from the matrices before the run, which takes up to about a second
  /// for a small product, else a pass over each matrix. `seed` determines the random vectors. A, B
  /// and C must have matching sizes. Throws InputError about the matrix if an element is not
  /// finite, or if elements are so large that the product may overflow.
  ProductCheck(const Matrix& a, const Matrix& b, const Matrix& c, std::uint64_t seed);

  /// Compares `c`, the C after the run, with the expected value. Returns a message about the first
  /// wrong element or row (from 0), without a newline, or an empty string if C is right. `c` must
  /// have the size of the constructor's C.
  std::string find_error(const Matrix& c) const;
  /// Returns the method of the check as a phrase to follow "checked", such as "against one dgemm".
  std::string method() const;

  /// Returns an estimate of the bytes of memory that the check of an m x n matrix C with inner
  /// dimension k needs; all sizes are in elements.
  static double needed_bytes(std::int64_t m, std::int64_t n, std::int64_t k);

 private:
  bool small_;
  ElementType type_;
  std::vector<double> x_;           ///< X, n x 20; empty if small_
  std::vector<double> expected_;    ///< C0 + A.B if small_, otherwise (C0 + A.B).X
  std::vector<double> tolerances_;  ///< largest deviation of an element of expected_, by row
};

}  // namespace starport::mpi
