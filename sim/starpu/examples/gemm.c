/* Computes C += A.B in n x n tiles with StarPU, on the CPUs and the OpenCL devices, in the manner of
 * StarPU's documentation. The policy of Starport is the line marked below.
 *
 *   cc gemm.c $(pkg-config --cflags --libs starport-starpu) -lOpenCL -o gemm
 *   ./gemm 8 64 EffectiveSteal
 */
#include "starport_starpu.h"

#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef STARPU_USE_OPENCL
#include <starpu_opencl.h>
#endif

static void update_cpu(void* buffers[], void* argument) {
  (void)argument;
  const unsigned q = STARPU_MATRIX_GET_NX(buffers[0]);
  const double* a = (const double*)STARPU_MATRIX_GET_PTR(buffers[0]);
  const double* b = (const double*)STARPU_MATRIX_GET_PTR(buffers[1]);
  double* c = (double*)STARPU_MATRIX_GET_PTR(buffers[2]);
  for (unsigned i = 0; i < q; ++i) {
    for (unsigned k = 0; k < q; ++k) {
      for (unsigned j = 0; j < q; ++j) c[i * q + j] += a[i * q + k] * b[k * q + j];
    }
  }
}

#ifdef STARPU_USE_OPENCL
static const char* const source =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "kernel void update(global const double* a, global const double* b, global double* c, int q) {\n"
    "  const int i = get_global_id(0), j = get_global_id(1);\n"
    "  double sum = c[i * q + j];\n"
    "  for (int k = 0; k < q; ++k) sum += a[i * q + k] * b[k * q + j];\n"
    "  c[i * q + j] = sum;\n"
    "}\n";
static struct starpu_opencl_program program;

static void update_opencl(void* buffers[], void* argument) {
  (void)argument;
  cl_kernel kernel;
  cl_command_queue queue;
  cl_event event;
  const int q = (int)STARPU_MATRIX_GET_NX(buffers[0]);
  int error = starpu_opencl_load_kernel(&kernel, &queue, &program, "update",
                                        starpu_worker_get_devid(starpu_worker_get_id()));
  for (unsigned buffer = 0; buffer < 3 && error == CL_SUCCESS; ++buffer) {
    cl_mem memory = (cl_mem)STARPU_MATRIX_GET_DEV_HANDLE(buffers[buffer]);
    error = clSetKernelArg(kernel, buffer, sizeof(memory), &memory);
  }
  if (error == CL_SUCCESS) error = clSetKernelArg(kernel, 3, sizeof(q), &q);
  if (error == CL_SUCCESS) {
    const size_t size[2] = {(size_t)q, (size_t)q};
    error = clEnqueueNDRangeKernel(queue, kernel, 2, NULL, size, NULL, 0, NULL, &event);
  }
  if (error != CL_SUCCESS) STARPU_OPENCL_REPORT_ERROR(error);
  starpu_opencl_collect_stats(event);
  starpu_opencl_release_kernel(kernel);
}
#endif

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "starport_example"};
static struct starpu_codelet codelet = {
    .cpu_funcs = {update_cpu},
#ifdef STARPU_USE_OPENCL
    .opencl_funcs = {update_opencl},
    .opencl_flags = {STARPU_OPENCL_ASYNC},
#endif
    .nbuffers = 3,
    .modes = {STARPU_R, STARPU_R, STARPU_RW},
    .model = &model};

int main(int argc, char** argv) {
  const unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 8;
  const unsigned q = argc > 2 ? (unsigned)atoi(argv[2]) : 64;

  struct starpu_conf conf;
  starpu_conf_init(&conf);
  if (argc > 3) conf.sched_policy = starport_starpu_policy(argv[3]); /* Starport's policy */
  if (starpu_init(&conf) != 0) return 77;
#ifdef STARPU_USE_OPENCL
  starpu_opencl_load_opencl_from_string(source, &program, NULL);
#endif

  /* Tiles of small integers, so that sums are exact. Tile (i, j) is number i * n + j. */
  starpu_data_handle_t* tiles[3];
  double* elements[3];
  const size_t tile = (size_t)q * q;
  for (unsigned matrix = 0; matrix < 3; ++matrix) {
    tiles[matrix] = malloc(n * n * sizeof(starpu_data_handle_t));
    elements[matrix] = malloc(n * n * tile * sizeof(double));
    for (size_t e = 0; e < n * n * tile; ++e) {
      elements[matrix][e] = (double)((e * (2 * matrix + 3) + e / 7) % 11) - 5;
    }
    for (unsigned t = 0; t < n * n; ++t) {
      starpu_matrix_data_register(&tiles[matrix][t], STARPU_MAIN_RAM,
                                  (uintptr_t)(elements[matrix] + t * tile), q, q, q,
                                  sizeof(double));
    }
  }
  double* before = malloc(n * n * tile * sizeof(double));
  for (size_t e = 0; e < n * n * tile; ++e) before[e] = elements[2][e];

  for (unsigned k = 0; k < n; ++k) {
    for (unsigned i = 0; i < n; ++i) {
      for (unsigned j = 0; j < n; ++j) {
        starpu_task_insert(&codelet, STARPU_R, tiles[0][i * n + k], STARPU_R, tiles[1][k * n + j],
                           STARPU_RW, tiles[2][i * n + j], 0);
      }
    }
  }
  starpu_task_wait_for_all();
  for (unsigned matrix = 0; matrix < 3; ++matrix) {
    for (unsigned t = 0; t < n * n; ++t) starpu_data_unregister(tiles[matrix][t]);
  }
#ifdef STARPU_USE_OPENCL
  starpu_opencl_unload_opencl(&program);
#endif
  starpu_shutdown();

  /* Check some rows of each tile. */
  size_t wrong = 0;
  for (unsigned i = 0; i < n; ++i) {
    for (unsigned j = 0; j < n; ++j) {
      for (unsigned column = 0; column < q; ++column) {
        const unsigned row = (i + j) % q;
        const size_t element = (i * n + j) * tile + row * q + column;
        double sum = before[element];
        for (unsigned k = 0; k < n; ++k) {
          for (unsigned e = 0; e < q; ++e) {
            sum += elements[0][(i * n + k) * tile + row * q + e] *
                   elements[1][(k * n + j) * tile + e * q + column];
          }
        }
        wrong += sum != elements[2][element];
      }
    }
  }
  printf("%u x %u x %u tiles of %u: %zu wrong elements\n", n, n, n, q, wrong);
  for (unsigned matrix = 0; matrix < 3; ++matrix) {
    free(elements[matrix]);
    free(tiles[matrix]);
  }
  free(before);
  return wrong != 0;
}
