// Whether C came out right.
#pragma once

#include "sim/mpi/matrices/product.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport::mpi {

/// What C must be, C0 + A.B, from before the run: by one dgemm when the product is small. Else
/// Freivalds' test (1977): if C != C0 + A.B, then C.x != C0.x + A.(B.x) for at least half of the
/// vectors x of -1 and 1; with 20 independent ones, the columns of X, a wrong C passes with a
/// probability of at most 2^-20. In floating point an entry may be off by what rounding in its row
/// explains, and only more than that is seen.
///
/// It is computed in doubles, whatever the elements are. Each matrix is read once, some rows at a
/// time: files larger than the memory will do.
class ProductCheck {
 public:
  /// Throws InputError where an element is not finite, or so large that the product may not be.
  ProductCheck(const Matrix& a, const Matrix& b, const Matrix& c, std::uint64_t seed);

  /// After the run. Empty when C is right, else what is wrong.
  std::string find_fault(const Matrix& c) const;
  /// How: "against one dgemm", "by Freivalds' test with 20 vectors, which ...".
  std::string name() const;

  /// The bytes that the check of an m x n product with inner dimension k takes, about.
  static double bytes(std::int64_t m, std::int64_t n, std::int64_t k);

 private:
  bool small_;
  ElementType type_;
  std::vector<double> x_;           ///< n x 20; empty when small
  std::vector<double> expected_;    ///< C0 + A.B, or (C0 + A.B).X
  std::vector<double> tolerances_;  ///< of each row
};

}  // namespace starport::mpi
