// The block update, C_ij += A_ik B_kj, by the dgemm of the BLAS that the build found.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace starport {

/// c += a.b, all q x q doubles by rows.
void update_block(double* c, const double* a, const double* b, std::int64_t q);

/// Where a block lies within a matrix by rows: its first element, and from one of its rows to the
/// next. A block by itself has rows of q elements.
struct BlockPlace {
  double* first = nullptr;
  std::int64_t stride = 0;

  bool operator==(const BlockPlace&) const = default;
};

/// c += x, q x q doubles each.
void add_block(const BlockPlace& c, const BlockPlace& x, std::int64_t q);

/// An update as a worker computes it: C (rows x columns) += A (rows x inner) . B (inner x columns),
/// each a list of blocks by rows.
struct BlockProduct {
  std::vector<BlockPlace> c;
  std::vector<BlockPlace> a;
  std::vector<BlockPlace> b;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t inner = 0;
};
/// One dgemm for each k, on panels, where the blocks lie together as one matrix; else one for each
/// rectangle of them that does. An element's sum is the same, however they lie.
void compute(const BlockProduct& product, std::int64_t q);

/// c += a.b for whole matrices by rows: c is m x n, a is m x k, b is k x n. The leading
/// dimensions are the widths.
void multiply(std::span<const double> a, std::span<const double> b, std::span<double> c,
              std::int64_t m, std::int64_t n, std::int64_t k);

/// The library and its version, as far as it tells: "OpenBLAS 0.3.21 ... SkylakeX".
std::string blas_name();
/// The processor for which the library has chosen its dgemm: "SkylakeX"; empty when it does not
/// tell.
std::string blas_core();
/// What to say where that is one without the vector instructions that this processor has; else
/// empty. `flags`: those of /proc/cpuinfo.
std::string unsuitable_kernel(const std::string& core, const std::string& flags);

/// How many threads a dgemm may use. Throws InputError about --threads when that is more than one
/// and the library has no way to be told while it runs.
void set_blas_threads(int threads);

}  // namespace starport
