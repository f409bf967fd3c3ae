// The master of a real run: it has the dispatcher's transfers carried out, one at a time, and dates
// them.
#pragma once

#include "sim/mpi/calibration/chunk_parts.hpp"
#include "sim/mpi/execution/port_time.hpp"
#include "sim/mpi/matrices/blocks_on_their_way.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/transport/cores.hpp"
#include "sim/mpi/transport/messages.hpp"
#include "sim/mpi/transport/news.hpp"
#include "sim/mpi/transport/worker_clock.hpp"
#include "sim/platform/noise/noise.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/trace.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace starport::mpi {

struct ExecutionOptions {
  bool paced = false;  ///< every transfer and update lasts at least what the platform says
  std::vector<SlowDown> slow_downs{};  ///< paced: less fast, what begins from a date on
  PerWorker<Cores> cores{};            ///< of the workers; any unless said
  Cores master_cores{};
  PerWorker<int> threads{};    ///< of the workers' dgemm; one each unless said
  std::string kernel{};        ///< the library of the workers' kernel; empty: that of the CPU
  double time_out_s = 60;      ///< without a sign of life of a worker that is waited for
  double time_limit_s = 3600;  ///< of the whole run
  std::vector<std::int64_t> expected_blocks{};  ///< that the workers are predicted to hold at most
  ChunkParts chunk_parts{};                     ///< as predicted

  /// A worker that hears nothing for so long ends the run; 0: none does.
  double patience_s() const { return time_limit_s > 0 ? time_limit_s + time_out_s : 0; }
};

/// Worker i is rank i + 1.
///
/// Dates in the trace are those of the master's clock, from the start of the run. A transfer starts
/// when the master turns to it, the update that it waits for having been told complete; it ends
/// when its blocks have arrived. The dates that a worker tells are brought to the master's clock by
/// the shortest of some round trips, before the run and, when it has lasted, after it as well, and
/// kept between the master's own dates of what must come before and after.
class Master {
 public:
  /// Tells the workers who they are, and waits until they have their memory. The platform must
  /// outlive the master. Throws SimulationError.
  Master(const Communicator& communicator, const Platform& platform, Product& product,
         const ExecutionOptions& options);

  /// Carries out what the dispatcher decides on the requests of the workers. Throws SimulationError
  /// when a worker fails or gives no sign of life.
  Trace run(Dispatcher& dispatcher);
  /// Of the transfers of the last run, in their order.
  const std::vector<PortTime>& port_times() const { return port_times_; }
  /// What their updates took on the workers' own clocks, 0 where there is none: dates are cut where
  /// those are not known as exactly.
  const std::vector<double>& update_times_s() const { return update_times_s_; }
  // Its clock (sim/star/port_clock.hpp) is the real time.
  void reach_decision();
  bool wait(const Wait& wait);

  /// Ends the workers; the most blocks that each held at a time.
  std::vector<std::int64_t> finish();

 private:
  struct WorkerState {
    WorkerClock clock;
    std::int64_t updates_ended = 0;
    double last_update_end_s = 0;
    std::deque<std::size_t> updates_sent;  ///< the transfers of those that have not ended
    std::vector<News> early;  ///< ends told before the master has seen their transfer through
    bool ready = false;
    bool over = false;
    bool arrived = false;
    double arrived_s = 0;  ///< on its own clock
    double ordered_s = 0;  ///< on the master's clock, when it saw its last order
    double room_s = 0;     ///< when there was room for what arrived; 0 when there was at once
    std::int64_t most_held = 0;
  };

  /// What a worker has told of a transfer, on its own clock, and until when on the master's.
  struct Told {
    double arrived_s = 0;
    double done_s = 0;  ///< the end of the transfer at the latest
    double update_start_s = 0;
    double update_end_s = 0;
    double latest_s = 0;   ///< the end of the update at the latest
    bool arrived = false;  ///< that counts
    bool updated = false;
  };

  double now_s() const;  ///< since the start of the run
  void take_in(int worker, const News& news);
  void end_update(int worker, const News& news);
  /// On the master's clock, from the start of the run.
  double here_s(const WorkerState& state, double told_s) const {
    return state.clock.here_s(told_s) - origin_s_;
  }
  WorkerClock::Reading read_clock(int worker);
  /// The dates of the trace that workers have told, once more, by what their clocks show by now.
  void correct_dates();
  Dates dated(const WorkerState& state, const Told& told, Dates dates) const;

  /// How many times as long the platform's durations are by now.
  double slow_down(Activity activity, int worker, double at_s) const;
  void check_files();
  void perform(const Transfer& transfer);
  /// Return the time of packing or unpacking while nothing was on its way.
  double send(const Transfer& transfer, const Order& order);
  double receive(const Transfer& transfer, const Order& order);
  void note_port_time(const WorkerState& state, bool home, double start_s, double packing_s,
                      double done_s);

  const Communicator& communicator_;
  const Platform& platform_;
  Product& product_;
  ExecutionOptions options_;
  KeptToCores kept_;
  Watch watch_;
  std::vector<WorkerState> workers_;
  MasterView view_;
  Trace trace_;
  std::vector<Told> told_;  ///< of the transfers of the trace
  std::vector<PortTime> port_times_;
  std::vector<double> update_times_s_;
  BlocksOnTheirWay blocks_;
  double origin_s_ = 0;
  double next_check_s_ = 1;  ///< of the files
};

}  // namespace starport::mpi
