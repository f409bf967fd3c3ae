/* Computes C += A.B on the workers of a platform file, over MPI: the product is planned by the
 * heuristic that is predicted to be the fastest, run on all ranks, and checked.
 *
 * All ranks of the communicator must call the same function, from the thread that initialised MPI,
 * with at least MPI_THREAD_FUNNELED. If all ranks call from another thread, the call is refused; if
 * only some do, it is refused with MPI_THREAD_MULTIPLE, and below that the other ranks wait for
 * ever. Otherwise all get the same code and message.
 *
 * Several threads of a process may call at once, but products run one at a time. A call waits until
 * no other one uses its communicator; if it is not from the thread that initialised MPI, it is then
 * refused with STARPORT_BAD_INPUT, and C is unchanged. With MPI_THREAD_MULTIPLE, the calls of the
 * ranks on one communicator belong together in their order, so that a call is also refused if it
 * meets one by the wrong thread of another rank.
 *
 * Rank 0 is the master: its arguments count, and
 * it holds the matrices, by rows without gaps; other ranks may pass NULL for the platform and the
 * matrices. Rank i is worker i, counted from 1, of the platform file, which `starport-mpi
 * calibrate` has written for doubles or for floats. There must be one rank more than workers.
 *
 * If the code is STARPORT_OK, C is the product; if it is STARPORT_BAD_INPUT, C is unchanged; if it
 * is STARPORT_FAILED, C may hold any values. The function blocks until the product is done. If a
 * worker dies, fails or does not respond for a minute during the product, the function does not
 * return: all ranks are ended by MPI_Abort after a message on the standard error stream.
 */
#ifndef STARPORT_GEMM_H
#define STARPORT_GEMM_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Codes that the functions return: success; the run failed or C is wrong; an argument, an option or
 * the platform file cannot be used. */
enum { STARPORT_OK = 0, STARPORT_FAILED = 1, STARPORT_BAD_INPUT = 2 };

/* Options of a product. Members that are 0 or NULL have the default value, so that a struct of
 * zeros has all defaults. The texts must live until the function returns. */
typedef struct starport_options {
  const char* heuristics; /* heuristics of the star to choose from, separated by commas; those that
                             do not apply are left out; default: "all,Polaris" */
  int64_t block_size;     /* side of a block in elements; default, also if negative: that of the
                             platform file, or else 80 */
  int threads;            /* threads of each worker's updates; default, also if negative: 1 */
  const char* kernel;     /* path of a shared library that computes the updates
                             (starport_kernel.h), the same on all machines; default: BLAS */
  int unchecked;          /* nonzero: do not check C. The check misses a wrong C with a probability
                             of at most 2^-20 */
} starport_options;

/* Computes C += A.B in doubles: A is m x k, B is k x n, C is m x n, all by rows, with sides from 1
 * to 2^31 - 1. `platform` is the path of the platform file. `options` may be NULL (all defaults).
 * Unless it is NULL, `message` is an array of message_size characters, which gets a message in case
 * of an error and otherwise an empty text, ended by a zero and cut off to fit, at 511 characters at
 * most. Returns STARPORT_OK, STARPORT_FAILED or STARPORT_BAD_INPUT, the same on all ranks. */
int starport_gemm(MPI_Comm communicator, const char* platform, int64_t m, int64_t n, int64_t k,
                  const double* a, const double* b, double* c, const starport_options* options,
                  char* message, size_t message_size);
/* Computes C += A.B in floats: A is m x k, B is k x n, C is m x n, all by rows, with sides from 1
 * to 2^31 - 1. `platform` is the path of the platform file. `options` may be NULL (all defaults).
 * Unless it is NULL, `message` is an array of message_size characters, which gets a message in case
 * of an error and otherwise an empty text, ended by a zero and cut off to fit, at 511 characters at
 * most. Returns STARPORT_OK, STARPORT_FAILED or STARPORT_BAD_INPUT, the same on all ranks. */
int starport_gemm_float(MPI_Comm communicator, const char* platform, int64_t m, int64_t n,
                        int64_t k, const float* a, const float* b, float* c,
                        const starport_options* options, char* message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
