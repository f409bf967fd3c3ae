/* Interface of kernels: a kernel computes the updates of a worker and owns the memory of its
 * blocks.
 *
 * `starport-mpi calibrate --kernel lib.so` and `execute --kernel lib.so` load a shared library that
 * exports the function starport_kernel_of_version_1. The default kernel, for the CPU, is the
 * example: sim/kernel/cpu_kernel.cpp.
 *
 * Elements of a store are numbered from 0. Functions that return an int return 0 on success; after
 * a failure, `error` describes it. `put`, `get` and `clear` may be called while another thread is
 * in `update` or `add` on other elements.
 */
#ifndef STARPORT_KERNEL_H
#define STARPORT_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kernel's data of one worker; defined by the kernel. */
typedef struct starport_store starport_store;

typedef struct starport_store_setup {
  int64_t block_size;      /* q: blocks are q x q elements */
  int64_t blocks;          /* blocks to allocate: m_i, and an eighth for their layout */
  int64_t expected_blocks; /* estimate of how many of these, from the first, will be used */
  int element_bytes;       /* 8: doubles, 4: floats */
  int threads;             /* threads that an update may use */
} starport_store_setup;

/* The position of a block: its first element, and the distance between its rows in elements. */
typedef struct starport_place {
  int64_t first;
  int64_t stride;
} starport_place;

/* An update C (rows x columns) += A (rows x inner) . B (inner x columns), each a list of blocks by
 * rows. Blocks that arrived together mostly lie as one matrix, with one stride. */
typedef struct starport_update {
  int64_t rows;
  int64_t columns;
  int64_t inner;
  const starport_place* c;
  const starport_place* a;
  const starport_place* b;
} starport_update;

/* The functions of a kernel. */
typedef struct starport_kernel {
  const char* name;
  /* Allocates a store. Returns NULL without enough memory, and the reason in `message` (`size`
   * bytes). */
  starport_store* (*create)(const starport_store_setup* setup, char* message, size_t size);
  /* Frees a store. */
  void (*destroy)(starport_store* store);
  /* Describes the last failure on a store. */
  const char* (*error)(const starport_store* store);
  /* Returns the address of element 0, through which messages access elements directly; NULL: they
   * use put and get. */
  void* (*address)(starport_store* store);
  /* Copies `count` elements from `values` into the store. */
  int (*put)(starport_store* store, int64_t first, int64_t count, const void* values);
  /* Copies `count` elements of the store to `values`. */
  int (*get)(starport_store* store, int64_t first, int64_t count, void* values);
  /* Sets `count` elements to 0. */
  int (*clear)(starport_store* store, int64_t first, int64_t count);
  /* Computes c += x for one block each. */
  int (*add)(starport_store* store, starport_place c, starport_place x);
  /* Computes an update; it is complete on return. */
  int (*update)(starport_store* store, const starport_update* update);
} starport_kernel;

/* Returns the kernel of this library. */
const starport_kernel* starport_kernel_of_version_1(void);

#ifdef __cplusplus
}
#endif

#endif
