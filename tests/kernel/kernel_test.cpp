// What computes updates, by the memory that it owns: the CPU's kernel, and libraries of others.
#include "sim/kernel/kernel.hpp"

#include "sim/files/error.hpp"
#include "sim/platform/random.hpp"
#include "tests/paths.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace starport {
namespace {

struct Shape {
  std::int64_t q;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t inner;

  std::int64_t blocks() const { return rows * columns + rows * inner + inner * columns; }
};

/// How a matrix of blocks lies in a store: as one matrix by rows, each block by itself, or the
/// blocks of every other row by themselves.
enum class Lie { together, apart, mixed };

class Blocks {
 public:
  Blocks(std::int64_t q, std::int64_t first, std::int64_t rows, std::int64_t columns, Lie lie) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const bool apart = lie == Lie::apart || (lie == Lie::mixed && i % 2 == 1);
      for (std::int64_t j = 0; j < columns; ++j) {
        places.push_back(apart ? BlockPlace{first + (i * columns + j) * q * q, q}
                               : BlockPlace{first + i * q * columns * q + j * q, columns * q});
      }
    }
  }
  std::int64_t at(std::int64_t q, std::int64_t columns, std::int64_t i, std::int64_t j) const {
    const BlockPlace& place = places[static_cast<std::size_t>(i / q * columns + j / q)];
    return place.first + i % q * place.stride + j % q;
  }
  std::vector<BlockPlace> places;
};

/// What a store holds, and what it should after the update, with what rounding may add to that.
template <class Element>
struct Updated {
  std::vector<Element> values;
  std::vector<double> expected;
  std::vector<double> tolerances;
};

/// One update of random values, the product computed element by element beside it.
template <class Element>
Updated<Element> update(const starport_kernel& kernel, const Shape& shape, Lie lie,
                        std::uint64_t seed) {
  const auto [q, rows, columns, inner] = shape;
  const Blocks c(q, 0, rows, columns, lie);
  const Blocks a(q, rows * columns * q * q, rows, inner, lie);
  const Blocks b(q, (rows * columns + rows * inner) * q * q, inner, columns, lie);
  KernelStore store(kernel, {.block_size = q,
                             .blocks = shape.blocks(),
                             .expected_blocks = shape.blocks() / 2,
                             .element_bytes = sizeof(Element),
                             .threads = 1});
  Random random(seed);
  std::vector<Element> before(static_cast<std::size_t>(shape.blocks() * q * q));
  for (Element& value : before) value = static_cast<Element>(random.real(-1, 1));
  store.put(0, std::ssize(before), before.data());
  store.update({.c = c.places,
                .a = a.places,
                .b = b.places,
                .rows = rows,
                .columns = columns,
                .inner = inner});
  Updated<Element> result{.values = std::vector<Element>(before.size()),
                          .expected = {before.begin(), before.end()},
                          .tolerances = std::vector<double>(before.size(), 0.0)};
  store.get(0, std::ssize(before), result.values.data());
  const auto value = [&](std::int64_t place) {
    return static_cast<double>(before[static_cast<std::size_t>(place)]);
  };
  for (std::int64_t i = 0; i < rows * q; ++i) {
    for (std::int64_t j = 0; j < columns * q; ++j) {
      const auto place = static_cast<std::size_t>(c.at(q, columns, i, j));
      double magnitude = std::abs(result.expected[place]);
      for (std::int64_t k = 0; k < inner * q; ++k) {
        const double term = value(a.at(q, inner, i, k)) * value(b.at(q, columns, k, j));
        result.expected[place] += term;
        magnitude += std::abs(term);
      }
      result.tolerances[place] =
          static_cast<double>(inner * q + 1) * magnitude * std::numeric_limits<Element>::epsilon();
    }
  }
  return result;
}

/// Against the product computed element by element; the same bits each time.
template <class Element>
void check_shapes(const starport_kernel& kernel, int shapes) {
  Random random(7);
  for (int n = 0; n < shapes; ++n) {
    const Shape shape{.q = random.integer(1, 13),
                      .rows = random.integer(1, 5),
                      .columns = random.integer(1, 5),
                      .inner = random.integer(1, 4)};
    for (const Lie lie : {Lie::together, Lie::apart, Lie::mixed}) {
      const auto seed = static_cast<std::uint64_t>(n);
      const auto result = update<Element>(kernel, shape, lie, seed);
      for (std::size_t i = 0; i < result.values.size(); ++i) {
        ASSERT_NEAR(static_cast<double>(result.values[i]), result.expected[i], result.tolerances[i])
            << n << ", lie " << static_cast<int>(lie) << ", element " << i;
      }
      for (int repetition = 0; repetition < 3; ++repetition) {
        ASSERT_EQ(update<Element>(kernel, shape, lie, seed).values, result.values) << n;
      }
    }
  }
}

TEST(Kernel, ProductsOf100OddShapesAreRightAndTheSameEachTime) {
  check_shapes<double>(load_kernel(""), 100);
  check_shapes<float>(load_kernel(""), 100);
}

TEST(Kernel, ThatOfALibraryDoesTheSame) {
  for (const char* library : {"cpu_kernel", "kernel_apart"}) {
    const starport_kernel& kernel =
        load_kernel(std::string(STARPORT_PLUGINS "/lib") + library + ".so");
    EXPECT_NE(&kernel, &load_kernel("")) << library;
    check_shapes<double>(kernel, 20);
    check_shapes<float>(kernel, 20);
  }
}

TEST(Kernel, BlocksAreClearedAndAdded) {
  for (const char* library : {"", STARPORT_PLUGINS "/libkernel_apart.so"}) {
    KernelStore store(
        load_kernel(library),
        {.block_size = 2, .blocks = 2, .expected_blocks = 2, .element_bytes = 4, .threads = 1});
    EXPECT_EQ(store.address(0) == nullptr, library[0] != 0);
    const std::vector<float> before{1, 2, 3, 4, 5, 6, 7, 8};
    store.put(0, 8, before.data());
    store.add({.first = 0, .stride = 2}, {.first = 4, .stride = 2});
    store.clear(6, 2);
    std::vector<float> after(8);
    store.get(0, 8, after.data());
    EXPECT_EQ(after, (std::vector<float>{6, 8, 10, 12, 5, 6, 0, 0}));
  }
}

TEST(Kernel, WhatIsNoKernelIsRefused) {
  const auto error_of = [](const std::string& path) -> std::string {
    try {
      load_kernel(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(error_of("nowhere.so").find("nowhere.so: --kernel: expected a shared library"),
            std::string::npos)
      << error_of("nowhere.so");
  const std::string other = STARPORT_PLUGINS "/libno_plugin.so";
  EXPECT_EQ(error_of(other), other +
                                 ": --kernel: expected the function "
                                 "starport_kernel_of_version_1 in it, but there is none");
  // More than any address space has.
  const starport_store_setup huge{.block_size = 1'000'000,
                                  .blocks = 1'000'000,
                                  .expected_blocks = 0,
                                  .element_bytes = 4,
                                  .threads = 1};
  try {
    const KernelStore store(load_kernel(""), huge);
    FAIL();
  } catch (const SimulationError& error) {
    EXPECT_STREQ(error.what(),
                 "no memory for 1000000 blocks of 1000000 x 1000000 floats (3.73e+09 GiB)");
  }
}

}  // namespace
}  // namespace starport
