// The update of a tile as a codelet of StarPU: dgemm by the BLAS library on CPUs, by cuBLAS on CUDA
// devices and by CLBlast on OpenCL devices.
#pragma once

#include <starpu.h>

namespace starport::starpu {

/// Returns the codelet C += A . B for tiles of q x q doubles by rows, given in the order A, B, C.
/// Its performance model has the name that StarPU's example of a matrix product uses,
/// starpu_dgemm_gemm, from which read_starpu_models() reads durations. Failures of a device go to
/// report_fault(), after which it computes nothing (has_fault()). The reference is valid until the
/// program ends.
struct starpu_codelet& update_codelet();

}  // namespace starport::starpu
