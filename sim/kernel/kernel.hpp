// The memory of a worker and the kernel that computes in it: the CPU's, or one from a shared
// library.
#pragma once

#include "sim/kernel/starport_kernel.h"
#include "sim/platform/problem.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// Returns whether two positions of blocks in a worker's memory are equal.
inline bool operator==(const starport_place& a, const starport_place& b) {
  return a.first == b.first && a.stride == b.stride;
}

namespace starport {

/// Loads the kernel (the functions that compute a worker's updates) of the shared library at
/// `path`, relative to the working directory, or returns the built-in kernel for the CPU for an
/// empty path. The result is valid until the process ends: the library is never unloaded. Runs code
/// of the library. Throws InputError about --kernel, with `path` as its file, when the library
/// cannot be loaded or has no function starport_kernel_of_version_1.
const starport_kernel& load_kernel(const std::string& path);

/// Position of a block of q x q matrix elements (q: setup().block_size) in a KernelStore (the
/// memory of a worker): `first`, the number, from 0, of the block's first element in the store, and
/// `stride`, the distance between the first elements of two successive rows of the block, in
/// elements. Holds no reference to the store.
using BlockPlace = starport_place;

/// One update that a worker computes by KernelStore::update(): C (rows x columns) += A (rows x
/// inner) . B (inner x columns), sizes in blocks. Each matrix is a list, row by row, of the
/// positions of its blocks in the store. Requires lists as long as the matrices have blocks (not
/// checked: undefined behaviour otherwise).
struct BlockProduct {
  /// Positions in the worker's memory of the rows x columns blocks of C, row by row. A BlockPlace
  /// counts matrix elements, not blocks.
  std::vector<BlockPlace> c;
  /// Positions in the worker's memory of the rows x inner blocks of A, row by row. A BlockPlace
  /// counts matrix elements, not blocks.
  std::vector<BlockPlace> a;
  /// Positions in the worker's memory of the inner x columns blocks of B, row by row. A BlockPlace
  /// counts matrix elements, not blocks.
  std::vector<BlockPlace> b;
  /// Rows of A and C in blocks; with 0 nothing is computed.
  std::int64_t rows = 0;
  /// Columns of B and C in blocks; with 0 nothing is computed.
  std::int64_t columns = 0;
  /// Columns of A and rows of B in blocks; with 0 nothing is computed.
  std::int64_t inner = 0;
};

/// The memory for matrix blocks of one worker, allocated through a kernel (functions for the CPU or
/// from a shared library), which must outlive it, and freed by the destructor; neither copied nor
/// moved. Elements are numbered from 0; ranges beyond the memory are not checked and undefined
/// behaviour. put(), get() and clear() may run while another thread is in add() or update() on
/// other elements; other calls must not overlap.
class KernelStore {
 public:
  /// Allocates, through the functions of `kernel`, memory for setup.blocks blocks of
  /// setup.block_size x setup.block_size elements, of undefined content. Requires
  /// setup.expected_blocks, an estimate of how many will be used, from 0 to setup.blocks (not
  /// checked: undefined behaviour otherwise). `kernel` must outlive this object; `setup` is copied.
  /// Throws SimulationError with the kernel's message when the kernel cannot allocate the memory.
  KernelStore(const starport_kernel& kernel, const starport_store_setup& setup);
  KernelStore(const KernelStore&) = delete;
  KernelStore& operator=(const KernelStore&) = delete;
  ~KernelStore() { kernel_.destroy(store_); }

  /// Returns the setup that the memory was allocated with: side of a block in elements, number of
  /// blocks, bytes of an element, threads. The reference is valid as long as this object.
  const starport_store_setup& setup() const { return setup_; }
  /// Returns the address of element `element` of the worker's memory (from 0, in range; not
  /// checked), or nullptr when only the kernel can access its memory (then use put() and get()).
  /// The address is valid as long as this object; elements of one store lie in order without gaps.
  std::byte* address(std::int64_t element) const {
    return address_ == nullptr ? nullptr : address_ + element * setup_.element_bytes;
  }
  /// Copies `count` elements of the store's type from `values` into the store (the worker's
  /// memory), from element `first` (from 0) on. `values` is not kept. Throws SimulationError when
  /// the kernel fails; undefined behaviour when the range exceeds the store (not checked).
  void put(std::int64_t first, std::int64_t count, const void* values);
  /// Copies `count` elements of the store (the worker's memory), from element `first` (from 0) on,
  /// to `values`, which must have room for them. Throws SimulationError when the kernel fails;
  /// undefined behaviour when the range exceeds the store (not checked).
  void get(std::int64_t first, std::int64_t count, void* values) const;
  /// Sets `count` elements of the store (the worker's memory) to 0, from element `first` (from 0)
  /// on. Throws SimulationError when the kernel fails; undefined behaviour when the range exceeds
  /// the store (not checked).
  void clear(std::int64_t first, std::int64_t count);
  /// Computes c += x, element by element, for the two blocks of the store at these positions;
  /// returns when it is done. Throws SimulationError when the kernel fails; undefined behaviour
  /// when a block exceeds the store (not checked).
  void add(const BlockPlace& c, const BlockPlace& x);
  /// Computes C += A.B for blocks of this store (the worker's memory) and returns when it is
  /// complete; with a size of 0 nothing is done. Throws SimulationError when the kernel fails,
  /// which may leave C partly updated; undefined behaviour when lists are shorter than the sizes
  /// say, a block exceeds the store, or C overlaps A or B (not checked).
  void update(const BlockProduct& product);

 private:
  void check(int status) const;

  const starport_kernel& kernel_;
  starport_store_setup setup_;
  starport_store* store_;
  std::byte* address_;
};

}  // namespace starport
