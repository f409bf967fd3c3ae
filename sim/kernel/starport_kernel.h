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

/* The kernel's data of one worker, with the memory of its blocks; defined by the kernel. */
typedef struct starport_store starport_store;

/* What to allocate for the matrix blocks of one worker; the argument of starport_kernel::create. */
typedef struct starport_store_setup {
  /* Side q of a block in elements: blocks are q x q matrix elements. */
  int64_t block_size;
  /* Number of blocks to allocate: as many as the worker may hold at a time, and an eighth more for
   * their layout. */
  int64_t blocks;
  /* Estimate of how many of the `blocks` blocks, from the first, will be used; at most `blocks`. */
  int64_t expected_blocks;
  /* Size of a matrix element in bytes: 8 for doubles, 4 for floats. */
  int element_bytes;
  /* Number of threads that an update (block matrix product) may use; at least 1. */
  int threads;
} starport_store_setup;

/* The position of a block of q x q matrix elements in a store (the memory of a worker). */
typedef struct starport_place {
  /* Number, from 0, of the block's first element among the elements of the store. */
  int64_t first;
  /* Distance between the first elements of two successive rows of the block, in elements. */
  int64_t stride;
} starport_place;

/* An update C (rows x columns) += A (rows x inner) . B (inner x columns) of blocks in a store.
 * Sizes are in blocks and may be 0 (nothing to compute); `c`, `a` and `b` are lists of the blocks'
 * positions in the store, row by row, valid during the call only. Blocks that arrived together
 * mostly lie as one matrix, with one stride. */
typedef struct starport_update {
  int64_t rows;
  int64_t columns;
  int64_t inner;
  const starport_place* c;
  const starport_place* a;
  const starport_place* b;
} starport_update;

/* The functions of a kernel; none may be NULL. Functions that return an int return 0 on success;
 * after a failure, `error` describes it. Ranges of elements lie within the store. */
typedef struct starport_kernel {
  /* Name of the kernel for messages; valid as long as the library is loaded. */
  const char* name;
  /* Allocates a store (the memory of a worker) of setup->blocks blocks of any content; `setup` is
   * valid during the call only. Returns NULL without enough memory, and the reason in `message`, a
   * buffer of `size` bytes, as a text that ends in a NUL byte. */
  starport_store* (*create)(const starport_store_setup* setup, char* message, size_t size);
  /* Frees a store that `create` returned; called once, with no other call under way. */
  void (*destroy)(starport_store* store);
  /* Describes the last failure on a store; the text is valid until the next call. */
  const char* (*error)(const starport_store* store);
  /* Returns the address of element 0 of the store, through which messages access elements directly;
   * NULL if the process cannot access them: messages use put and get. */
  void* (*address)(starport_store* store);
  /* Copies `count` elements from `values` into the store, from element `first` (from 0) on. Returns
   * 0, or another value on failure, which `error` describes. */
  int (*put)(starport_store* store, int64_t first, int64_t count, const void* values);
  /* Copies `count` elements of the store, from element `first` (from 0) on, to `values`. Returns 0,
   * or another value on failure, which `error` describes. */
  int (*get)(starport_store* store, int64_t first, int64_t count, void* values);
  /* Sets `count` elements of the store to 0, from element `first` (from 0) on. Returns 0, or
   * another value on failure, which `error` describes. */
  int (*clear)(starport_store* store, int64_t first, int64_t count);
  /* Computes c += x, element by element, for the two blocks of the store at these positions.
   * Returns 0, or another value on failure, which `error` describes. */
  int (*add)(starport_store* store, starport_place c, starport_place x);
  /* Computes C += A.B for blocks of the store (starport_update); it is complete on return. Returns
   * 0, or another value on failure, which `error` describes. */
  int (*update)(starport_store* store, const starport_update* update);
} starport_kernel;

/* Returns the kernel of this library, which is valid as long as the library is loaded; never NULL.
 */
const starport_kernel* starport_kernel_of_version_1(void);

#ifdef __cplusplus
}
#endif

#endif
