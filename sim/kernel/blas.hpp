// The BLAS library of the build: its dgemm, its version and its threads.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace starport {

/// Computes c += a.b by the BLAS library for matrices stored by rows without gaps: c is m x n
/// elements, a is m x k, b is k x n. Requires spans of at least these sizes, sizes of at least 1,
/// and a `c` that overlaps neither operand (not checked: undefined behaviour otherwise). Blocks
/// until it is done; uses as many threads as set_blas_threads() set, by default as many as the
/// library chooses.
void multiply(std::span<const double> a, std::span<const double> b, std::span<double> c,
              std::int64_t m, std::int64_t n, std::int64_t k);

/// Returns the name and version of the BLAS library, such as "OpenBLAS 0.3.21 ... SkylakeX", or "a
/// BLAS of unknown name".
std::string blas_name();
/// Returns the processor core for which the BLAS library has chosen its dgemm (matrix product of
/// doubles), such as "SkylakeX"; "" when the library is not OpenBLAS.
std::string blas_core();
/// Returns a warning, one line without a newline, when the dgemm (matrix product of doubles) for
/// the OpenBLAS core `core` (as blas_core() returns it, in upper or lower case) lacks AVX2 although
/// the processor has it by its `flags` (names between spaces, as processor_flags() returns them).
/// Returns "" otherwise, also for an unknown or empty core.
std::string kernel_mismatch_warning(const std::string& core, const std::string& flags);

/// Sets the number of threads (at least 1, not checked) of each later dgemm (matrix product of the
/// BLAS library) in this process, whichever thread calls it. Throws InputError about --threads when
/// it is more than one and the library cannot change it at run time; such a library keeps its
/// number of threads when `threads` is one.
void set_blas_threads(int threads);
/// Returns the number of threads of a dgemm (matrix product of the BLAS library) in this process; 0
/// when the library does not report it.
int blas_threads();

}  // namespace starport
