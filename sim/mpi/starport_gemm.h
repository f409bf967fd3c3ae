/* Computes C += A.B on the workers of a platform file, over MPI: the product is planned by the
 * heuristic that is predicted to be the fastest, run on all ranks, and checked.
 *
 * All ranks of the communicator must call the same function; all get the same code and message.
 * Rank 0 is the master: its arguments count, and it holds the matrices, by rows. Rank i is worker i
 * of the platform file, which `starport-mpi calibrate` has written for doubles or for floats. MPI
 * must have been initialised with at least MPI_THREAD_FUNNELED.
 *
 * If the code is STARPORT_OK, C is the product; if it is STARPORT_BAD_INPUT, C is unchanged. If a
 * worker dies or does not respond for a minute during the product, all ranks are ended by MPI_Abort
 * after a message on the standard error stream.
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

/* Options of a product. Members that are 0 or NULL have the default value. */
typedef struct starport_options {
  const char* heuristics; /* heuristics to choose from, separated by commas; default: "all" */
  int64_t block_size;     /* side of a block; default: that of the platform file, or else 80 */
  int threads;            /* threads of each worker's updates; default: 1 */
  const char* kernel;     /* shared library of the updates (starport_kernel.h); default: BLAS */
  int unchecked;          /* nonzero: do not check C. The check misses a wrong C with a probability
                             of at most 2^-20 */
} starport_options;

/* Computes C += A.B in doubles: A is m x k, B is k x n, C is m x n. `options` may be NULL. Unless
 * it is NULL, `message` is an array of message_size characters, which gets a message in case of an
 * error, and otherwise an empty text. Returns one of the codes above. */
int starport_gemm(MPI_Comm communicator, const char* platform, int64_t m, int64_t n, int64_t k,
                  const double* a, const double* b, double* c, const starport_options* options,
                  char* message, size_t message_size);
/* Computes C += A.B in floats, as starport_gemm. */
int starport_gemm_float(MPI_Comm communicator, const char* platform, int64_t m, int64_t n,
                        int64_t k, const float* a, const float* b, float* c,
                        const starport_options* options, char* message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
