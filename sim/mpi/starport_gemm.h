/* C += A.B on the workers of a platform file, over MPI: planned, and carried out.
 *
 * All ranks of the communicator call it, and get the same code and message. Rank 0 is the master:
 * its arguments count, and it has the matrices, by rows. Rank i is worker i of the platform file,
 * which `starport-mpi calibrate` has written for doubles or for floats. MPI must have been started
 * for MPI_THREAD_FUNNELED at least.
 *
 * C is right where the code is STARPORT_OK, untouched where it is STARPORT_BAD_INPUT. A worker that
 * dies or falls silent during the product ends all ranks, by MPI_Abort, after a word.
 */
#ifndef STARPORT_GEMM_H
#define STARPORT_GEMM_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { STARPORT_OK = 0, STARPORT_FAILED = 1, STARPORT_BAD_INPUT = 2 };

/* What is 0 or NULL is as it stands here. */
typedef struct starport_options {
  const char *heuristics; /* of these, which is predicted to be the fastest: "all" */
  int64_t block_size;     /* that of the platform file */
  int threads;            /* of each worker's updates: 1 */
  const char *kernel;     /* a library that computes them (starport_kernel.h): the CPU's */
  int unchecked;          /* C is checked: at most 2^-20 of wrong ones pass */
} starport_options;

/* A is m x k, B is k x n, C is m x n. The options may be NULL, and so may the message. */
int starport_gemm(MPI_Comm communicator, const char *platform, int64_t m, int64_t n, int64_t k,
                  const double *a, const double *b, double *c, const starport_options *options,
                  char *message, size_t message_size);
int starport_gemm_float(MPI_Comm communicator, const char *platform, int64_t m, int64_t n,
                        int64_t k, const float *a, const float *b, float *c,
                        const starport_options *options, char *message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
