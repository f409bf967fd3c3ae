// Every kind of wrong C is found, whatever the range of the elements of A and B.
#include "sim/kernel/blas.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/matrices/product_check.hpp"
#include "sim/platform/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starport::mpi {
namespace {

constexpr std::int64_t kBlock = 16;

/// Which elements are some powers of ten larger than others.
enum class Range { none, rows, columns, rows_and_columns, inner };
constexpr Range kRanges[] = {Range::none, Range::rows, Range::columns, Range::rows_and_columns,
                             Range::inner};

/// A product in memory, what C was, and a right C: the exact one, rounded.
template <class Element>
class Case {
 public:
  explicit Case(const ProductSize& size, Range range = Range::none, double c_scale = 1)
      : a(size.height * size.depth),
        b(size.depth * size.width),
        c(size.height * size.width),
        m_(size.height),
        n_(size.width),
        product_({.r = blocks(size.height),
                  .s = blocks(size.width),
                  .t = blocks(size.depth),
                  .block_size = kBlock},
                 size, MatrixMemory{a.data(), b.data(), c.data(), type()}) {
    fill(size.depth, range, c_scale);
    before.assign(c.begin(), c.end());
    std::vector<double> exact = product_.c().copy_as_doubles(0, m_ * n_);
    multiply(product_.a().copy_as_doubles(0, m_ * size.depth),
             product_.b().copy_as_doubles(0, size.depth * n_), exact, m_, n_, size.depth);
    right.assign(exact.begin(), exact.end());
    check_.emplace(product_, 5);
  }

  /// Checks a C that `spoil` has changed.
  CheckOutcome check(const std::function<void(Case&)>& spoil = [](Case&) {}) {
    std::ranges::copy(right, c.begin());
    spoil(*this);
    return check_->check(product_.c());
  }
  Element& at(std::int64_t row, std::int64_t column) { return c[row * n_ + column]; }
  Element former(std::int64_t row, std::int64_t column) const { return before[row * n_ + column]; }
  std::int64_t m() const { return m_; }
  std::int64_t n() const { return n_; }

  std::vector<Element> a;
  std::vector<Element> b;
  std::vector<Element> c;
  std::vector<Element> before;
  std::vector<Element> right;

 private:
  static ElementType type() {
    return sizeof(Element) == 8 ? ElementType::float64 : ElementType::float32;
  }
  static std::int32_t blocks(std::int64_t elements) {
    return static_cast<std::int32_t>((elements + kBlock - 1) / kBlock);
  }
  void fill(std::int64_t depth, Range range, double c_scale) {
    Random random(7);
    const double most = sizeof(Element) == 8 ? 40 : 10;
    const auto draw = [&](std::int64_t count, bool varies) {
      std::vector<double> factors(count, 1);
      for (double& factor : factors) {
        if (varies) factor = std::pow(10, random.real(-most, most));
      }
      return factors;
    };
    const bool both = range == Range::rows_and_columns;
    const auto rows = draw(m_, range == Range::rows || both);
    const auto columns = draw(n_, range == Range::columns || both);
    const auto inner = draw(depth, range == Range::inner);
    const auto value = [&](double factor) {
      return static_cast<Element>(factor * random.real(-1, 1));
    };
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = value(rows[i / depth] * inner[i % depth]);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = value(columns[i % n_] / inner[i / n_]);
    for (std::size_t i = 0; i < c.size(); ++i) {
      c[i] = value(c_scale * rows[i / n_] * columns[i % n_]);
    }
  }

  std::int64_t m_;
  std::int64_t n_;
  Product product_;
  std::optional<ProductCheck> check_{};
};

template <class Element>
struct WrongC {
  const char* name;
  void (*spoil)(Case<Element>&);
};

/// Changes the lowest bit of the exponent.
float flip_bit(float value) {
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) ^ 1U << 23);
}
double flip_bit(double value) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ std::uint64_t{1} << 52);
}

/// Gives a block of C the elements that it had before.
template <class Element>
void restore(Case<Element>& one, std::int64_t row, std::int64_t column, std::int64_t width) {
  for (std::int64_t i = row; i < std::min(row + kBlock, one.m()); ++i) {
    for (std::int64_t j = column; j < std::min(column + width, one.n()); ++j) {
      one.at(i, j) = one.former(i, j);
    }
  }
}

template <class Element>
const std::vector<WrongC<Element>>& wrong_cs() {
  using One = Case<Element>;
  static const std::vector<WrongC<Element>> all{
      {"never computed", [](One& one) { std::ranges::copy(one.before, one.c.begin()); }},
      {"zero", [](One& one) { std::ranges::fill(one.c, Element{}); }},
      {"accumulated twice",
       [](One& one) {
         for (std::size_t i = 0; i < one.c.size(); ++i) one.c[i] += one.right[i] - one.before[i];
       }},
      {"one block", [](One& one) { restore(one, 0, one.n() / 2 / kBlock * kBlock, kBlock); }},
      {"the last block",
       [](One& one) {
         restore(one, (one.m() - 1) / kBlock * kBlock, (one.n() - 1) / kBlock * kBlock, kBlock);
       }},
      {"one worker's share", [](One& one) { restore(one, 0, 0, one.n()); }},
      {"one element", [](One& one) { one.at(7, 3) = one.former(7, 3); }},
      {"the sign of an element", [](One& one) { one.at(7, 2) *= -1; }},
      {"one bit of an element", [](One& one) { one.at(5, 6) = flip_bit(one.at(5, 6)); }},
      {"a denormal", [](One& one) { one.at(2, 6) = std::numeric_limits<Element>::denorm_min(); }},
      {"NaN", [](One& one) { one.at(9, 1) = std::numeric_limits<Element>::quiet_NaN(); }},
      {"infinite", [](One& one) { one.at(9, 1) = std::numeric_limits<Element>::infinity(); }},
      {"transposed",
       [](One& one) {
         for (std::int64_t i = 0; i < std::min(one.m(), one.n()); ++i) {
           for (std::int64_t j = 0; j < i; ++j) std::swap(one.at(i, j), one.at(j, i));
         }
       }},
      {"two rows exchanged", [](One& one) {
         for (std::int64_t j = 0; j < one.n(); ++j) std::swap(one.at(3, j), one.at(5, j));
       }}};
  return all;
}

template <class Element>
void expect_all_found(const ProductSize& size, Range range) {
  Case<Element> one(size, range);
  const std::string what = std::to_string(8 * sizeof(Element)) + " bits, " +
                           std::to_string(size.width) + " columns, range " +
                           std::to_string(static_cast<int>(range));
  EXPECT_EQ(one.check().error, "") << what;
  for (const WrongC<Element>& wrong : wrong_cs<Element>()) {
    EXPECT_NE(one.check(wrong.spoil).error, "") << wrong.name << ", " << what;
  }
}

// Computed by one dgemm, from 10 to 20,000 columns, or of A.
TEST(WrongC, OfASmallProductIsFound) {
  for (const Range range : kRanges) {
    for (const ProductSize& size : {ProductSize{.height = 10, .depth = 10, .width = 10},
                                    {.height = 40, .depth = 100, .width = 70},
                                    {.height = 16, .depth = 20'000, .width = 20},
                                    {.height = 16, .depth = 20, .width = 20'000}}) {
      expect_all_found<float>(size, range);
      expect_all_found<double>(size, range);
    }
  }
}

// Checked by samples and Freivalds' test. The worst case of the rounding errors of a row of floats
// exceeds what the row holds.
TEST(WrongC, OfALargeProductIsFound) {
  constexpr ProductSize size{.height = 40, .depth = 3000, .width = 2800};
  expect_all_found<float>(size, Range::none);
  expect_all_found<float>(size, Range::rows);
  expect_all_found<float>(size, Range::rows_and_columns);
  expect_all_found<double>(size, Range::rows_and_columns);
}

// Errors so small that Freivalds' test of a whole row cannot notice them: elements of each block
// are recomputed, whichever worker had it.
TEST(WrongC, OfAnyBlockIsFoundBySamples) {
  Case<float> one({.height = kBlock, .depth = 10, .width = 520'000});
  ASSERT_EQ(one.check().error, "");
  Random random(3);
  for (int i = 0; i < 6; ++i) {
    const std::int64_t first = kBlock * random.integer(0, one.n() / kBlock - 1);
    const CheckOutcome outcome = one.check([&](Case<float>& wrong) {
      for (std::int64_t row = 0; row < wrong.m(); ++row) {
        for (std::int64_t j = first; j < first + kBlock; ++j) wrong.at(row, j) += 1e-4F;
      }
    });
    EXPECT_TRUE(outcome.error.starts_with("C is wrong: element (")) << outcome.error;
  }
}

/// Returns the number that follows `words` in a text.
double number_after(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  EXPECT_NE(at, std::string::npos) << text;
  return at == std::string::npos ? 0 : std::stod(text.substr(at + words.size()));
}

// The message states an error that would have been found, of whatever element.
TEST(WrongC, StatesTheSmallestErrorThatIsFound) {
  Case<float> small({.height = 40, .depth = 100, .width = 70});
  Case<float> large({.height = 40, .depth = 3000, .width = 2800});
  const double of_small = number_after(small.check().method, "against one dgemm, each element to ");
  const double of_large = number_after(large.check().method, "one wrong element if it is off by ");
  EXPECT_LT(of_small, 1e-3);  // elements are about 3
  EXPECT_LT(of_large, 3);     // elements are about 18
  for (const std::int64_t row : {0, 17, 39}) {
    const auto add = [row](double error) {
      return [=](Case<float>& wrong) { wrong.at(row, row + 30) += static_cast<float>(error); };
    };
    EXPECT_NE(small.check(add(1.1 * of_small)).error, "") << row;
    EXPECT_NE(large.check(add(1.3 * of_large)).error, "") << row;  // a median over elements
  }
}

// What A.B adds to C vanishes, so that its sum of magnitudes, and rounding, exceed C.
TEST(WrongC, SaysWhereFreivaldsTestIsWeak) {
  Case<float> one({.height = 40, .depth = 3000, .width = 2800}, Range::none, 1e-6);
  EXPECT_NE(one.check().method.find("which finds even one wrong element"), std::string::npos);
  std::ranges::fill(one.a, 1.0F);
  for (std::size_t i = 0; i < one.b.size(); ++i) {
    one.b[i] = i / one.n() % 2 == 0 ? 0.5F : -0.5F;
  }
  std::ranges::copy(one.before, one.c.begin());
  Product product({.r = 3, .s = 175, .t = 188, .block_size = kBlock},
                  {.height = 40, .depth = 3000, .width = 2800},
                  MatrixMemory{one.a.data(), one.b.data(), one.c.data(), ElementType::float32});
  const CheckOutcome outcome = ProductCheck(product, 1).check(product.c());
  EXPECT_EQ(outcome.error, "");
  EXPECT_NE(outcome.method.find("which is weak here: it finds one wrong element if it is off by"),
            std::string::npos)
      << outcome.method;
}

}  // namespace
}  // namespace starport::mpi
