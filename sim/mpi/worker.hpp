// A worker of a real run.
#pragma once

#include "sim/mpi/block_store.hpp"
#include "sim/mpi/communicator.hpp"
#include "sim/mpi/computation.hpp"
#include "sim/mpi/messages.hpp"

#include <deque>
#include <string>
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

  /// Tells the master why a worker gives up.
  static void tell_failure(const Communicator& communicator, const std::string& why);

 private:
  struct Told {
    Told(const Communicator& communicator, const News& told);
    News news;
    Sending sending;
  };
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

  void tell(const News& news);
  /// What goes on beside the orders: updates that have ended, signs of life.
  void attend();
  void end_update(const UpdateDates& dates);
  void wait_for(Sending& sending, const char* what);
  void receive(const Order& order);
  void send_home(const Order& order);
  void wait_for_room(const Transfer& transfer, std::int64_t blocks);
  double room_date(const Transfer& transfer, std::int64_t blocks);
  std::vector<double*> take_arriving(const Transfer& transfer);
  void take_accumulators(const Update& update);
  std::int64_t missing_accumulators(const Transfer& transfer) const;
  void submit(const Order& order, double arrived_s);

  const Communicator& communicator_;
  Setup setup_;
  BlockStore store_;
  Computation computation_;
  std::deque<PendingUpdate> updates_;  ///< submitted, not ended
  std::vector<Release> releases_;      ///< since the last transfer
  std::deque<Told> told_;              ///< messages that may still be on their way
  double last_told_s_ = 0;
};

/// On the master, what tell_failure has told after its news.
std::string failure_text(const Communicator& communicator, int rank);

}  // namespace starport::mpi
