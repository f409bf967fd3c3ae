// A worker of a real run.
#pragma once

#include "sim/mpi/execution/computation.hpp"
#include "sim/mpi/matrices/block_store.hpp"
#include "sim/mpi/matrices/store_piece.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/news.hpp"

#include <array>
#include <cstddef>
#include <deque>
#include <optional>
#include <vector>

namespace starport::mpi {

/// Obeys the orders of the master: receives blocks into its memory, submits updates to the
/// computation, tells their ends, sends blocks of C home. Communication goes on while an update is
/// computed. Everything runs in the calling thread but the updates.
class WorkerRank {
 public:
  WorkerRank(const Communicator& communicator, const Setup& setup);

  /// Until the master says that it is over. Throws SimulationError when an order cannot be obeyed
  /// or the rest of one does not come in time.
  void run();

 private:
  /// What an update that has ended let go of.
  struct Release {
    double end_s;
    std::int64_t blocks;
    Rectangle a;
    Rectangle b;
  };
  struct PendingUpdate {
    Update update;
    Rectangle late_c;
  };

  /// What goes on beside the orders: updates that have ended, signs of life.
  void attend();
  void end_update(const UpdateDates& dates);
  void wait_for(Sending& sending, const char* what);
  void receive(const Order& order, double ordered_s);
  void send_home(const Order& order, double ordered_s);
  void wait_for_room(const Order& order, std::int64_t blocks);
  double room_date(const Transfer& transfer, std::int64_t blocks);
  std::vector<Run> runs_of(const Transfer& transfer) const;
  std::vector<StorePiece> pieces_of(const Transfer& transfer);
  void take_accumulators(const Update& update);
  std::int64_t missing_accumulators(const Transfer& transfer) const;
  void submit(const Order& order, double arrived_s);

  const Communicator& communicator_;
  Setup setup_;
  Teller teller_;
  BlockStore store_;
  KernelStore memory_;
  Computation computation_;
  std::deque<PendingUpdate> updates_;  ///< submitted, not ended
  std::vector<Release> releases_;      ///< since the last transfer
  static constexpr std::size_t kCopies = 8;
  std::array<std::vector<std::byte>, kCopies> copies_;  ///< of pieces that lie apart, on their way
};

}  // namespace starport::mpi
