// Both ends of the transfers of blocks: the matrices of the master, and the memory of a worker.
#pragma once

#include "sim/kernel/kernel.hpp"
#include "sim/mpi/matrices/pieces.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/worker_events.hpp"
#include "sim/star/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace starport::mpi {

/// Pipeline on the master that sends and receives the blocks of a transfer in pieces (messages of
/// at most 256 KiB; a single one under SMPI, SimGrid's simulator of MPI); owns the buffers. Up to
/// four pieces are under way at a time: while one is sent, the next is packed (copied from the
/// matrices into a buffer). send() and receive() block, and handle the events (reports) of the
/// workers meanwhile. After an exception, MPI may still use the buffers: end the ranks by
/// Communicator::abort().
class TransferPipeline {
 public:
  /// Makes a pipeline, whose buffers are allocated by send() and receive(). `polling` is how often
  /// MPI is polled while waiting for blocks (at least every 50 us if `eager`, every 2 ms if
  /// `relaxed`). The communicator and the monitor must outlive the pipeline.
  TransferPipeline(const Communicator& communicator, WorkerMonitor& monitor, Polling polling)
      : communicator_(communicator), monitor_(monitor), polling_(polling), buffers_(kInFlight) {}

  /// Sends the blocks of a transfer to its worker, and returns when MPI no longer needs the
  /// buffers; the worker may not have all blocks yet. Requires that the worker has been told to
  /// receive them by an Order. Returns the seconds of packing before the first piece was sent (wall
  /// clock); 0 without blocks. Throws SimulationError if any worker reports a failure, this one
  /// does not respond for the monitor's timeout, or the monitor's time limit has passed.
  double send(const Product& product, const Transfer& transfer);
  /// Receives the blocks of C of a transfer from its worker, which has been told to send them by an
  /// Order, and passes them to product.unpack(): they replace those of C, or are added to them if
  /// the transfer returns partial sums. Returns the seconds between the arrival of the last piece
  /// and the end of its unpacking (wall clock); about 0 without blocks. Throws SimulationError if
  /// any worker reports a failure, this one does not respond for the monitor's timeout, blocks are
  /// damaged, or the monitor's time limit has passed.
  double receive(Product& product, const Transfer& transfer);

 private:
  static constexpr std::size_t kInFlight = 4;  ///< pieces that are under way at a time

  std::vector<std::byte>& buffer(std::size_t piece, std::int64_t bytes) {
    std::vector<std::byte>& buffer = buffers_[piece % kInFlight];
    buffer.resize(static_cast<std::size_t>(bytes));
    return buffer;
  }

  const Communicator& communicator_;
  WorkerMonitor& monitor_;
  Polling polling_;
  std::vector<std::vector<std::byte>> buffers_;
};

/// One piece (a message) of a transfer of blocks on the worker's side; refers to the worker's
/// memory (store). If its elements are contiguous in main memory, MPI reads or writes them in
/// place. Otherwise, and for kernels with memory of their own, they go through a staging buffer of
/// the caller. To receive: make_buffer(), receive into it, then copy_to_store(). To send:
/// make_buffer(), copy_from_store(), then send it.
class StagedPiece {
 public:
  /// Refers to the elements `runs` of `store`, the worker's memory, in the order in which they are
  /// sent; copies none. The store must outlive the piece. Runs that exceed the store are undefined
  /// behaviour (not checked).
  StagedPiece(KernelStore& store, std::vector<ElementRun> runs)
      : store_(&store), runs_(std::move(runs)) {
    for (const ElementRun& run : runs_) bytes_ += bytes(run.count);
  }

  /// Returns the memory that the piece is to be sent from or received into: the store itself if the
  /// piece is one run (consecutive elements) in main memory, otherwise `staging`, which is enlarged
  /// as needed. Copies no elements: copy_from_store() does before sending, copy_to_store() after
  /// receiving. Call it once, first. The store and `staging` must live, and `staging` must not be
  /// resized, until the message is complete and its elements have been copied.
  BlockBuffer make_buffer(std::vector<std::byte>& staging) {
    if (runs_.size() == 1 && store_->address(0) != nullptr) {
      return BlockBuffer(std::span(store_->address(runs_.front().first), bytes_));
    }
    // A fifth faster than an MPI datatype of rows of 640 bytes.
    staging.resize(std::max(staging.size(), bytes_));
    staging_ = staging.data();
    return BlockBuffer(std::span(staging_, bytes_));
  }
  /// Copies the elements of the piece from the worker's memory (store) to the staging buffer; does
  /// nothing if the piece has no staging buffer, since MPI then reads that memory itself. Call it
  /// after make_buffer() and before sending. Throws SimulationError if the worker's kernel (the
  /// functions that access its memory) fails.
  void copy_from_store() {
    for_each_run<Access::read>([&](const ElementRun& run, std::byte* staged) {
      store_->get(run.first, run.count, staged);
    });
  }
  /// Copies the elements of the piece from the staging buffer to the worker's memory (store); does
  /// nothing if the piece has no staging buffer, since MPI then wrote to that memory itself. Call
  /// it once the message is complete. Throws SimulationError if the worker's kernel (the functions
  /// that access its memory) fails.
  void copy_to_store() {
    for_each_run<Access::write>([&](const ElementRun& run, std::byte* staged) {
      store_->put(run.first, run.count, staged);
    });
  }

 private:
  std::size_t bytes(std::int64_t elements) const {
    return static_cast<std::size_t>(elements * store_->setup().element_bytes);
  }
  /// Calls visit(run, its place in the staging buffer) for each run; does nothing without staging.
  template <Access access, class Visit>
  void for_each_run(Visit&& visit) {
    if (staging_ == nullptr) return;
    const bool in_main_memory = store_->address(0) != nullptr;
    std::size_t offset = 0;
    for (std::size_t n = 0; n < runs_.size(); ++n) {
      if (in_main_memory && n + kRowsAhead < runs_.size()) {
        const ElementRun& ahead = runs_[n + kRowsAhead];
        prefetch<access>(store_->address(ahead.first),
                         static_cast<std::int64_t>(bytes(ahead.count)));
      }
      visit(runs_[n], staging_ + offset);
      offset += bytes(runs_[n].count);
    }
  }

  KernelStore* store_;
  std::vector<ElementRun> runs_;
  std::size_t bytes_ = 0;
  std::byte* staging_ = nullptr;  ///< null if the message uses the store itself
};

}  // namespace starport::mpi
