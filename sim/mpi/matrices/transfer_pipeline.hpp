// The master's side of the transfers of blocks.
#pragma once

#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/worker_events.hpp"
#include "sim/star/schedule.hpp"

#include <cstddef>
#include <vector>

namespace starport::mpi {

/// Sends and receives the blocks of a transfer in pieces (pieces.hpp) on the master. Up to four
/// pieces are under way at a time: while one is sent, the next is packed (copied from the matrices
/// into a buffer). Both functions block, and handle the events of the workers meanwhile.
class TransferPipeline {
 public:
  /// `polling` is the polling frequency while waiting for blocks. The communicator and the monitor
  /// must outlive the pipeline.
  TransferPipeline(const Communicator& communicator, WorkerMonitor& monitor, Polling polling)
      : communicator_(communicator), monitor_(monitor), polling_(polling), buffers_(kInFlight) {}

  /// Sends the blocks of a transfer to its worker, and returns when MPI no longer needs the
  /// buffers; the worker may not have all blocks yet. Returns the seconds of packing before the
  /// first piece was sent (wall clock); 0 without blocks. Throws SimulationError if the worker
  /// fails or does not respond.
  double send(const Product& product, const Transfer& transfer);
  /// Receives the blocks of C of a transfer from its worker and stores them in `product`. Returns
  /// the seconds between the arrival of the last piece and the end of its unpacking (wall clock).
  /// Throws SimulationError if the worker fails or does not respond, or blocks are damaged.
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

}  // namespace starport::mpi
