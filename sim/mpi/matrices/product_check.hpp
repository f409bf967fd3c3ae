// Checks the result of a real product.
#pragma once

#include "sim/mpi/matrices/product.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport::mpi {

/// Result of ProductCheck::check() on the matrix C after a real product: an error, if C is wrong,
/// and the method of the check. Owns its texts.
struct CheckOutcome {
  /// A message about one wrong element or row of C (numbered from 0), without a newline; empty if C
  /// passed.
  std::string error;
  /// The method by which C was checked and its accuracy (absolute errors of elements), as a phrase
  /// to follow "checked", such as "against one dgemm, each element to 2.1e-14"; may be empty if C
  /// is wrong.
  std::string method;
};

/// Check of C after C += A.B: holds the expected value of C, or a digest of it, which the
/// constructor computes from A, B and the initial C (C0 below), and compares it with C after the
/// run.
///
/// A small product is computed by one dgemm and compared element by element. A large one must pass
/// two tests:
/// - Elements recomputed one by one, at least four of each row and one of each block of q x q
///   elements.
/// - Freivalds' test (1977): C.x is compared with C0.x + A.(B.x) for 20 vectors x of random signs.
///   Its tolerance follows the rounding errors found in the recomputed elements.
///
/// An element (i, j) of doubles may be off by the bound on the rounding errors of C and of the
/// expected value, about u (k + 1) S_ij each, where u is the unit roundoff, k the inner dimension
/// and S = |C0| + |A| |B| (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section
/// 3.1). In floats that bound would hide a missing term. An element of floats may therefore be off
/// by about 16 times the largest rounding error, relative to S, of some elements that are summed in
/// floats, one term after the other in both orders.
///
/// Computations are in doubles, some rows at a time, so that files may be larger than the memory.
/// Refers to A and B, which must outlive the object.
class ProductCheck {
 public:
  /// Computes the expected value before the run: up to about a second for a small product, else
  /// four to seven passes over each of A, B and C; blocks until done. Call it before C changes. A
  /// and B of `product` must outlive this object. `seed` determines the random choices. Throws
  /// InputError about the matrix if an element is not finite, or if elements are so large that C
  /// may overflow; std::bad_alloc without the memory of needed_bytes().
  ProductCheck(const Product& product, std::uint64_t seed);

  /// Compares `c`, the C after the run, with the expected value; a wrong C is no exception but an
  /// outcome with an error. A and B must not have changed since the construction. `c` must have the
  /// size and type of the constructor's C (not checked: undefined behaviour otherwise). May be
  /// called again for further runs that start from the same C.
  CheckOutcome check(const Matrix& c) const;

  /// Returns an estimate of the bytes of memory that the check of an m x n matrix C with inner
  /// dimension k needs, its recomputed elements included; q is the side of a block. All sizes are
  /// in elements, at least 1 (not checked).
  static double needed_bytes(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t q);

 private:
  /// An element of C that is recomputed.
  struct Sample {
    std::int64_t row;
    std::int64_t column;
    double expected;   ///< (C0 + A.B) of this element
    double magnitude;  ///< S of this element
  };
  /// Returns the largest rounding error, relative to S, of the element of C whose terms are
  /// `terms` if they are added in C's type to `start` one after the other, in this order or in
  /// reverse; `exact` is the sum.
  double sum_rounding(double start, const std::vector<double>& terms, double exact,
                      double magnitude) const;

  void expect_all(const Matrix& a, const Matrix& b, const Matrix& c);
  void choose_samples(const Matrix& c, std::int64_t q, std::uint64_t seed);
  void compute_samples(const Matrix& a, const Matrix& b, const Matrix& c);
  void compute_sums(const Matrix& a, const Matrix& b, const Matrix& c, std::uint64_t seed);
  CheckOutcome compare_all(const Matrix& c) const;
  CheckOutcome compare_sums(const Matrix& c, double roundoff) const;
  double tolerance(double magnitude) const;
  double worst_tolerance(double magnitude) const;
  double own_tolerance(std::int64_t row, std::int64_t column) const;

  const Matrix* a_;
  const Matrix* b_;
  bool small_;
  double depth_;                    ///< k + 1, the number of terms of an element
  double roundoff_;                 ///< unit roundoff of the type of C
  double smallest_;                 ///< smallest normal number of the type of C
  double largest_;                  ///< largest number of the type of C
  double sum_rounding_ = 0;         ///< largest sum_rounding() of the samples
  std::vector<double> expected_;    ///< C0 + A.B if small_, otherwise (C0 + A.B).X, m x 20
  std::vector<double> magnitudes_;  ///< S if small_, otherwise a bound of |S_i D|_2 by row i
  std::vector<Sample> samples_;     ///< by row
  std::vector<double> scales_;      ///< D, powers of two that make columns of S alike, by column
  std::vector<double> x_;           ///< X = D . random signs, n x 20; empty if small_
};

}  // namespace starport::mpi
