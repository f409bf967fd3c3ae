#include "sim/mpi/matrices/product_check.hpp"

#include "sim/files/numbers.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/platform/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>

namespace starport::mpi {
namespace {

constexpr int kVectors = 20;
constexpr std::int64_t kSamplesPerRow = 4;
/// A sum of n terms of random signs exceeds this many times their 2-norm with a probability of at
/// most 2 exp(-32) (Hoeffding).
constexpr double kDeviations = 8;
/// Rounding errors of a sum of n terms exceed this times sqrt(n) times the unit roundoff with a
/// probability of about exp(-32) (Higham and Mary, SIAM J. Sci. Comput. 41, 2019, theorem 2.4).
constexpr double kRoundings = 8;
/// Margin between the largest rounding error of the samples and that of all elements.
constexpr double kSampleMargin = 4;
/// Margin between the largest rounding error of sums in order and that of other ways to add up.
constexpr double kOrderMargin = 16;
constexpr double kDoubleRoundoff = std::numeric_limits<double>::epsilon() / 2;

/// Returns true if a dgemm of m x k by k x n takes about a second of one core and little memory.
bool is_small(std::int64_t m, std::int64_t n, std::int64_t k) {
  constexpr double most_flops = 4e9;
  constexpr double most_elements = 8e6;
  const auto [height, width, depth] =
      std::array{static_cast<double>(m), static_cast<double>(n), static_cast<double>(k)};
  return 2 * height * width * depth <= most_flops &&
         std::max({height * depth, depth * width, height * width}) <= most_elements;
}

enum class Order : std::uint8_t { forward, backward };

/// Calls visit(first row, number of rows, their elements as doubles) for consecutive panels of
/// rows.
template <class Visit>
void for_each_panel(const Matrix& matrix, Visit&& visit, Order order = Order::forward) {
  constexpr std::int64_t panel_bytes = 16 << 20;
  const std::int64_t panel_rows = std::max<std::int64_t>(1, panel_bytes / 8 / matrix.columns());
  const std::int64_t panels = (matrix.rows() + panel_rows - 1) / panel_rows;
  for (std::int64_t panel = 0; panel < panels; ++panel) {
    const std::int64_t row = (order == Order::forward ? panel : panels - 1 - panel) * panel_rows;
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

/// Returns how many elements of each row are recomputed, so that each of the `blocks` blocks of a
/// row of blocks of `height` rows has one.
std::int64_t samples_per_row(std::int64_t blocks, std::int64_t height) {
  return std::max(kSamplesPerRow, ceil_div(blocks, height));
}

/// Returns how many elements of an m x n matrix with blocks of q x q are recomputed.
std::int64_t sample_count(std::int64_t m, std::int64_t n, std::int64_t q) {
  const std::int64_t blocks = ceil_div(n, q);
  const std::int64_t last_height = m % q;
  const std::int64_t last =
      last_height == 0 ? 0 : last_height * samples_per_row(blocks, last_height);
  return (m - last_height) * samples_per_row(blocks, q) + last;
}

/// Calls visit(row, its elements as doubles) for each row.
template <class Visit>
void for_each_row(const Matrix& matrix, Visit&& visit) {
  for_each_panel(matrix, [&](std::int64_t row, std::int64_t rows, std::span<const double> values) {
    for (std::int64_t i = 0; i < rows; ++i) {
      visit(static_cast<std::size_t>(row + i),
            values.subspan(i * matrix.columns(), matrix.columns()));
    }
  });
}

/// Returns the largest magnitude of each row. Throws InputError if an element is not finite.
std::vector<double> largest_by_row(const Matrix& matrix) {
  std::vector<double> largest(matrix.rows());
  for_each_row(matrix, [&](std::size_t row, std::span<const double> values) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      if (!std::isfinite(values[j])) throw matrix.non_finite_error(row * values.size() + j);
      largest[row] = std::max(largest[row], std::abs(values[j]));
    }
  });
  return largest;
}

/// Returns the 2-norm of each row, whose elements are first multiplied by the scale of their
/// column.
std::vector<double> norms_by_row(const Matrix& matrix, const std::vector<double>& scales) {
  std::vector<double> norms(matrix.rows());
  for_each_row(matrix, [&](std::size_t row, std::span<const double> values) {
    double sum = 0;
    for (std::size_t j = 0; j < values.size(); ++j) {
      sum += values[j] * scales[j] * (values[j] * scales[j]);
    }
    norms[row] = std::sqrt(sum);
  });
  return norms;
}

/// Adds the magnitudes of each row, multiplied by the weight of the row, to `sums` by column.
void add_magnitudes(const Matrix& matrix, const std::vector<double>& weights,
                    std::vector<double>& sums) {
  for_each_row(matrix, [&](std::size_t row, std::span<const double> values) {
    for (std::size_t j = 0; j < values.size(); ++j) {
      sums[j] += weights[row] * std::abs(values[j]);
    }
  });
}

/// Returns start + |matrix| . weights.
std::vector<double> weighted_magnitudes(const Matrix& matrix, const std::vector<double>& weights,
                                        std::vector<double> start) {
  for_each_row(matrix, [&](std::size_t row, std::span<const double> values) {
    for (std::size_t k = 0; k < values.size(); ++k) start[row] += std::abs(values[k]) * weights[k];
  });
  return start;
}

/// Computes result += matrix . factor, which have `columns` columns each.
void add_product(const Matrix& matrix, std::span<const double> factor, std::span<double> result,
                 std::int64_t columns) {
  for_each_panel(matrix, [&](std::int64_t row, std::int64_t rows, std::span<const double> values) {
    multiply(values, factor, result.subspan(row * columns), rows, columns, matrix.columns());
  });
}

std::vector<double> magnitudes_of(std::vector<double> values) {
  for (double& value : values) value = std::abs(value);
  return values;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  return *middle;
}

InputError overflow_error(std::size_t row) {
  return {"A, B, C", "numbers whose product is finite",
          fmt::format("magnitudes that overflow in row {}", row)};
}

}  // namespace

ProductCheck::ProductCheck(const Product& product, std::uint64_t seed)
    : a_(&product.a()), b_(&product.b()), depth_(static_cast<double>(product.a().columns()) + 1) {
  const auto& [a, b, c] = std::tie(product.a(), product.b(), product.c());
  small_ = is_small(c.rows(), c.columns(), a.columns());
  const auto set_limits = [&]<class Element>(Element) {
    using Limits = std::numeric_limits<Element>;
    roundoff_ = Limits::epsilon() / 2;
    smallest_ = Limits::min();
    largest_ = Limits::max();
  };
  product.type() == ElementType::float64 ? set_limits(double{}) : set_limits(float{});
  small_ ? expect_all(a, b, c) : compute_sums(a, b, c, seed);
  choose_samples(c, product.problem().block_size, seed);
  compute_samples(a, b, c);
}

/// Returns a bound on the rounding errors of an element of that magnitude, in C and in what it is
/// compared with.
double ProductCheck::worst_tolerance(double magnitude) const {
  return depth_ * ((roundoff_ + kDoubleRoundoff) * magnitude + smallest_);
}

/// Returns the largest rounding error that is accepted of an element of that magnitude.
double ProductCheck::tolerance(double magnitude) const {
  const double worst = worst_tolerance(magnitude);
  if (roundoff_ == kDoubleRoundoff) return worst;  // the reference is no more exact
  const double likely = kOrderMargin * (sum_rounding_ + roundoff_) + depth_ * kDoubleRoundoff;
  return std::min(worst, likely * magnitude + depth_ * smallest_);
}

double ProductCheck::sum_rounding(double start, const std::vector<double>& terms, double exact,
                                  double magnitude) const {
  auto forward = static_cast<float>(start);
  float backward = forward;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    forward += static_cast<float>(terms[k]);
    backward += static_cast<float>(terms[terms.size() - 1 - k]);
  }
  const double error = std::max(std::abs(forward - exact), std::abs(backward - exact));
  return error > depth_ * smallest_ ? error / magnitude : 0;
}

/// Returns the largest rounding error that is accepted of that element of a small product because
/// of its own terms, whose sum may be rounded more than those of the samples.
double ProductCheck::own_tolerance(std::int64_t row, std::int64_t column) const {
  const auto at = static_cast<std::size_t>(row * b_->columns() + column);
  std::vector<double> terms = a_->copy_as_doubles(row * a_->columns(), a_->columns());
  double sum = 0;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const auto place = static_cast<std::int64_t>(k) * b_->columns() + column;
    terms[k] *= b_->copy_as_doubles(place, 1).front();
    sum += terms[k];
  }
  const double own = sum_rounding(expected_[at] - sum, terms, expected_[at], magnitudes_[at]);
  return std::min(worst_tolerance(magnitudes_[at]),
                  kOrderMargin * (own + roundoff_) * magnitudes_[at]);
}

void ProductCheck::expect_all(const Matrix& a, const Matrix& b, const Matrix& c) {
  for (const Matrix* matrix : {&a, &b, &c}) largest_by_row(*matrix);  // all are finite
  std::vector<double> left = a.copy_as_doubles(0, a.rows() * a.columns());
  std::vector<double> right = b.copy_as_doubles(0, b.rows() * b.columns());
  expected_ = c.copy_as_doubles(0, c.rows() * c.columns());
  magnitudes_ = magnitudes_of(expected_);
  multiply(left, right, expected_, c.rows(), c.columns(), a.columns());
  left = magnitudes_of(std::move(left));
  right = magnitudes_of(std::move(right));
  multiply(left, right, magnitudes_, c.rows(), c.columns(), a.columns());
  for (std::size_t i = 0; i < magnitudes_.size(); ++i) {
    if (!(magnitudes_[i] <= largest_)) throw overflow_error(i / c.columns());
  }
}

void ProductCheck::choose_samples(const Matrix& c, std::int64_t q, std::uint64_t seed) {
  Random random(seed + 0x5a3b1e);
  const std::int64_t blocks = ceil_div(c.columns(), q);
  samples_.reserve(static_cast<std::size_t>(sample_count(c.rows(), c.columns(), q)));
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    const std::int64_t height = std::min(q, c.rows() - row / q * q);
    const std::int64_t count = samples_per_row(blocks, height);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t first = (row % q * count + i) % blocks * q;
      const std::int64_t column = random.integer(first, std::min(first + q, c.columns()) - 1);
      samples_.push_back({.row = row, .column = column, .expected = 0, .magnitude = 0});
    }
  }
}

void ProductCheck::compute_samples(const Matrix& a, const Matrix& b, const Matrix& c) {
  for (Sample& sample : samples_) {
    sample.expected = c.copy_as_doubles(sample.row * c.columns() + sample.column, 1).front();
    sample.magnitude = std::abs(sample.expected);
  }
  std::vector<float> before;
  before.reserve(samples_.size());
  for (const Sample& sample : samples_) before.push_back(static_cast<float>(sample.expected));
  std::vector<double> columns;  // the panel of B, by columns
  // Calls visit(index of the sample, its terms of the panel) for each sample and panel.
  const auto for_each_terms = [&](Order order, auto&& visit) {
    const auto visit_panel = [&](std::int64_t first, std::int64_t rows,
                                 std::span<const double> values) {
      columns.resize(values.size());
      for (std::int64_t k = 0; k < rows; ++k) {
        for (std::int64_t j = 0; j < b.columns(); ++j) {
          columns[j * rows + k] = values[k * b.columns() + j];
        }
      }
      std::vector<double> row;
      std::vector<double> terms(rows);
      std::int64_t loaded = -1;
      for (std::size_t i = 0; i < samples_.size(); ++i) {
        if (samples_[i].row != loaded) {
          loaded = samples_[i].row;
          row = a.copy_as_doubles(loaded * a.columns() + first, rows);
        }
        const double* const column = columns.data() + samples_[i].column * rows;
        for (std::int64_t k = 0; k < rows; ++k) terms[k] = row[k] * column[k];
        visit(i, terms);
      }
    };
    for_each_panel(b, visit_panel, order);
  };
  std::vector<float> forward = before;
  for_each_terms(Order::forward, [&](std::size_t i, const std::vector<double>& terms) {
    for (const double term : terms) {
      samples_[i].expected += term;
      samples_[i].magnitude += std::abs(term);
      forward[i] += static_cast<float>(term);
    }
  });
  if (c.type() == ElementType::float64) return;
  std::vector<float> backward = before;
  for_each_terms(Order::backward, [&](std::size_t i, const std::vector<double>& terms) {
    for (std::size_t k = terms.size(); k-- > 0;) backward[i] += static_cast<float>(terms[k]);
  });
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    for (const float sum : {forward[i], backward[i]}) {
      const double error = std::abs(sum - samples_[i].expected);
      if (error <= depth_ * smallest_) continue;
      sum_rounding_ = std::max(sum_rounding_, error / samples_[i].magnitude);
    }
  }
}

void ProductCheck::compute_sums(const Matrix& a, const Matrix& b, const Matrix& c,
                                std::uint64_t seed) {
  const std::vector<double> in_b = largest_by_row(b);
  const std::vector<double> in_c = largest_by_row(c);
  largest_by_row(a);  // all are finite
  // Each row of S counts as much as any other in the scale of a column.
  std::vector<double> weights = weighted_magnitudes(a, in_b, in_c);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] <= largest_)) throw overflow_error(i);
    weights[i] = weights[i] > 0 ? 1 / weights[i] : 0;
  }
  std::vector<double> in_a(b.rows());
  add_magnitudes(a, weights, in_a);
  std::vector<double> sums(c.columns());
  add_magnitudes(b, in_a, sums);
  add_magnitudes(c, weights, sums);
  scales_.resize(sums.size(), 1);
  for (std::size_t j = 0; j < sums.size(); ++j) {
    if (std::isnormal(sums[j])) scales_[j] = std::ldexp(1, -std::ilogb(sums[j]));
  }
  // |S_i D|_2 is at most the sum of the norms of its terms.
  magnitudes_ = weighted_magnitudes(a, norms_by_row(b, scales_), norms_by_row(c, scales_));

  Random random(seed + 0x5eed);
  x_.resize(c.columns() * kVectors);
  for (std::size_t i = 0; i < x_.size(); ++i) {
    x_[i] = random.integer(0, 1) == 0 ? -scales_[i / kVectors] : scales_[i / kVectors];
  }
  std::vector<double> bx(b.rows() * kVectors);
  add_product(b, x_, bx, kVectors);
  expected_.resize(c.rows() * kVectors);
  add_product(a, bx, expected_, kVectors);
  add_product(c, x_, expected_, kVectors);
}

CheckOutcome ProductCheck::check(const Matrix& c) const {
  if (small_) return compare_all(c);
  // The largest rounding error of the samples, relative to their magnitudes.
  double roundoff = 0;
  for (const Sample& sample : samples_) {
    const auto [row, column, expected, magnitude] = sample;
    const double found = c.copy_as_doubles(row * c.columns() + column, 1).front();
    const double difference = std::abs(found - expected);
    if (!(difference <= tolerance(magnitude))) {
      return {.error = fmt::format("C is wrong: element ({}, {}) is {}, expected {}", row, column,
                                   found, expected),
              .method = {}};
    }
    if (difference > depth_ * smallest_) roundoff = std::max(roundoff, difference / magnitude);
  }
  return compare_sums(c, kSampleMargin * std::max(roundoff, roundoff_));
}

CheckOutcome ProductCheck::compare_all(const Matrix& c) const {
  CheckOutcome outcome;
  double largest = 0;
  for_each_row(c, [&](std::size_t row, std::span<const double> found) {
    for (std::size_t j = 0; j < found.size() && outcome.error.empty(); ++j) {
      const std::size_t at = row * found.size() + j;
      const double difference = std::abs(found[j] - expected_[at]);
      double most = tolerance(magnitudes_[at]);
      if (!(difference <= most) && difference <= worst_tolerance(magnitudes_[at])) {
        most = own_tolerance(static_cast<std::int64_t>(row), static_cast<std::int64_t>(j));
      }
      largest = std::max(largest, most);
      if (difference <= most) continue;
      outcome.error = fmt::format("C is wrong: element ({}, {}) is {}, expected {}", row, j,
                                  found[j], expected_[at]);
    }
  });
  outcome.method = fmt::format("against one dgemm, each element to {:.2g}", largest);
  return outcome;
}

/// Freivalds' test, for elements whose rounding errors are at most `roundoff` times their magnitude
/// in the quadratic mean of a row.
CheckOutcome ProductCheck::compare_sums(const Matrix& c, double roundoff) const {
  const auto width = static_cast<double>(c.columns());
  // The test's own errors: A.(B.x), whose terms are sums themselves, C0.x and C.x.
  const double own = kRoundings * kDoubleRoundoff * (std::sqrt(depth_) + 3 * std::sqrt(width));
  double norm = 0;
  for (const double scale : scales_) norm += scale * scale;
  const double underflow = depth_ * smallest_ * std::sqrt(norm);
  const auto row_tolerance = [&](std::size_t row) {
    return kDeviations * ((roundoff + own) * magnitudes_[row] + underflow);
  };
  CheckOutcome outcome;
  std::vector<double> sums;
  for_each_panel(c, [&](std::int64_t first, std::int64_t rows, std::span<const double> values) {
    if (!outcome.error.empty()) return;
    sums.assign(rows * kVectors, 0);
    multiply(values, x_, sums, rows, kVectors, c.columns());
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::size_t row = first + i / kVectors;
      if (std::abs(sums[i] - expected_[first * kVectors + i]) <= row_tolerance(row)) continue;
      outcome.error = fmt::format("C is wrong in row {}", row);
      return;
    }
  });
  // An error e of element (i, j) changes a sum by e times the scale of the column. The sum of a
  // right row is off by at most its tolerance, so that twice that is always noticed.
  std::vector<double> noticed;
  std::vector<double> elements;
  noticed.reserve(samples_.size());
  elements.reserve(samples_.size());
  for (const Sample& sample : samples_) {
    noticed.push_back(2 * row_tolerance(sample.row) / scales_[sample.column]);
    elements.push_back(std::abs(sample.expected));
  }
  const double least = median(std::move(noticed));
  const double typical = median(std::move(elements));
  outcome.method = fmt::format(
      "by {} elements recomputed, some of each block, and by Freivalds' test with {} vectors, "
      "which {} one wrong element if it is off by {:.2g} (elements of C: {:.2g}; medians)",
      samples_.size(), kVectors, least <= typical ? "finds even" : "is weak here: it finds", least,
      typical);
  return outcome;
}

double ProductCheck::needed_bytes(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t q) {
  const auto sum = static_cast<double>(m) + static_cast<double>(n) + static_cast<double>(k);
  const auto height = static_cast<double>(m);
  const auto small = 2 * static_cast<double>(n) * (height + static_cast<double>(k));
  // At the end, check() has two numbers more for each.
  const double samples = static_cast<double>(sample_count(m, n, q)) * (sizeof(Sample) + 16);
  return samples + 8 * (is_small(m, n, k) ? small : kVectors * sum);
}

}  // namespace starport::mpi
