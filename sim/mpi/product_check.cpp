#include "sim/mpi/product_check.hpp"

#include "sim/kernel/block_kernel.hpp"
#include "sim/platform/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace starport::mpi {
namespace {

constexpr int kVectors = 20;

/// A dgemm of a second or so of one core, on matrices that leave memory to others.
bool is_small(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr double most_flops = 4e9;
  constexpr double most_elements = 8e6;
  const auto [height, width, depth] =
      std::array{static_cast<double>(m), static_cast<double>(n), static_cast<double>(k)};
  return 2 * height * width * depth <= most_flops &&
         std::max({height * depth, depth * width, height * width}) <= most_elements;
}

/// Calls visit(first row, rows, their values) for some rows of the matrix after the others.
template <class Visit>
void for_each_panel(const Matrix& matrix, Visit&& visit) {
  constexpr std::int64_t panel_bytes = 16 << 20;
  const std::int64_t most = std::max<std::int64_t>(1, panel_bytes / 8 / matrix.columns());
  for (std::int64_t row = 0; row < matrix.rows(); row += most) {
    const std::int64_t rows = std::min(most, matrix.rows() - row);
    visit(row, rows, matrix.values().subspan(row * matrix.columns(), rows * matrix.columns()));
  }
}

/// The largest magnitude in the matrix, all of whose elements must be finite, or InputError.
double largest(const Matrix& matrix, std::size_t first, std::span<const double> values) {
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) throw matrix.bad_value(first + i);
    largest = std::max(largest, std::abs(values[i]));
  }
  return largest;
}

/// result += matrix . factor, of `columns` columns; the largest magnitude in the matrix.
double add_product(const Matrix& matrix, std::span<const double> factor, std::span<double> result,
                   std::int64_t columns) {
  double magnitude = 0;
  for_each_panel(matrix, [&](std::int64_t row, std::int64_t rows, std::span<const double> values) {
    const auto first = static_cast<std::size_t>(row * matrix.columns());
    magnitude = std::max(magnitude, largest(matrix, first, values));
    multiply(values, factor, result.subspan(row * columns), rows, columns, matrix.columns());
  });
  return magnitude;
}

std::vector<double> signs(std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> values(count);
  for (double& value : values) value = random.integer(0, 1) == 0 ? -1 : 1;
  return values;
}

}  // namespace

ProductCheck::ProductCheck(const Matrix& a, const Matrix& b, const Matrix& c, std::uint64_t seed)
    : small_(is_small(a.rows(), b.columns(), a.columns())) {
  double in_a = 0;
  double in_b = 0;
  double in_c = 0;
  if (small_) {
    in_b = largest(b, 0, b.values());
    in_c = largest(c, 0, c.values());
    expected_.assign(c.values().begin(), c.values().end());
    in_a = add_product(a, b.values(), expected_, b.columns());
  } else {
    x_ = signs(b.columns() * kVectors, seed + 0x5eed);
    std::vector<double> bx(b.rows() * kVectors);
    in_b = add_product(b, x_, bx, kVectors);
    expected_.resize(c.rows() * kVectors);
    in_a = add_product(a, bx, expected_, kVectors);
    in_c = add_product(c, x_, expected_, kVectors);
  }
  // A sum of n terms is off by at most about n eps times the sum of their magnitudes (Higham,
  // Accuracy and Stability of Numerical Algorithms, section 3.1).
  const auto k = static_cast<double>(a.columns());
  const double width = small_ ? 1 : static_cast<double>(b.columns());
  const double magnitude = width * (k * in_a * in_b + in_c);
  tolerance_ = (k + width) * std::numeric_limits<double>::epsilon() * magnitude;
  if (!std::isfinite(magnitude)) {
    throw InputError("--a, --b, --c", "numbers whose product is finite",
                     fmt::format("magnitudes up to {:.3g}, {:.3g} and {:.3g}", in_a, in_b, in_c));
  }
}

std::string ProductCheck::find_fault(const Matrix& c) const {
  const std::int64_t columns = small_ ? c.columns() : kVectors;
  std::string fault;
  std::vector<double> sums;
  for_each_panel(c, [&](std::int64_t row, std::int64_t rows, std::span<const double> values) {
    if (!fault.empty()) return;
    std::span<const double> found = values;
    if (!small_) {
      sums.assign(rows * columns, 0);
      multiply(values, x_, sums, rows, columns, c.columns());
      found = sums;
    }
    const double* const expected = expected_.data() + row * columns;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (std::abs(found[i] - expected[i]) <= tolerance_) continue;
      const std::int64_t at = row + static_cast<std::int64_t>(i) / columns;
      fault = small_ ? fmt::format("C is wrong: element ({}, {}) is {}, not {}", at,
                                   static_cast<std::int64_t>(i) % columns, found[i], expected[i])
                     : fmt::format("C is wrong in row {}", at);
      return;
    }
  });
  return fault;
}

std::string ProductCheck::name() const {
  return small_ ? "against one dgemm"
                : fmt::format(
                      "by Freivalds' test with {} vectors, which misses a wrong C with a "
                      "probability of at most 2^-{}",
                      kVectors, kVectors);
}

double ProductCheck::bytes(std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto sum = static_cast<double>(m) + static_cast<double>(n) + static_cast<double>(k);
  return 8 * (is_small(m, n, k) ? static_cast<double>(m) * static_cast<double>(n) : kVectors * sum);
}

}  // namespace starport::mpi
