// A piece of a transfer between a message and the store of a worker.
#pragma once

#include "sim/kernel/kernel.hpp"
#include "sim/mpi/communicator.hpp"
#include "sim/mpi/run.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace starport::mpi {

/// Messages read and write elements that lie together where they are; those that lie apart, or in a
/// kernel's own memory, in a copy. The system reads another rank's memory where that is in one
/// piece; what MPI itself puts together of rows of 640 bytes made links a fifth slower.
class StorePiece {
 public:
  StorePiece(KernelStore& store, std::vector<Run> runs) : store_(&store), runs_(std::move(runs)) {
    for (const Run& run : runs_) bytes_ += bytes(run.count);
    if (runs_.size() > 1 || store.address(0) == nullptr) {
      copy_ = std::make_unique_for_overwrite<std::byte[]>(bytes_);
    }
  }

  /// The piece must outlive it.
  MessageBlocks message() {
    return MessageBlocks(
        std::span(copy_ ? copy_.get() : store_->address(runs_.front().first), bytes_));
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
    if (!copy_) return;
    std::size_t next = 0;
    for (const Run& run : runs_) {
      visit(run, &copy_[next]);
      next += bytes(run.count);
    }
  }

  KernelStore* store_;
  std::vector<Run> runs_;
  std::size_t bytes_ = 0;
  std::unique_ptr<std::byte[]> copy_;
};

}  // namespace starport::mpi
