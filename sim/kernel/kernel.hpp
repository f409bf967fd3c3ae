// The memory of a worker and the kernel that computes in it: the CPU's, or one from a shared
// library.
#pragma once

#include "sim/kernel/starport_kernel.h"
#include "sim/platform/element_type.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

inline bool operator==(const starport_place& a, const starport_place& b) {
  return a.first == b.first && a.stride == b.stride;
}

namespace starport {

/// Returns the kernel of a shared library, which stays loaded, or the CPU's kernel for an empty
/// path. Throws InputError about --kernel when the library has none.
const starport_kernel& load_kernel(const std::string& path);

/// The position of a block in a store: its first element and the stride between its rows.
using BlockPlace = starport_place;

/// An update of a worker: C (rows x columns) += A (rows x inner) . B (inner x columns), each given
/// as a list of block positions by rows.
struct BlockProduct {
  std::vector<BlockPlace> c;
  std::vector<BlockPlace> a;
  std::vector<BlockPlace> b;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
};

/// The memory for blocks of one worker, owned through a kernel. Its functions throw SimulationError
/// when those of the kernel fail. Elements are numbered from 0.
class KernelStore {
 public:
  /// Allocates the memory. Throws SimulationError when there is not enough.
  KernelStore(const starport_kernel& kernel, const starport_store_setup& setup);
  KernelStore(const KernelStore&) = delete;
  KernelStore& operator=(const KernelStore&) = delete;
  ~KernelStore() { kernel_.destroy(store_); }

  const starport_store_setup& setup() const { return setup_; }
  /// Returns the address of an element, or nullptr when only the kernel can access its memory.
  std::byte* address(std::int64_t element) const {
    return address_ == nullptr ? nullptr : address_ + element * setup_.element_bytes;
  }
  /// Copies `count` elements into the store, from element `first` on.
  void put(std::int64_t first, std::int64_t count, const void* values);
  /// Copies `count` elements out of the store, from element `first` on.
  void get(std::int64_t first, std::int64_t count, void* values) const;
  /// Sets `count` elements to 0, from element `first` on.
  void clear(std::int64_t first, std::int64_t count);
  /// Computes c += x for one block each.
  void add(const BlockPlace& c, const BlockPlace& x);
  /// Computes an update; returns when it is complete.
  void update(const BlockProduct& product);

 private:
  void check(int status) const;

  const starport_kernel& kernel_;
  starport_store_setup setup_;
  starport_store* store_;
  std::byte* address_;
};

}  // namespace starport
