// The block update, C_ij += A_ik B_kj, by the dgemm of the BLAS that the build found.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace starport {

/// c += a.b, all q x q doubles by rows.
void update_block(double* c, const double* a, const double* b, std::int64_t q);
/// c += x, q x q doubles each.
void add_block(double* c, const double* x, std::int64_t q);

/// An update as a worker computes it, block by block: C (rows x columns) += A (rows x inner) .
/// B (inner x columns). Blocks are pointers to q x q doubles, listed by rows.
struct BlockProduct {
  std::vector<double*> c;
  std::vector<const double*> a;
  std::vector<const double*> b;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t inner = 0;
};
void compute(const BlockProduct& product, std::int64_t q);

/// c += a.b for whole matrices by rows: c is m x n, a is m x k, b is k x n. The leading
/// dimensions are the widths.
void multiply(std::span<const double> a, std::span<const double> b, std::span<double> c,
              std::int64_t m, std::int64_t n, std::int64_t k);

/// The library and its version, as far as it tells: "OpenBLAS 0.3.21 ... SkylakeX".
std::string blas_name();
/// How many threads a dgemm may use. Throws InputError about --threads when that is more than one
/// and the library has no way to be told while it runs.
void set_blas_threads(int threads);

}  // namespace starport
