// A worker's memory and what computes there: the CPU's kernel, or one of others.
#pragma once

#include "sim/kernel/starport_kernel.h"
#include "sim/platform/element_type.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

inline bool operator==(const starport_place& one, const starport_place& other) {
  return one.first == other.first && one.stride == other.stride;
}

namespace starport {

/// The kernel of a shared library, which stays loaded; that of the CPU for an empty path. Throws
/// InputError about --kernel.
const starport_kernel& load_kernel(const std::string& path);

/// Where a block lies in a store, in elements.
using BlockPlace = starport_place;

/// An update as a worker computes it: C (rows x columns) += A (rows x inner) . B (inner x columns),
/// each a list of blocks by rows.
struct BlockProduct {
  std::vector<BlockPlace> c;
  std::vector<BlockPlace> a;
  std::vector<BlockPlace> b;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t inner = 0;
};

/// Room for blocks. Its functions throw SimulationError where the kernel's fail.
class KernelStore {
 public:
  /// Throws SimulationError when there is no room.
  KernelStore(const starport_kernel& kernel, const starport_store_setup& setup);
  KernelStore(const KernelStore&) = delete;
  KernelStore& operator=(const KernelStore&) = delete;
  ~KernelStore() { kernel_.destroy(store_); }

  const starport_store_setup& setup() const { return setup_; }
  /// Of an element for which the kernel lets others into its memory; else nullptr.
  std::byte* address(std::int64_t element) const {
    return address_ == nullptr ? nullptr : address_ + element * setup_.element_bytes;
  }
  void put(std::int64_t first, std::int64_t count, const void* values);
  void get(std::int64_t first, std::int64_t count, void* values) const;
  void clear(std::int64_t first, std::int64_t count);
  void add(const BlockPlace& c, const BlockPlace& x);
  void update(const BlockProduct& product);

 private:
  void check(int status) const;

  const starport_kernel& kernel_;
  starport_store_setup setup_;
  starport_store* store_;
  std::byte* address_;
};

}  // namespace starport
