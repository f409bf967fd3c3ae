// The master's matrices, and the check of C.
#include "sim/mpi/matrices/product.hpp"

#include "sim/files/error.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/mpi/matrices/product_check.hpp"
#include "sim/platform/random.hpp"
#include "tests/mpi/mpi_support.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <new>
#include <string>
#include <utility>

namespace starport::mpi {
namespace {

/// C by a triple loop over elements.
std::vector<double> plain_product(const Matrix& a, const Matrix& b, const Matrix& c) {
  std::vector<double> result(c.values().begin(), c.values().end());
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    for (std::int64_t j = 0; j < b.columns(); ++j) {
      for (std::int64_t k = 0; k < a.columns(); ++k) {
        result[static_cast<std::size_t>(i * b.columns() + j)] +=
            a.values()[static_cast<std::size_t>(i * a.columns() + k)] *
            b.values()[static_cast<std::size_t>(k * b.columns() + j)];
      }
    }
  }
  return result;
}

std::vector<double> packed(const Product& product, const Transfer& transfer) {
  std::vector<double> elements(static_cast<std::size_t>(product.elements(transfer)));
  product.pack(transfer, 0, std::ssize(elements), elements.data());
  return elements;
}

void unpack(Product& product, const Transfer& transfer, const std::vector<double>& elements) {
  product.unpack(transfer, 0, std::ssize(elements), elements.data());
}

TEST(Product, ARightCPassesAndAWrongOneDoesNot) {
  // 5 x 7 by 7 x 4 in blocks of 3: the edges are not whole blocks.
  const Problem problem{.r = 2, .s = 2, .t = 3, .block_size = 3};
  const Matrix a(5, 7, 3);
  const Matrix b(7, 4, 4);
  const Matrix c(5, 4, 5);
  const std::vector<double> right = plain_product(a, b, c);
  for (const bool spoilt : {false, true}) {
    Product product(problem, {.height = 5, .depth = 7, .width = 4}, {.seed = 1});
    const ProductCheck check(product, 1);
    EXPECT_NE(check.check(product.c()).error, "");  // C0 is not C0 + A.B
    const test::TemporaryFile file(test::raw(right), ".bin");
    const Matrix result(5, 4, file.path(), "--c", FileAccess::replace);
    // The blocks of the result come home, with what lies beyond the edges.
    std::vector<double> buffer(36);
    result.read({.row = 0, .column = 0, .height = 6, .width = 6}, buffer.data());
    Transfer home;
    home.direction = Direction::to_master;
    home.c = {{0, 2}, {0, 2}};
    if (spoilt) buffer[6 + 3] += 1e-9;  // element (1, 3)
    unpack(product, home, buffer);
    EXPECT_TRUE(check.check(product.c()).method.starts_with("against one dgemm, each element to "));
    EXPECT_EQ(check.check(product.c()).error.substr(0, 27),
              spoilt ? "C is wrong: element (1, 3) " : "");
    product.restore_c();
    EXPECT_TRUE(std::equal(c.values().begin(), c.values().end(), product.c().values().begin()));
  }
}

TEST(Product, FreivaldsTestFindsOneWrongElement) {
  // 2 * 1300^3 flops are more than one dgemm checks.
  constexpr std::int64_t n = 1300;
  const Problem problem{.r = 1, .s = 1, .t = 1, .block_size = n};
  Product product(problem, {.height = n, .depth = n, .width = n}, {.seed = 2});
  const ProductCheck check(product, 2);
  Transfer all;
  all.a = all.b = all.c = {{0, 1}, {0, 1}};
  const std::vector<double> blocks = packed(product, all);
  std::vector<double> c(blocks.begin() + 2 * n * n, blocks.end());
  multiply({blocks.data(), n * n}, {blocks.data() + n * n, n * n}, c, n, n, n);
  Transfer home;
  home.direction = Direction::to_master;
  home.c = all.c;
  unpack(product, home, c);
  const CheckOutcome right = check.check(product.c());
  EXPECT_EQ(right.error, "");
  EXPECT_TRUE(
      right.method.starts_with("by 5200 elements recomputed, some of each block, and by "
                               "Freivalds' test with 20 vectors, which finds even one"))
      << right.method;
  c[17 * n + 5] += 1e-6;
  unpack(product, home, c);
  EXPECT_EQ(check.check(product.c()).error, "C is wrong in row 17");
}

/// One entry of 1e12 makes rounding errors of hundreds in its row of C, and only there.
TEST(Product, ALargeRowDoesNotHideAWrongOne) {
  for (const std::int64_t n : {8, 1300}) {  // one dgemm, Freivalds' test
    const auto elements = static_cast<std::size_t>(n * n);
    std::vector<double> a(elements, 0.5);
    a.front() = 1e12;
    const test::TemporaryFile file(test::raw(a), ".bin");
    Product product({.r = 1, .s = 1, .t = 1, .block_size = n},
                    {.height = n, .depth = n, .width = n}, {.a = file.path(), .seed = 2});
    const ProductCheck check(product, 2);
    std::vector<double> c(product.c().values().begin(), product.c().values().end());
    multiply(product.a().values(), product.b().values(), c, n, n, n);
    product.c().write({.row = 0, .column = 0, .height = n, .width = n}, c.data());
    EXPECT_EQ(check.check(product.c()).error, "");
    c[static_cast<std::size_t>(3 * n + 2)] -= 3;
    product.c().write({.row = 0, .column = 0, .height = n, .width = n}, c.data());
    EXPECT_NE(check.check(product.c()).error, "") << n;
  }
}

// One term of 8000 is less than the worst case of the rounding errors of floats, as is what is lost
// in half precision.
TEST(Product, ASmallErrorOfEveryFloatIsFound) {
  constexpr ProductSize kSizes[] = {{.height = 16, .depth = 60'000, .width = 20},   // one dgemm
                                    {.height = 1200, .depth = 8000, .width = 20}};  // Freivalds
  for (const ProductSize& size : kSizes) {
    const std::int64_t m = size.height;
    const std::int64_t k = size.depth;
    const std::int64_t n = size.width;
    const Problem problem{
        .r = (m + 15) / 16, .s = (n + 15) / 16, .t = (k + 15) / 16, .block_size = 16};
    Product product(problem, size, {.seed = 6, .type = ElementType::float32});
    const ProductCheck check(product, 6);
    const auto a = product.a().values<float>();
    const auto b = product.b().values<float>();
    const auto c = product.c().values<float>();
    const std::vector<float> before(c.begin(), c.end());
    const auto half = [](float value) {
      const float shifted = value * 8193;  // rounds to 11 bits (Dekker)
      return shifted - (shifted - value);
    };
    const auto compute = [&](std::int64_t last, bool backward, bool in_half) {
      std::ranges::copy(before, c.begin());
      for (std::int64_t i = 0; i < m; ++i) {
        for (std::int64_t step = 0; step < last; ++step) {
          const std::int64_t inner = backward ? last - 1 - step : step;
          for (std::int64_t j = 0; j < n; ++j) {
            const float x = a[i * k + inner];
            const float y = b[inner * n + j];
            c[i * n + j] += in_half ? half(x) * half(y) : x * y;
          }
        }
      }
      return check.check(product.c()).error;
    };
    EXPECT_EQ(compute(k, false, false), "");
    EXPECT_EQ(compute(k, true, false), "");
    EXPECT_NE(compute(k - 1, false, false), "") << "without the last term, " << m << " rows";
    EXPECT_NE(compute(k, false, true), "") << "half precision, " << m << " rows";
  }
}

// Terms of one sign and size, whose rounding errors add up, in one row and one column only.
TEST(Product, RightFloatsOfOneUnlikeElementPass) {
  constexpr std::int64_t n = 60;
  constexpr std::int64_t k = 20'000;
  std::vector<float> a(n * k);
  std::vector<float> b(k * n);
  Random random(3);
  for (float& value : a) value = static_cast<float>(random.real(-1, 1));
  for (float& value : b) value = static_cast<float>(random.real(-1, 1));
  for (std::int64_t inner = 0; inner < k; ++inner) {
    a[17 * k + inner] = 0.1F;
    b[inner * n + 23] = 0.1F;
  }
  const auto bytes = [](const std::vector<float>& values) {
    return std::string(reinterpret_cast<const char*>(values.data()), 4 * values.size());
  };
  const test::TemporaryFile left(bytes(a), ".bin");
  const test::TemporaryFile right(bytes(b), ".bin");
  Product product({.r = 1, .s = 1, .t = 400, .block_size = 60},
                  {.height = n, .depth = k, .width = n},
                  {.a = left.path(), .b = right.path(), .seed = 1, .type = ElementType::float32});
  const ProductCheck check(product, 1);
  const auto c = product.c().values<float>();
  double exact = c[17 * n + 23];
  for (std::int64_t inner = 0; inner < k; ++inner) {
    exact += static_cast<double>(a[17 * k + inner]) * b[inner * n + 23];
  }
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t inner = 0; inner < k; ++inner) {
      for (std::int64_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + inner] * b[inner * n + j];
    }
  }
  const CheckOutcome outcome = check.check(product.c());
  EXPECT_EQ(outcome.error, "");
  // What is stated holds for that element as well.
  const std::string words = "each element to ";
  const double stated = std::stod(outcome.method.substr(outcome.method.find(words) + words.size()));
  EXPECT_GE(stated, std::abs(c[17 * n + 23] - exact));
  c[17 * n + 23] += 0.5F;
  EXPECT_NE(check.check(product.c()).error, "");
}

// A sum of floats in order, one after the other, has the largest rounding errors; of equal terms
// they have one sign.
TEST(Product, RightCOfEqualFloatsPasses) {
  constexpr std::int64_t n = 1300;
  const std::vector<float> tenths(n * n, 0.1F);
  const std::string bytes(reinterpret_cast<const char*>(tenths.data()), 4 * tenths.size());
  const test::TemporaryFile a(bytes, ".bin");
  const test::TemporaryFile before(bytes, ".bin");
  Product product({.r = 10, .s = 10, .t = 10, .block_size = 130},
                  {.height = n, .depth = n, .width = n},
                  {.a = a.path(), .b = a.path(), .c = before.path(), .type = ElementType::float32});
  const ProductCheck check(product, 1);
  float sum = 0.1F;
  for (int k = 0; k < n; ++k) sum += 0.1F * 0.1F;
  const auto c = product.c().values<float>();
  std::ranges::fill(c, sum);
  EXPECT_EQ(check.check(product.c()).error, "");
  c[n * 700 + 1] += 1;
  EXPECT_EQ(check.check(product.c()).error, "C is wrong in row 700");
}

// A column of 1e12 in B has rounding errors of its own only.
TEST(Product, ALargeColumnDoesNotHideAWrongElement) {
  for (const std::int64_t n : {300, 1300}) {  // one dgemm, Freivalds' test
    std::vector<double> b(static_cast<std::size_t>(n * n), 0.5);
    for (std::int64_t k = 0; k < n; ++k) b[k * n + 4] = 1e12;
    const test::TemporaryFile file(test::raw(b), ".bin");
    Product product({.r = 1, .s = 1, .t = 1, .block_size = n},
                    {.height = n, .depth = n, .width = n}, {.b = file.path(), .seed = 2});
    const ProductCheck check(product, 2);
    const auto c = product.c().values();
    multiply(product.a().values(), product.b().values(), c, n, n, n);
    EXPECT_EQ(check.check(product.c()).error, "");
    c[245] -= 3;
    EXPECT_NE(check.check(product.c()).error, "") << n;
  }
}

TEST(Product, MatricesThatMemoryCannotHoldAreRefused) {
  const auto expect_refused = [](const ProductSize& size, const MatrixSources& sources,
                                 std::int64_t block_size, const std::string& needed) {
    try {
      check_memory(size, sources, block_size);
      FAIL();
    } catch (const SimulationError& error) {
      EXPECT_TRUE(std::string(error.what())
                      .starts_with("the master's matrices that are not files and the check of C "
                                   "need " +
                                   needed + " GiB, but "))
          << error.what();
    }
  };
  expect_refused({.height = 1'000'000'000, .depth = 10, .width = 1'000'000'000}, {}, 1000,
                 "7.45e+09");
  // Files do not count, nor does what is small.
  EXPECT_NO_THROW(check_memory({.height = 1'000'000, .depth = 10, .width = 1'000'000},
                               {.a = {}, .b = {}, .c = "c.bin"}, 80));
  EXPECT_NO_THROW(check_memory({.height = 10, .depth = 10, .width = 10}, {}, 80));
  // 20 doubles for each column of Freivalds' test, and 48 bytes for each block of C.
  const ProductSize wide{.height = 10, .depth = 10, .width = 1'000'000'000'000};
  const MatrixSources files{.a = "a.bin", .b = "b.bin", .c = "c.bin"};
  expect_refused(wide, files, 1000, "1.49e+05");
  expect_refused(wide, files, 1, "5.96e+05");
}

/// The memory that this process may take beside what it has: maps of files do not count, but for
/// RLIMIT_AS.
class MemoryLimit {
 public:
  explicit MemoryLimit(rlim_t more_bytes, __rlimit_resource resource = RLIMIT_DATA,
                       const std::string& in_status = "VmData:")
      : resource_(resource) {
    std::ifstream status("/proc/self/status");
    rlim_t kib = 0;
    for (std::string word; status >> word && word != in_status;) continue;
    status >> kib;
    ::getrlimit(resource_, &before_);
    const rlimit limit{.rlim_cur = 1024 * kib + more_bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(resource_, &limit);
  }
  ~MemoryLimit() { ::setrlimit(resource_, &before_); }

 private:
  __rlimit_resource resource_;
  rlimit before_{};
};

TEST(Product, FilesLargerThanTheMemoryDo) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own memory would count";
#endif
  // C takes 269 MB, and there are 64 MB.
  constexpr std::int64_t q = 50;
  constexpr std::int64_t side = 116;
  const Problem problem{.r = side, .s = side, .t = 1, .block_size = q};
  const test::TemporaryDirectory directory;
  set_blas_threads(1);
  {
    constexpr std::int64_t n = 300;
    std::vector<double> values(3 * n * n);  // the library takes its memory
    const auto matrix = [&](std::int64_t i) { return std::span(values).subspan(i * n * n, n * n); };
    multiply(matrix(0), matrix(1), matrix(2), n, n, n);
  }
  const MemoryLimit limit(64 << 20);
  EXPECT_THROW(std::vector<double>(q * q * side * side), std::bad_alloc);
  Product product(problem, {.height = side * q, .depth = q, .width = side * q},
                  {.c = (directory.path() / "c.bin").string()});
  const ProductCheck check(product, 1);
  Transfer there;
  there.b = {{0, 1}, {0, side}};
  Transfer home;
  home.direction = Direction::to_master;
  for (std::int32_t i = 0; i < side; ++i) {
    there.a = {{i, i + 1}, {0, 1}};
    there.c = home.c = {{i, i + 1}, {0, side}};
    const std::vector<double> panels = packed(product, there);
    const std::span<const double> b = std::span(panels).subspan(q * q, side * q * q);
    std::vector<double> c(panels.end() - side * q * q, panels.end());
    multiply(panels, b, c, q, side * q, q);
    unpack(product, home, c);
  }
  EXPECT_EQ(check.check(product.c()).error, "");
  std::vector<double> wrong(side * q * q);
  unpack(product, home, wrong);  // the last row of blocks
  EXPECT_TRUE(check.check(product.c()).error.starts_with("C is wrong: element (5750, "));
}

// A limit on the address space, which maps of files count for.
TEST(Product, ACThatCannotBeMappedIsNotBegun) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's own memory would count";
#endif
  const test::TemporaryDirectory directory;
  for (const char* name : {"c.bin", "c.npy"}) {
    const std::string path = (directory.path() / name).string();
    std::string fault;
    {
      const MemoryLimit limit(16 << 20, RLIMIT_AS, "VmSize:");
      try {
        const Matrix c(2000, 4000, path, "--c", FileAccess::replace);
      } catch (const InputError& error) {
        fault = error.what();
      }
    }
    EXPECT_TRUE(fault.starts_with(path + ": --c: expected a file that can be mapped, found "))
        << fault;
    EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  }
}

TEST(Product, COfNoNameIsRefused) {
  const FileDescriptor file(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  ASSERT_GE(file.get(), 0);
  const std::string path = fmt::format("/proc/self/fd/{}", file.get());
  try {
    const Matrix c(2, 3, path, "--c", FileAccess::replace);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_TRUE(std::string(error.what())
                    .starts_with(path + ": --c: expected a file with a name, which C replaces, "
                                        "found "))
        << error.what();
  }
}

TEST(Product, FilesAreReadAndWrittenOnceTheyAreKept) {
  const test::TemporaryFile file(test::raw({1, 2, 3, 4, 5, 6}), ".bin");
  const auto values = [&] {
    const Matrix read(2, 3, file.path(), "--a", FileAccess::read);
    return std::vector<double>(read.values().begin(), read.values().end());
  };
  const auto write = [&](bool kept) {
    Matrix matrix(2, 3, file.path(), "--c", FileAccess::replace);
    std::vector<double> block(4);
    const MatrixArea edge{.row = 0, .column = 2, .height = 2, .width = 2};
    matrix.read(edge, block.data());
    EXPECT_EQ(block, (std::vector<double>{3, 0, 6, 0}));  // beyond the edge, zeros
    block = {30, 99, 60, 99};
    matrix.write(edge, block.data());
    EXPECT_EQ(values(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
    if (kept) matrix.commit();
  };
  write(false);
  EXPECT_EQ(values(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  write(true);
  EXPECT_EQ(values(), (std::vector<double>{1, 2, 30, 4, 5, 60}));
}

TEST(Product, EachFaultOfAFileIsNamed) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const test::TemporaryFile good(test::raw({1, 2, 3, 4, 5, 6}), ".bin");
  const test::TemporaryFile bad(test::raw({1, 2, 3, 4, nan, 6}), ".bin");
  const test::TemporaryFile endless(test::raw({1, -infinity, 3, 4, 5, 6}), ".bin");
  const test::TemporaryFile large(test::raw({1, 2, 3, 4, 5, 1e200}), ".bin");
  const auto error_of = [](const ProductSize& size, const MatrixSources& sources) -> std::string {
    try {
      const Product product({.r = 1, .s = 1, .t = 1, .block_size = 4}, size, sources);
      const ProductCheck check(product, 1);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  const ProductSize size{.height = 2, .depth = 3, .width = 2};
  EXPECT_EQ(error_of({.height = 2, .depth = 4, .width = 2}, {.a = good.path()}),
            good.path() + ": --a: expected 2 x 4 doubles by rows, 64 bytes, found 48 bytes");
  EXPECT_EQ(error_of(size, {.a = bad.path()}),
            bad.path() + ": --a: expected finite numbers, found nan in row 1, column 1 (from 0)");
  EXPECT_EQ(error_of(size, {.b = bad.path()}),
            bad.path() + ": --b: expected finite numbers, found nan in row 2, column 0 (from 0)");
  EXPECT_EQ(
      error_of({.height = 2, .depth = 4, .width = 3}, {.c = endless.path()}),
      endless.path() + ": --c: expected finite numbers, found -inf in row 0, column 1 (from 0)");
  EXPECT_NE(error_of(size, {.a = large.path(), .b = large.path()})
                .find("A, B, C: expected numbers whose product is finite, found magnitudes "
                      "that overflow in row 1"),
            std::string::npos);
  EXPECT_EQ(error_of(size, {.b = "/dev/null"}),
            "/dev/null: --b: expected 3 x 2 doubles by rows, 48 bytes, found something that is not "
            "a regular file");
  const test::TemporaryDirectory folder;
  const std::string pipe = (folder.path() / "pipe").string();  // without a writer
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_NE(error_of(size, {.b = pipe}).find("something that is not a regular file"),
            std::string::npos);
  EXPECT_EQ(error_of(size, {.b = "nowhere.bin"}),
            "nowhere.bin: --b: expected a readable file, found No such file or directory");
}

}  // namespace
}  // namespace starport::mpi
