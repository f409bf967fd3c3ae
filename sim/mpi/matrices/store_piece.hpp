// A piece of a transfer between a message and the store of a worker.
#pragma once

#include "sim/kernel/kernel.hpp"
#include "sim/mpi/execution/run.hpp"
#include "sim/mpi/matrices/prefetch.hpp"
#include "sim/mpi/transport/communicator.hpp"

#include <algorithm>
#include <cstddef>
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
  }

  /// `copy` is taken where one is needed, and must stay until the message is there.
  MessageBlocks message(std::vector<std::byte>& copy) {
    if (runs_.size() == 1 && store_->address(0) != nullptr) {
      return MessageBlocks(std::span(store_->address(runs_.front().first), bytes_));
    }
    copy.resize(std::max(copy.size(), bytes_));
    copy_ = copy.data();
    return MessageBlocks(std::span(copy_, bytes_));
  }
  /// Before it leaves, of its message.
  void fetch() {
    for_each_copy<Access::read>(
        [&](const Run& run, std::byte* copy) { store_->get(run.first, run.count, copy); });
  }
  /// When it has arrived.
  void deliver() {
    for_each_copy<Access::write>(
        [&](const Run& run, std::byte* copy) { store_->put(run.first, run.count, copy); });
  }

 private:
  std::size_t bytes(std::int64_t elements) const {
    return static_cast<std::size_t>(elements * store_->setup().element_bytes);
  }
  template <Access access, class Visit>
  void for_each_copy(Visit&& visit) {
    if (copy_ == nullptr) return;
    const bool here = store_->address(0) != nullptr;
    std::size_t next = 0;
    for (std::size_t n = 0; n < runs_.size(); ++n) {
      if (here && n + kRowsAhead < runs_.size()) {
        const Run& ahead = runs_[n + kRowsAhead];
        prefetch<access>(store_->address(ahead.first),
                         static_cast<std::int64_t>(bytes(ahead.count)));
      }
      visit(runs_[n], copy_ + next);
      next += bytes(runs_[n].count);
    }
  }

  KernelStore* store_;
  std::vector<Run> runs_;
  std::size_t bytes_ = 0;
  std::byte* copy_ = nullptr;
};

}  // namespace starport::mpi
