// The BLAS library of the build: its dgemm, its version and its threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace starport {

/// Computes c += a.b for matrices stored by rows without gaps: c is m x n elements, a is m x k, b
/// is k x n. Requires spans of at least these sizes and sizes of at least 1 (not checked). Uses as
/// many threads as set_blas_threads() set.
void multiply(std::span<const double> a, std::span<const double> b, std::span<double> c,
              std::int64_t m, std::int64_t n, std::int64_t k);

/// Returns the name and version of the BLAS library, such as "OpenBLAS 0.3.21 ... SkylakeX", or "a
/// BLAS of unknown name".
std::string blas_name();
/// Returns the processor core that the library has chosen its dgemm (matrix product of doubles)
/// for, such as "SkylakeX"; "" when the library is not OpenBLAS.
std::string blas_core();
/// Returns a warning, one line without a newline, when the dgemm for the OpenBLAS core `core` (as
/// blas_core() returns it) lacks AVX2 although the processor, with the flags `flags` (as
/// processor_flags() returns them), has it; else "".
std::string kernel_mismatch_warning(const std::string& core, const std::string& flags);

/// Sets the number of threads (at least 1, not checked) of a dgemm in this process. Throws
/// InputError about --threads when it is more than one and the library cannot change it at run
/// time.
void set_blas_threads(int threads);
/// Returns the number of threads of a dgemm in this process; 0 when the library does not report it.
int blas_threads();

}  // namespace starport
