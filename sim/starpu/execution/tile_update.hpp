// The update of a tile as a codelet of StarPU: dgemm by the BLAS library on CPUs, by cuBLAS on CUDA
// devices and by CLBlast on OpenCL devices.
#pragma once

#include <starpu.h>

namespace starport::starpu {

/// Returns the codelet (StarPU's description of a kind of task) for C += A . B on tiles of q x q
/// doubles by rows, given in the order A, B, C. It runs on CPUs, OpenCL devices and, if built with
/// CUDA, CUDA devices. Its performance model, from which read_starpu_models() reads durations, is
/// called starpu_dgemm_gemm as in StarPU's example of a matrix product. Failures of a device go to
/// report_fault(), after which its tasks compute nothing (has_fault()). The reference is valid
/// until the program ends.
struct starpu_codelet& update_codelet();

}  // namespace starport::starpu
