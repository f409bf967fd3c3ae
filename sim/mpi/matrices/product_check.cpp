#include "sim/mpi/matrices/product_check.hpp"

#include "sim/kernel/blas.hpp"
#include "sim/platform/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

namespace starport::mpi {
namespace {

constexpr int kVectors = 20;

/// Returns true if a dgemm of m x k by k x n takes about a second of one core and little memory.
bool is_small(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr double most_flops = 4e9;
  constexpr double most_elements = 8e6;
  const auto [height, width, depth] =
      std::array{static_cast<double>(m), static_cast<double>(n), static_cast<double>(k)};
  return 2 * height * width * depth <= most_flops &&
         std::max({height * depth, depth * width, height * width}) <= most_elements;
}

/// Calls visit(first row, number of rows, their elements as doubles) for consecutive panels of
/// rows.
template <class Visit>
void for_each_panel(const Matrix& matrix, Visit&& visit) {
  constexpr std::int64_t panel_bytes = 16 << 20;
  const std::int64_t panel_rows = std::max<std::int64_t>(1, panel_bytes / 8 / matrix.columns());
  for (std::int64_t row = 0; row < matrix.rows(); row += panel_rows) {
    const std::int64_t rows = std::min(panel_rows, matrix.rows() - row);
    const std::int64_t first = row * matrix.columns();
    const std::int64_t count = rows * matrix.columns();
    if (matrix.type() == ElementType::float64) {
      visit(row, rows, matrix.values().subspan(first, count));
    } else {
      visit(row, rows, std::span<const double>(matrix.copy_as_doubles(first, count)));
    }
  }
}

using RowNorm = std::function<double(std::span<const double> row)>;

double largest_of(std::span<const double> row) {
  double largest = 0;
  for (const double value : row) largest = std::max(largest, std::abs(value));
  return largest;
}

double sum_of_row(std::span<const double> row) {
  double sum = 0;
  for (const double value : row) sum += std::abs(value);
  return sum;
}

double weighted_sum(std::span<const double> row, const std::vector<double>& weights) {
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) sum += std::abs(row[k]) * weights[k];
  return sum;
}

/// Returns the norm of each row, and calls visit() as for_each_panel(). Throws InputError if an
/// element is not finite.
template <class Visit>
std::vector<double> row_norms(const Matrix& matrix, const RowNorm& norm, Visit&& visit) {
  std::vector<double> norms;
  const auto width = static_cast<std::size_t>(matrix.columns());
  for_each_panel(matrix, [&](std::int64_t row, std::int64_t rows, std::span<const double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) throw matrix.non_finite_error(row * width + i);
    }
    for (std::size_t first = 0; first < values.size(); first += width) {
      norms.push_back(norm(values.subspan(first, width)));
    }
    visit(row, rows, values);
  });
  return norms;
}

std::vector<double> row_norms(const Matrix& matrix, const RowNorm& norm) {
  return row_norms(matrix, norm, [](auto...) {});
}

/// Computes result += matrix . factor, which have `columns` columns each. Returns the norm of each
/// row of the matrix. Throws InputError if an element of the matrix is not finite.
std::vector<double> add_product(const Matrix& matrix, std::span<const double> factor,
                                std::span<double> result, std::int64_t columns,
                                const RowNorm& norm) {
  return row_norms(
      matrix, norm, [&](std::int64_t row, std::int64_t rows, std::span<const double> values) {
        multiply(values, factor, result.subspan(row * columns), rows, columns, matrix.columns());
      });
}

std::vector<double> signs(std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = random.integer(0, 1) == 0 ? -1 : 1;
  return values;
}

}  // namespace

ProductCheck::ProductCheck(const Matrix& a, const Matrix& b, const Matrix& c, std::uint64_t seed)
    : small_(is_small(a.rows(), b.columns(), a.columns())), type_(a.type()) {
  std::vector<double> in_b;
  std::vector<double> in_c;
  const auto by_b = [&](std::span<const double> row) { return weighted_sum(row, in_b); };
  if (small_) {
    in_b = row_norms(b, largest_of);
    in_c = row_norms(c, largest_of);
    expected_ = c.copy_as_doubles(0, c.rows() * c.columns());
    tolerances_ =
        add_product(a, b.copy_as_doubles(0, b.rows() * b.columns()), expected_, b.columns(), by_b);
  } else {
    x_ = signs(b.columns() * kVectors, seed + 0x5eed);
    std::vector<double> bx(b.rows() * kVectors);
    in_b = add_product(b, x_, bx, kVectors, sum_of_row);
    expected_.resize(c.rows() * kVectors);
    tolerances_ = add_product(a, bx, expected_, kVectors, by_b);
    in_c = add_product(c, x_, expected_, kVectors, sum_of_row);
  }
  // A sum of n terms is off by at most about n eps times the sum of their magnitudes (Higham,
  // Accuracy and Stability of Numerical Algorithms, section 3.1). In a row these are those of (|C0|
  // + |A| |B|) |x|: what other rows hold does not count.
  const auto terms = static_cast<double>(a.columns() + (small_ ? 1 : b.columns()));
  const double epsilon = type_ == ElementType::float64 ? std::numeric_limits<double>::epsilon()
                                                       : std::numeric_limits<float>::epsilon();
  for (std::size_t i = 0; i < tolerances_.size(); ++i) {
    const double magnitude = tolerances_[i] + in_c[i];
    const double largest = type_ == ElementType::float64 ? std::numeric_limits<double>::max()
                                                         : std::numeric_limits<float>::max();
    if (!(magnitude <= largest)) {
      throw InputError("--a, --b, --c", "numbers whose product is finite",
                       fmt::format("magnitudes that overflow in row {}", i));
    }
    tolerances_[i] = (terms + 1) * epsilon * magnitude;
  }
}

std::string ProductCheck::find_error(const Matrix& c) const {
  const std::int64_t columns = small_ ? c.columns() : kVectors;
  std::string error;
  std::vector<double> sums;
  for_each_panel(c, [&](std::int64_t row, std::int64_t rows, std::span<const double> values) {
    if (!error.empty()) return;
    std::span<const double> found = values;
    if (!small_) {
      sums.assign(rows * columns, 0);
      multiply(values, x_, sums, rows, columns, c.columns());
      found = sums;
    }
    const double* const expected = expected_.data() + row * columns;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::int64_t at = row + static_cast<std::int64_t>(i) / columns;
      if (std::abs(found[i] - expected[i]) <= tolerances_[static_cast<std::size_t>(at)]) continue;
      error = small_ ? fmt::format("C is wrong: element ({}, {}) is {}, expected {}", at,
                                   static_cast<std::int64_t>(i) % columns, found[i], expected[i])
                     : fmt::format("C is wrong in row {}", at);
      return;
    }
  });
  return error;
}

std::string ProductCheck::method() const {
  return small_ ? "against one dgemm"
                : fmt::format(
                      "by Freivalds' test with {} vectors, which misses a wrong C with a "
                      "probability of at most 2^-{}",
                      kVectors, kVectors);
}

double ProductCheck::needed_bytes(std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto sum = static_cast<double>(m) + static_cast<double>(n) + static_cast<double>(k);
  const auto small = static_cast<double>(n) * (static_cast<double>(m) + static_cast<double>(k));
  return 8 * (is_small(m, n, k) ? small : kVectors * sum);
}

}  // namespace starport::mpi
