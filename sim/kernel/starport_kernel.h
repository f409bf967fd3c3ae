/* A kernel: what computes the updates of a worker, and owns the memory in which its blocks lie.
 *
 * `starport-mpi calibrate --kernel lib.so` and `execute --kernel lib.so` load a shared library that
 * has the function starport_kernel_of_version_1. The CPU's own, which they use otherwise, is the
 * example: sim/kernel/cpu_kernel.cpp.
 *
 * Elements of a store have numbers from 0. Functions that return an int return 0, or another number
 * where they fail; `error` then says why. What moves elements may be called while another thread is
 * in `update` or `add`, on other elements than these have.
 */
#ifndef STARPORT_KERNEL_H
#define STARPORT_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kernel's own: all that it has of a worker. */
typedef struct starport_store starport_store;

typedef struct starport_store_setup {
  int64_t block_size;      /* q: blocks are q x q elements */
  int64_t blocks;          /* for so many there must be room: m_i, and an eighth to lay them out */
  int64_t expected_blocks; /* of which the first so many will be used, as far as one can tell */
  int element_bytes;       /* 8: doubles, 4: floats */
  int threads;             /* that an update may use */
} starport_store_setup;

/* A block within a matrix by rows: its first element, and from one of its rows to the next. */
typedef struct starport_place {
  int64_t first;
  int64_t stride;
} starport_place;

/* C (rows x columns) += A (rows x inner) . B (inner x columns), each a list of blocks by rows. Those
 * that came to the worker together mostly lie as one matrix, with one stride. */
typedef struct starport_update {
  int64_t rows;
  int64_t columns;
  int64_t inner;
  const starport_place *c;
  const starport_place *a;
  const starport_place *b;
} starport_update;

typedef struct starport_kernel {
  const char *name;
  /* NULL, and why in the message, where there is no room. */
  starport_store *(*create)(const starport_store_setup *setup, char *message, size_t size);
  void (*destroy)(starport_store *store);
  const char *(*error)(const starport_store *store);
  /* Where messages may read and write the elements themselves; NULL: by put and get alone. */
  void *(*address)(starport_store *store);
  int (*put)(starport_store *store, int64_t first, int64_t count, const void *values);
  int (*get)(starport_store *store, int64_t first, int64_t count, void *values);
  int (*clear)(starport_store *store, int64_t first, int64_t count);
  /* c += x, of a block each. */
  int (*add)(starport_store *store, starport_place c, starport_place x);
  /* Computed when it returns. */
  int (*update)(starport_store *store, const starport_update *update);
} starport_kernel;

const starport_kernel *starport_kernel_of_version_1(void);

#ifdef __cplusplus
}
#endif

#endif
