#include "sim/mpi/matrices/product.hpp"

#include "sim/files/error.hpp"
#include "sim/mpi/matrices/product_check.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace starport::mpi {
namespace {

/// Derives the seeds of A, B and C.
std::array<std::uint64_t, 3> seeds(std::uint64_t seed) {
  return {3 * seed, 3 * seed + 1, 3 * seed + 2};
}

/// Opens the file `path`, or fills a matrix from the seed if there is none.
Matrix open_matrix(std::int64_t rows, std::int64_t columns, const std::optional<std::string>& path,
                   const char* option, std::uint64_t seed, ElementType type) {
  const FileAccess access =
      std::string_view(option) == "--c" ? FileAccess::replace : FileAccess::read;
  return path ? Matrix(rows, columns, *path, option, access, type)
              : Matrix(rows, columns, seed, type);
}

/// Calls visit(area) for the areas of a matrix, at most three, that together are the elements from
/// `begin` to before `end` of those blocks, as one matrix by rows.
template <class Visit>
void for_each_area(const Rectangle& blocks, std::int64_t q, std::int64_t begin, std::int64_t end,
                   Visit&& visit) {
  const std::int64_t width = blocks.columns.size() * q;
  begin = std::max<std::int64_t>(begin, 0);
  end = std::min(end, blocks.size() * q * q);
  while (begin < end) {
    const std::int64_t row = begin / width;
    const std::int64_t column = begin % width;
    const std::int64_t rows = column == 0 ? std::max<std::int64_t>((end - begin) / width, 1) : 1;
    const std::int64_t columns = std::min(width - column, end - begin);
    visit(MatrixArea{.row = blocks.rows.begin * q + row,
                     .column = blocks.columns.begin * q + column,
                     .height = rows,
                     .width = columns});
    begin += rows * columns;
  }
}

/// Adds the elements from `added` on, by rows, to an area of a matrix.
template <class Element>
void add_to_area(Matrix& matrix, const MatrixArea& area, const void* added) {
  std::vector<Element> sums(static_cast<std::size_t>(area.height * area.width));
  matrix.read(area, sums.data());
  std::ranges::transform(sums, std::span(static_cast<const Element*>(added), sums.size()),
                         sums.begin(), std::plus<>());
  matrix.write(area, sums.data());
}

}  // namespace

void check_memory(const ProductSize& size, const MatrixSources& sources, std::int64_t block_size) {
  const auto [m, k, n] = size;
  const auto bytes = [&](const auto& source, std::int64_t rows, std::int64_t columns) {
    return source ? 0.0 : static_cast<double>(bytes_of(sources.type)) * rows * columns;
  };
  const double seeded = bytes(sources.a, m, k) + bytes(sources.b, k, n) + bytes(sources.c, m, n);
  const double needed = seeded + ProductCheck::needed_bytes(m, n, k, block_size);
  const double available = available_memory_bytes();
  if (needed <= available) return;
  throw SimulationError(fmt::format(
      "the master's matrices that are not files and the check of C need {:.3g} GiB, "
      "but only {:.3g} GiB of memory are free. Give the matrices as files with --a, --b "
      "and --c",
      needed / 0x1p30, available / 0x1p30));
}

Product::Product(const Problem& problem, const ProductSize& size, const MatrixSources& sources)
    : problem_(problem),
      seed_(sources.seed),
      a_(open_matrix(size.height, size.depth, sources.a, "--a", seeds(seed_)[0], sources.type)),
      b_(open_matrix(size.depth, size.width, sources.b, "--b", seeds(seed_)[1], sources.type)),
      c_(open_matrix(size.height, size.width, sources.c, "--c", seeds(seed_)[2], sources.type)) {
  // One HDF5 dataset may have two names.
  for (const auto& [operand, option] : {std::pair(&a_, "--a"), std::pair(&b_, "--b")}) {
    if (!c_.shares_elements_with(*operand)) continue;
    throw InputError(
        "--c", fmt::format("other elements than those of {}, since the product replaces C", option),
        "the same");
  }
}

// Nothing writes to A and B.
Product::Product(const Problem& problem, const ProductSize& size, const MatrixMemory& memory)
    : problem_(problem),
      seed_(0),
      a_(size.height, size.depth, const_cast<void*>(memory.a), "A", memory.type),
      b_(size.depth, size.width, const_cast<void*>(memory.b), "B", memory.type),
      c_(size.height, size.width, memory.c, "C", memory.type) {}

void Product::restore_c() { c_.seed(seeds(seed_)[2]); }

std::int64_t Product::elements(const Transfer& transfer) const {
  return transfer.blocks() * problem_.block_size * problem_.block_size;
}

void Product::pack(const Transfer& transfer, std::int64_t begin, std::int64_t end,
                   void* buffer) const {
  const std::int64_t q = problem_.block_size;
  auto* next = static_cast<std::byte*>(buffer);
  const auto append = [&](const Matrix& source, const Rectangle& blocks) {
    for_each_area(blocks, q, begin, end, [&](const MatrixArea& area) {
      source.read(area, next);
      next += area.height * area.width * bytes_of(type());
    });
    const std::int64_t elements = blocks.size() * q * q;
    begin -= elements;
    end -= elements;
  };
  append(a_, transfer.a);
  append(b_, transfer.b);
  append(c_, transfer.c);
}

void Product::unpack(const Transfer& transfer, std::int64_t begin, std::int64_t end,
                     const void* buffer) {
  const auto* next = static_cast<const std::byte*>(buffer);
  for_each_area(transfer.c, problem_.block_size, begin, end, [&](const MatrixArea& area) {
    if (!transfer.partial_sums) {
      c_.write(area, next);
    } else if (type() == ElementType::float64) {
      add_to_area<double>(c_, area, next);
    } else {
      add_to_area<float>(c_, area, next);
    }
    next += area.height * area.width * bytes_of(type());
  });
}

void Product::clear_c(const Rectangle& blocks) {
  const std::int64_t q = problem_.block_size;
  for_each_area(blocks, q, 0, blocks.size() * q * q, [&](const MatrixArea& area) {
    const std::vector<std::byte> zeros(
        static_cast<std::size_t>(area.height * area.width * bytes_of(type())));
    c_.write(area, zeros.data());
  });
}

}  // namespace starport::mpi
