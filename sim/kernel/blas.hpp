// The dgemm of the BLAS that the build found, and what the library tells of itself.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace starport {

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
/// 0 when the library does not tell.
int blas_threads();

}  // namespace starport
