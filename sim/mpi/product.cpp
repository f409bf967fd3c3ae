#include "sim/mpi/product.hpp"

#include "sim/files/error.hpp"
#include "sim/mpi/product_check.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>

#include <array>

namespace starport::mpi {
namespace {

/// Of the values of A, B and C.
std::array<std::uint64_t, 3> seeds(std::uint64_t seed) {
  return {3 * seed, 3 * seed + 1, 3 * seed + 2};
}

/// The matrix that a file holds, or a seeded one.
Matrix matrix(std::int64_t rows, std::int64_t columns, const std::optional<std::string>& path,
              const char* option, std::uint64_t seed) {
  const bool writable = std::string_view(option) == "--c";
  return path ? Matrix(rows, columns, *path, option, writable) : Matrix(rows, columns, seed);
}

}  // namespace

void check_memory(const ProductSize& size, const MatrixSources& sources) {
  const auto [m, k, n] = size;
  const auto bytes = [](const auto& source, std::int64_t rows, std::int64_t columns) {
    return source ? 0 : 8.0 * rows * columns;
  };
  const double seeded = bytes(sources.a, m, k) + bytes(sources.b, k, n) + bytes(sources.c, m, n);
  const double needed = seeded + ProductCheck::bytes(m, n, k);
  const double available = available_bytes();
  if (needed <= available) return;
  throw SimulationError(
      fmt::format("the master's matrices that are not files and the check of C take {:.3g} GiB, "
                  "but {:.3g} GiB of memory are free",
                  needed / 0x1p30, available / 0x1p30));
}

Product::Product(const Problem& problem, const ProductSize& size, const MatrixSources& sources)
    : problem_(problem),
      seed_(sources.seed),
      a_(matrix(size.height, size.depth, sources.a, "--a", seeds(seed_)[0])),
      b_(matrix(size.depth, size.width, sources.b, "--b", seeds(seed_)[1])),
      c_(matrix(size.height, size.width, sources.c, "--c", seeds(seed_)[2])) {}

void Product::restore_c() { c_.seed(seeds(seed_)[2]); }

void Product::pack(const Transfer& transfer, std::vector<double>& buffer) const {
  const std::int64_t q = problem_.block_size;
  buffer.resize(transfer.blocks() * q * q);
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

}  // namespace starport::mpi
