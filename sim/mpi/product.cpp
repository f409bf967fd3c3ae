#include "sim/mpi/product.hpp"

#include "sim/kernel/block_kernel.hpp"
#include "sim/model/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace starport {
namespace {

constexpr double kSmallProduct = 4e9;  ///< flops: a second or so of one core
constexpr int kVectors = 20;

/// The matrix that a file holds, or a seeded one.
Matrix matrix(std::int64_t rows, std::int64_t columns, const std::optional<std::string>& path,
              const char* option, std::uint64_t seed) {
  const bool writable = std::string_view(option) == "--c";
  return path ? Matrix(rows, columns, *path, option, writable) : Matrix(rows, columns, seed);
}

double largest(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

/// What is kept from before the run, C0 or C0.X, and the sizes.
///
/// Freivalds (1977): if C != C0 + A.B, then C.x != C0.x + A.(B.x) for at least half of the vectors
/// x of -1 and 1; with kVectors independent ones, the columns of X, a wrong C passes with a
/// probability of at most 2^-kVectors. In floating point an entry may be off by what rounding
/// explains, and only more than that is seen.
struct Product::Check {
  std::int64_t m, n, k;
  bool small;
  std::vector<double> x;       ///< n x kVectors
  std::vector<double> before;  ///< C0, or C0.X
};

Product::Product(const Problem& problem, const ProductSize& size, const MatrixSources& sources)
    : problem_(problem),
      a_(matrix(size.height, size.depth, sources.a, "--a", 3 * sources.seed)),
      b_(matrix(size.depth, size.width, sources.b, "--b", 3 * sources.seed + 1)),
      c_(matrix(size.height, size.width, sources.c, "--c", 3 * sources.seed + 2)),
      check_(std::make_unique<Check>()) {
  Check& check = *check_;
  check.m = size.height;
  check.n = size.width;
  check.k = size.depth;
  check.small = 2.0 * static_cast<double>(check.m) * static_cast<double>(check.n) *
                    static_cast<double>(check.k) <=
                kSmallProduct;
  if (check.small) {
    check.before.assign(c_.values().begin(), c_.values().end());
    return;
  }
  Random random(sources.seed + 0x5eed);
  check.x.resize(static_cast<std::size_t>(check.n) * kVectors);
  for (double& value : check.x) value = random.integer(0, 1) == 0 ? -1 : 1;
  check.before.assign(static_cast<std::size_t>(check.m) * kVectors, 0);
  multiply(1, c_.values(), check.x, check.before, check.m, kVectors, check.n);
}

Product::~Product() = default;

void Product::pack(const Transfer& transfer, std::vector<double>& buffer) const {
  const std::int64_t q = problem_.block_size;
  buffer.resize(static_cast<std::size_t>(transfer.blocks() * q * q));
  double* next = buffer.data();
  const auto add = [&](const Matrix& source, const Rectangle& blocks) {
    for (std::int64_t i = blocks.rows.begin; i < blocks.rows.end; ++i) {
      for (std::int64_t j = blocks.columns.begin; j < blocks.columns.end; ++j) {
        source.read_block(i, j, q, next);
        next += q * q;
      }
    }
  };
  if (!transfer.a.empty()) add(a_, transfer.a);
  if (!transfer.b.empty()) add(b_, transfer.b);
  if (!transfer.c.empty()) add(c_, transfer.c);
}

void Product::unpack(const Transfer& transfer, const std::vector<double>& buffer) {
  const std::int64_t q = problem_.block_size;
  const double* next = buffer.data();
  for (std::int64_t i = transfer.c.rows.begin; i < transfer.c.rows.end; ++i) {
    for (std::int64_t j = transfer.c.columns.begin; j < transfer.c.columns.end; ++j) {
      c_.write_block(i, j, q, next);
      next += q * q;
    }
  }
}

std::string Product::find_fault() const {
  const Check& check = *check_;
  std::vector<double> expected = check.before;
  std::vector<double> found;
  std::int64_t columns = kVectors;
  if (check.small) {
    columns = check.n;
    found.assign(c_.values().begin(), c_.values().end());
    multiply(1, a_.values(), b_.values(), expected, check.m, check.n, check.k);
  } else {
    std::vector<double> bx(static_cast<std::size_t>(check.k) * kVectors);
    multiply(1, b_.values(), check.x, bx, check.k, kVectors, check.n);
    multiply(1, a_.values(), bx, expected, check.m, kVectors, check.k);
    found.assign(expected.size(), 0);
    multiply(1, c_.values(), check.x, found, check.m, kVectors, check.n);
  }
  // A sum of n terms is off by at most about n eps times the sum of their magnitudes (Higham,
  // Accuracy and Stability of Numerical Algorithms, section 3.1).
  const auto k = static_cast<double>(check.k);
  const double width = check.small ? 1 : static_cast<double>(check.n);
  const double magnitude =
      k * largest(a_.values()) * largest(b_.values()) + largest(check.before) / width;
  const double tolerance = (k + width) * std::numeric_limits<double>::epsilon() * width * magnitude;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!(std::abs(found[i] - expected[i]) <= tolerance)) {
      const auto row = static_cast<std::int64_t>(i) / columns;
      return check.small
                 ? fmt::format("C is wrong: element ({}, {}) is {}, not {}", row,
                               static_cast<std::int64_t>(i) % columns, found[i], expected[i])
                 : fmt::format("C is wrong in row {}", row);
    }
  }
  return "";
}

std::string Product::check_name() const {
  return check_->small ? "against one dgemm"
                       : fmt::format(
                             "by Freivalds' test with {} vectors, which misses a wrong C with a "
                             "probability of at most 2^-{}",
                             kVectors, kVectors);
}

}  // namespace starport
