#include "sim/starpu/execution/tile_update.hpp"

#include "sim/kernel/blas.hpp"
#include "sim/starpu/execution/fault.hpp"

#include <clblast_c.h>
#include <fmt/format.h>
#ifdef STARPORT_HAS_CUDA
#include <starpu_cublas_v2.h>
#endif
#include <starpu_opencl.h>

#include <span>

namespace starport::starpu {
namespace {

void update_on_cpu(void* buffers[], void* /*argument*/) {
  if (has_fault()) return;
  const auto q = static_cast<std::int64_t>(STARPU_MATRIX_GET_NX(buffers[0]));
  const auto tile = [&](int buffer) {
    return std::span(reinterpret_cast<double*>(STARPU_MATRIX_GET_PTR(buffers[buffer])),
                     static_cast<std::size_t>(q * q));
  };
  multiply(tile(0), tile(1), tile(2), q, q, q);
}

void update_on_opencl(void* buffers[], void* /*argument*/) {
  if (has_fault()) return;
  const std::size_t q = STARPU_MATRIX_GET_NX(buffers[0]);
  const auto memory = [&](int buffer) {
    return reinterpret_cast<cl_mem>(STARPU_MATRIX_GET_DEV_HANDLE(buffers[buffer]));
  };
  const auto offset = [&](int buffer) {
    return STARPU_MATRIX_GET_OFFSET(buffers[buffer]) / sizeof(double);
  };
  const int device = starpu_worker_get_devid(starpu_worker_get_id());
  cl_command_queue queue = nullptr;
  starpu_opencl_get_queue(device, &queue);
  const CLBlastStatusCode status = CLBlastDgemm(
      CLBlastLayoutRowMajor, CLBlastTransposeNo, CLBlastTransposeNo, q, q, q, 1.0, memory(0),
      offset(0), q, memory(1), offset(1), q, 1.0, memory(2), offset(2), q, &queue, nullptr);
  if (status != CLBlastSuccess) {
    report_fault(
        fmt::format("OpenCL device {} cannot multiply tiles of {} x {} doubles (CLBlast "
                    "error {})",
                    device, q, q, static_cast<int>(status)));
  }
}

#ifdef STARPORT_HAS_CUDA
void update_on_cuda(void* buffers[], void* /*argument*/) {
  if (has_fault()) return;
  const auto q = static_cast<int>(STARPU_MATRIX_GET_NX(buffers[0]));
  const auto tile = [&](int buffer) {
    return reinterpret_cast<double*>(STARPU_MATRIX_GET_PTR(buffers[buffer]));
  };
  const double one = 1;
  // cuBLAS takes matrices by columns, and reads the transposed ones: C^T += B^T . A^T.
  const cublasStatus_t status =
      cublasDgemm(starpu_cublas_get_local_handle(), CUBLAS_OP_N, CUBLAS_OP_N, q, q, q, &one,
                  tile(1), q, tile(0), q, &one, tile(2), q);
  if (status != CUBLAS_STATUS_SUCCESS) {
    report_fault(fmt::format("CUDA device {} cannot multiply tiles of {} x {} doubles ({})",
                             starpu_worker_get_devid(starpu_worker_get_id()), q, q,
                             cublasGetStatusString(status)));
  }
}
#endif

}  // namespace

struct starpu_codelet& update_codelet() {
  static struct starpu_perfmodel model = [] {
    struct starpu_perfmodel history {};
    history.type = STARPU_HISTORY_BASED;
    history.symbol = "starpu_dgemm_gemm";
    return history;
  }();
  static struct starpu_codelet codelet = [] {
    struct starpu_codelet update;
    starpu_codelet_init(&update);
    update.cpu_funcs[0] = update_on_cpu;
    update.opencl_funcs[0] = update_on_opencl;
    update.opencl_flags[0] = STARPU_OPENCL_ASYNC;
#ifdef STARPORT_HAS_CUDA
    update.cuda_funcs[0] = update_on_cuda;
    update.cuda_flags[0] = STARPU_CUDA_ASYNC;
#endif
    update.nbuffers = 3;
    update.modes[0] = STARPU_R;
    update.modes[1] = STARPU_R;
    update.modes[2] = STARPU_RW;
    update.model = &model;
    update.name = "tile update";
    return update;
  }();
  return codelet;
}

}  // namespace starport::starpu
