// A piece of a transfer between a message and the store of a worker.
#pragma once

#include "sim/kernel/kernel.hpp"
#include "sim/mpi/communicator.hpp"
#include "sim/mpi/run.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace starport::mpi {

/// Messages read and write the elements where they lie; those of a kernel whose memory is its own
/// in a copy.
class StorePiece {
 public:
  StorePiece(KernelStore& store, std::vector<Run> runs) : store_(&store), runs_(std::move(runs)) {
    std::int64_t elements = 0;
    for (const Run& run : runs_) elements += run.count;
    if (store.address(0) == nullptr) copy_.resize(bytes(elements));
  }

  /// The piece must outlive it.
  MessageBlocks message() {
    if (!copy_.empty()) return MessageBlocks(copy_);
    std::vector<MemoryRun> places;
    for (const Run& run : runs_) {
      places.push_back({.first = store_->address(run.first),
                        .bytes = static_cast<std::int64_t>(bytes(run.count))});
    }
    return MessageBlocks(std::move(places));
  }
  /// Before it leaves.
  void fetch() {
    for_each_copy(
        [&](const Run& run, std::byte* copy) { store_->get(run.first, run.count, copy); });
  }
  /// When it has arrived.
  void deliver() {
    for_each_copy(
        [&](const Run& run, std::byte* copy) { store_->put(run.first, run.count, copy); });
  }

 private:
  std::size_t bytes(std::int64_t elements) const {
    return static_cast<std::size_t>(elements * store_->setup().element_bytes);
  }
  template <class Visit>
  void for_each_copy(Visit&& visit) {
    if (copy_.empty()) return;
    std::size_t next = 0;
    for (const Run& run : runs_) {
      visit(run, &copy_[next]);
      next += bytes(run.count);
    }
  }

  KernelStore* store_;
  std::vector<Run> runs_;
  std::vector<std::byte> copy_;
};

}  // namespace starport::mpi
