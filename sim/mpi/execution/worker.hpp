// A worker of a real run on a star.
#pragma once

#include "sim/mpi/execution/update_executor.hpp"
#include "sim/mpi/matrices/block_store.hpp"
#include "sim/mpi/matrices/staged_piece.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/worker_events.hpp"

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace starport::mpi {

/// A worker of a real run on a star, in a rank other than 0. Carries out the orders of the master
/// (Master): receives blocks into its memory, computes the updates that they allow, and sends
/// blocks of C back. Everything runs in the calling thread, except the updates, which are computed
/// meanwhile (UpdateExecutor).
class WorkerRank {
 public:
  /// Allocates the memory of the worker, of setup.m_blocks blocks. `setup` is that of a message of
  /// kind `run` and is copied. Sets the threads of the BLAS and the polling cores of the process.
  /// The communicator must outlive the worker. Throws InputError if the kernel library cannot be
  /// loaded, SimulationError if there is not enough memory.
  WorkerRank(const Communicator& communicator, const Setup& setup);

  /// Reports to the master that the worker is ready, then blocks and carries out orders until the
  /// master ends the run. Call it once. Throws SimulationError if an order cannot be carried out,
  /// an update fails, blocks are damaged, or blocks or orders do not arrive within the timeouts of
  /// the setup.
  void run();

 private:
  /// The blocks that an update has released when it ended.
  struct ReleasedBlocks {
    double end_s;  ///< end of the update
    std::int64_t blocks;
    Rectangle a;
    Rectangle b;
  };
  /// An update that has been submitted and has not ended.
  struct PendingUpdate {
    Update update;
    Rectangle late_c;
  };

  /// Reports ended updates and signs of life. Called regularly while the worker waits.
  void progress();
  void record_update_end(const UpdateDates& dates);
  void wait_for(PendingMessage& message, const char* what);
  void receive(const Order& order, double ordered_s);
  void send_c(const Order& order, double ordered_s);
  void wait_for_memory(const Order& order, std::int64_t blocks);
  double memory_free_date_s(const Transfer& transfer, std::int64_t blocks);
  std::vector<ElementRun> runs_of(const Transfer& transfer) const;
  std::vector<StagedPiece> stage_pieces(const Transfer& transfer);
  void allocate_accumulators(const Update& update);
  std::int64_t count_missing_accumulators(const Transfer& transfer) const;
  void submit_update(const Order& order, double arrived_s);

  const Communicator& communicator_;
  Setup setup_;
  EventSender events_;
  BlockStore store_;
  KernelStore kernel_store_;
  UpdateExecutor executor_;
  std::deque<PendingUpdate> updates_;
  std::vector<ReleasedBlocks> released_;                   ///< since the last transfer
  static constexpr std::size_t kInFlight = 8;              ///< pieces that are under way at a time
  std::array<std::vector<std::byte>, kInFlight> staging_;  ///< buffers of pieces under way
};

}  // namespace starport::mpi
