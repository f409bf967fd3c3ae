// The parts of real runs, and the programs that calibrate and execute.
#include "sim/engine/validator.hpp"
#include "sim/kernel/block_kernel.hpp"
#include "sim/kernel/loopback.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/samples.hpp"
#include "sim/model/error.hpp"
#include "sim/mpi/block_store.hpp"
#include "sim/mpi/product.hpp"
#include "tests/support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>

namespace starport {
namespace {

TEST(Samples, MedianDispersionAndLine) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  // Quartiles of 1, 2, 3, 4, 100: 2 and 4; half of their distance over 3.
  EXPECT_DOUBLE_EQ(relative_dispersion({100, 4, 3, 2, 1}), 1.0 / 3);
  // y = 2 x + 1 but for one point, which the median of the slopes leaves out.
  const Line line = fit_line({1, 2, 3, 4, 5}, {3, 5, 70, 9, 11});
  EXPECT_DOUBLE_EQ(line.slope, 2);
  EXPECT_DOUBLE_EQ(line.intercept, 1);
  EXPECT_EQ(fit_line({1, 2}, {1, 3}).intercept, 0);  // -1: a message does not end before it starts
}

TEST(Samples, ALinkIsFittedFromItsOwnSamples) {
  // 1 us and 1 ns a byte for worker 2; worker 1 is another link.
  std::vector<Calibration::Link> links;
  for (const std::int64_t bytes : {1000, 2000, 8000}) {
    const double seconds = 1e-6 + 1e-9 * static_cast<double>(bytes);
    links.push_back({.worker = 1, .bytes = bytes, .to_worker_s = {9}, .to_master_s = {9}});
    links.push_back(
        {.worker = 2, .bytes = bytes, .to_worker_s = {seconds}, .to_master_s = {seconds}});
  }
  const FittedLink link = fit_link(links, 2);
  EXPECT_NEAR(link.bandwidth_bytes_per_s, 1e9, 1);
  EXPECT_NEAR(link.latency_s, 1e-6, 1e-12);
  // Larger messages took less time: the largest one alone counts, 8000 bytes in 9 s.
  links.push_back({.worker = 3, .bytes = 8000, .to_worker_s = {9}, .to_master_s = {9}});
  links.push_back({.worker = 3, .bytes = 1000, .to_worker_s = {10}, .to_master_s = {10}});
  EXPECT_DOUBLE_EQ(fit_link(links, 3).bandwidth_bytes_per_s, 8000.0 / 9);
  EXPECT_EQ(fit_link(links, 3).latency_s, 0);
}

TEST(NodeMeasures, TheBestBlockSizeIsTheSmallestNearTheFastest) {
  // Speeds 2 q^3 / w: 2, 9.9, 10 and 8 Gflop/s.
  const auto series = [](std::int64_t q, double flops) {
    const auto side = static_cast<double>(q);
    return Calibration::Dgemm{.worker = 1,
                              .block_size = q,
                              .warm_s = {1},
                              .cold_s = {1},
                              .update_s = {2 * side * side * side / flops}};
  };
  EXPECT_EQ(
      best_block_size({series(10, 2e9), series(320, 1e10), series(80, 9.9e9), series(640, 8e9)}),
      2U);
}

TEST(BlockStore, NeverHoldsMoreThanItsBlocks) {
  BlockStore store(2, 3, 1);
  double* a = store.take(BlockKind::a, 0, 1);
  double* c = store.take(BlockKind::c, 0, 1);
  EXPECT_EQ(std::abs(a - c), 9);  // blocks of 3 x 3
  EXPECT_EQ(store.at(BlockKind::c, 0, 1), c);
  EXPECT_TRUE(store.holds(BlockKind::a, 0, 1));
  EXPECT_FALSE(store.holds(BlockKind::b, 0, 1));
  EXPECT_THROW(store.take(BlockKind::b, 5, 5), SimulationError);  // full
  store.release(BlockKind::a, 0, 1);
  EXPECT_THROW(store.release(BlockKind::a, 0, 1), SimulationError);
  EXPECT_THROW(store.take(BlockKind::c, 0, 1), SimulationError);  // there already
  EXPECT_EQ(store.take(BlockKind::b, 5, 5), a);
  EXPECT_EQ(store.most_held(), 2);
  EXPECT_EQ(store.free(), 0);
}

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

/// Writes a file of doubles.
std::string raw(const std::vector<double>& values) {
  return {reinterpret_cast<const char*>(values.data()), 8 * values.size()};
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
    EXPECT_NE(product.find_fault(), "");  // C0 is not C0 + A.B
    const test::TemporaryFile file(raw(right), ".bin");
    const Matrix result(5, 4, file.path(), "--c", true);
    // The blocks of the result come home.
    std::vector<double> buffer;
    Transfer home;
    home.direction = Direction::to_master;
    home.c = {{0, 2}, {0, 2}};
    for (std::int64_t i = 0; i < 2; ++i) {
      for (std::int64_t j = 0; j < 2; ++j) {
        buffer.resize(buffer.size() + 9);
        result.read_block(i, j, 3, buffer.data() + buffer.size() - 9);
      }
    }
    if (spoilt) buffer[9 + 3] += 1e-9;  // block (0, 1), row 1, column 0: element (1, 3)
    product.unpack(home, buffer);
    EXPECT_EQ(product.check_name(), "against one dgemm");
    EXPECT_EQ(product.find_fault().substr(0, 27), spoilt ? "C is wrong: element (1, 3) " : "");
  }
}

TEST(Product, FreivaldsTestFindsOneWrongElement) {
  // 2 * 1300^3 flops are more than one dgemm checks.
  constexpr std::int64_t n = 1300;
  const Problem problem{.r = 1, .s = 1, .t = 1, .block_size = n};
  Product product(problem, {.height = n, .depth = n, .width = n}, {.seed = 2});
  EXPECT_EQ(product.check_name(),
            "by Freivalds' test with 20 vectors, which misses a wrong C with a probability of at "
            "most 2^-20");
  Transfer all;
  all.a = all.b = all.c = {{0, 1}, {0, 1}};
  std::vector<double> blocks;
  product.pack(all, blocks);
  std::vector<double> c(blocks.begin() + 2 * n * n, blocks.end());
  multiply(1, {blocks.data(), n * n}, {blocks.data() + n * n, n * n}, c, n, n, n);
  Transfer home;
  home.direction = Direction::to_master;
  home.c = all.c;
  product.unpack(home, c);
  EXPECT_EQ(product.find_fault(), "");
  c[17 * n + 5] += 0.01;
  product.unpack(home, c);
  EXPECT_EQ(product.find_fault(), "C is wrong in row 17");
}

TEST(Product, FilesAreReadAndWrittenInPlace) {
  const test::TemporaryFile file(raw({1, 2, 3, 4, 5, 6}), ".bin");
  {
    Matrix matrix(2, 3, file.path(), "--c", true);
    std::vector<double> block(4);
    matrix.read_block(0, 1, 2, block.data());
    EXPECT_EQ(block, (std::vector<double>{3, 0, 6, 0}));  // beyond the edge, zeros
    block = {30, 99, 60, 99};
    matrix.write_block(0, 1, 2, block.data());
  }
  const Matrix again(2, 3, file.path(), "--a", false);
  EXPECT_EQ(std::vector<double>(again.values().begin(), again.values().end()),
            (std::vector<double>{1, 2, 30, 4, 5, 60}));
  try {
    const Matrix wrong(3, 3, file.path(), "--a", false);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              file.path() + ": --a: expected 3 x 3 doubles by rows, 72 bytes, found 48 bytes");
  }
}

/// A trace whose durations are not the model's, as real ones are not.
TEST(Validator, AnObservedTraceMayLastOtherwiseButKeepsOrderAndMemory) {
  const auto [platform, problem] = test::random_instance(4);
  const Trace model = test::by_recurrence("ODDOML", platform, problem);
  Trace real = model;
  // Everything later and later, by what only grows: order and causality stay.
  const auto slower = [](double date_s) { return date_s * 1.25; };
  for (auto& [transfer, dates] : real) {
    dates = {slower(dates.start_s), slower(dates.end_s), slower(dates.update_start_s),
             slower(dates.update_end_s)};
  }
  EXPECT_TRUE(find_violation(platform, problem, real).has_value());
  EXPECT_FALSE(find_violation(platform, problem, real, Timing::observed).has_value());

  Trace early = real;  // a transfer that starts before the end of the update that it waits for
  for (std::size_t i = 0; i < early.size(); ++i) {
    if (early[i].transfer.direction != Direction::to_master) continue;
    early[i].dates.start_s = early[i - 1].dates.start_s;
    break;
  }
  EXPECT_TRUE(find_violation(platform, problem, early, Timing::observed).has_value());
  Trace backwards = real;
  std::swap(backwards.back().dates.start_s, backwards.back().dates.end_s);
  EXPECT_TRUE(find_violation(platform, problem, backwards, Timing::observed).has_value());
}

}  // namespace
}  // namespace starport
