// The master of a real run: carries out the decisions of a dispatcher, one transfer at a time.
#pragma once

#include "sim/mpi/execution/time_breakdown.hpp"
#include "sim/mpi/matrices/block_store.hpp"
#include "sim/mpi/matrices/product.hpp"
#include "sim/mpi/matrices/transfers.hpp"
#include "sim/mpi/transport/cores.hpp"
#include "sim/mpi/transport/messages.hpp"
#include "sim/mpi/transport/worker_clock.hpp"
#include "sim/mpi/transport/worker_events.hpp"
#include "sim/platform/noise/noise.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/trace.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace starport::mpi {

/// Settings of a real run: emulation, cores and threads, kernel, time limits, and the predicted use
/// of memory. A Master copies it. The default: no emulation, one thread per worker, on any cores.
/// Lists by worker are empty or have one element per worker.
struct ExecutionOptions {
  /// True if transfers and updates are prolonged to the durations of the platform; those that take
  /// longer keep their real durations.
  bool emulated = false;
  /// Emulated runs: slow-downs of workers, each for the transfers or updates from some date on, in
  /// seconds since the start of the run: a transfer counts by its intended start, an update by that
  /// of the transfer that allows it. Of several for the same worker and activity, the one with the
  /// latest date counts, of equal dates the last in the list. Latencies do not change. Ignored in
  /// other runs.
  std::vector<SlowDown> slow_downs{};
  /// Cores of the threads of each worker, by index from 0; any cores for a default-constructed
  /// element, and for all workers if the list is empty. A list that is not empty must have one
  /// element per worker (not checked: undefined behaviour if it is shorter).
  PerWorker<CoreAssignment> cores{};
  /// Cores that the master's thread is pinned to (`communicating`; empty, the default: any cores),
  /// and whether there is a core for each thread (`core_per_thread`). Both decide how long the
  /// process polls before it sleeps (set_polling_cores()). `computing` is ignored.
  CoreAssignment master_cores{};
  /// Number of threads, at least 1, that compute the updates of each worker, by index from 0;
  /// empty: one each.
  PerWorker<int> threads{};
  /// Path of the shared library (kernel) that computes the updates, which each worker loads on its
  /// own machine. Empty: the CPU's BLAS. The constructor of Master throws InputError if the path
  /// has 1024 bytes or more.
  std::string kernel{};
  /// Seconds, greater than 0, for which a worker that rank 0 waits for may send nothing; the run
  /// then fails with SimulationError.
  double timeout_s = 60;
  /// Longest duration of a run, in wall-clock seconds, beyond which it fails with SimulationError;
  /// 0: no limit.
  double time_limit_s = 3600;
  /// True if the user can set the timeout and the time limit by the options --time-out and
  /// --time-limit: messages then advise to raise them.
  bool advises_options = false;
  /// Predicted highest number of blocks that each worker holds, by index from 0, so that memory
  /// beyond it is touched only if needed; empty, or 0 for a worker: unknown.
  std::vector<std::int64_t> expected_blocks{};
  /// The chunks (rectangles of C that a worker updates as a whole) whose blocks of C are predicted
  /// to reach the worker in several transfers, and those parts, so that the worker places each part
  /// within the chunk in its memory; a part that is not listed is placed by itself. Does not change
  /// what is sent. Empty: all arrive whole. execute_job() sets it from the prediction.
  ChunkParts chunk_parts{};
  /// True if several workers update the same blocks of C and return partial sums, which the master
  /// adds to C: it then sets blocks of C to 0 once it has sent their values to a worker, which
  /// returns them with its partial sums.
  bool adds_partial_sums = false;

  /// Returns the seconds without a message from the master after which a worker gives up with an
  /// error: the time limit plus the timeout; 0, for never, without a time limit.
  double master_timeout_s() const { return time_limit_s > 0 ? time_limit_s + timeout_s : 0; }
};

/// The master (rank 0) of a real run on a star, whose worker i, from 0, is rank i + 1. Sends and
/// receives the transfers (messages of blocks) that a dispatcher (the object that decides which
/// transfer comes next) chooses, one at a time, and records when they and their updates happen in a
/// trace. Call finish() before it is destroyed, or the workers wait for orders until they give up
/// (ExecutionOptions::master_timeout_s()). A worker that fails or stops responding makes its
/// functions throw SimulationError. Dates in the trace are seconds on the master's clock since the
/// start of the run. A transfer starts when the previous one has ended, the master knows that the
/// update which it waits for has ended, and the worker has memory for its blocks; it ends, in
/// either direction, when its blocks have arrived. In emulated runs it starts and ends no earlier
/// than intended. Dates that a worker reports are converted to the master's clock (Cristian's
/// algorithm, before the run and, if it is long, after it) and limited to the range that the
/// master's own dates allow.
class Master {
 public:
  /// Sets up the workers, which must be as many as in `platform` (not checked) and have been
  /// started (Ranks::start()), and blocks until they have allocated their memory. Pins the calling
  /// thread to options.master_cores.communicating while the object lives; options.master_cores also
  /// decides how this process polls (set_polling_cores()), for good. `communicator`, `platform` and
  /// `product` must outlive the master; `options` is copied, and its lists must be empty or have
  /// one element per worker (not checked). Throws SimulationError if a worker fails or does not
  /// respond or the time limit has passed, InputError if the path of the kernel is too long.
  Master(const Communicator& communicator, const Platform& platform, Product& product,
         const ExecutionOptions& options);

  /// Runs the product with the transfers that `dispatcher`, which must not have been used before,
  /// decides, adding to C of the product, and returns the trace, with dates in seconds since the
  /// start of this run. Blocks until all updates have ended. May be called again before finish() if
  /// the run is not emulated: Transfer::after_update then also counts the updates of earlier runs,
  /// and workers keep their blocks. Throws SimulationError if a worker fails or does not respond,
  /// blocks are damaged, the time limit has passed, the dispatcher makes an invalid decision, or a
  /// file of a matrix was modified (checked once a second at most); exceptions of the dispatcher
  /// pass through. After an exception, C may be partly updated, the master is of no more use, and
  /// the ranks must be ended by Communicator::abort().
  Trace run(Dispatcher& dispatcher);
  /// Returns, for each transfer of the last run in the order of its trace, when and how long it
  /// occupied the master's port, in seconds by activity. Valid until the next run(); empty before
  /// the first.
  const std::vector<PortTime>& port_times() const { return port_times_; }
  /// Returns, for each transfer of the last run in the order of its trace, the duration of its
  /// update in seconds on the worker's own clock; 0 without an update. More precise than the dates
  /// of the trace, which are converted. Valid until the next run(); empty before the first.
  const std::vector<double>& update_times_s() const { return update_times_s_; }

  /// Ends the part of the workers, which then wait for the next activity (Setup), and blocks until
  /// they have confirmed it. Returns the highest number of blocks that each has held in any run, by
  /// worker from 0. Call it once, after the last run(). Throws SimulationError if a worker fails or
  /// does not respond, or the time limit has passed, which counts from the start of the last run.
  std::vector<std::int64_t> finish();

  // The clock of run_dispatcher() (sim/star/port_clock.hpp).
  /// Handles the events (reports of workers) that have arrived and, unless the run is emulated
  /// (prolonged to the platform's durations), advances the dispatcher's view of the run to the
  /// current date. Called by run_dispatcher() only. Throws SimulationError if a worker has failed.
  void reach_decision();
  /// Blocks until wait.until_s (seconds since the start of the run) or, if that is kUnknown, until
  /// an update ends. Returns true then, but false at once if there is no date and no update in
  /// progress. Called by run_dispatcher() only. Throws SimulationError if a worker fails, the time
  /// limit has passed or, without a date, a worker does not respond.
  bool wait(const Wait& wait);

 private:
  struct WorkerState {
    WorkerClock clock;
    std::int64_t updates_ended = 0;
    double last_update_end_s = 0;
    std::deque<std::size_t> pending_updates;  ///< transfers (indices) whose updates have not ended
    std::vector<WorkerEvent> early_events;  ///< ends of updates whose transfer is still in progress
    bool ready = false;
    bool finished = false;
    bool arrived = false;
    double arrived_s = 0;  ///< arrival of the last blocks, on the worker's clock
    double ordered_s = 0;  ///< date at which the worker received its last order, in run time
    /// When memory became free for the last blocks, in run time; 0 if it was free at once.
    double memory_free_s = 0;
    std::int64_t peak_blocks = 0;
  };

  /// The dates that a worker has reported of a transfer and its update, on the worker's clock, with
  /// upper bounds in run time.
  struct TransferReport {
    double arrived_s = 0;
    double done_s = 0;  ///< upper bound of the end of the transfer
    double update_start_s = 0;
    double update_end_s = 0;
    double latest_s = 0;   ///< upper bound of the end of the update
    bool arrived = false;  ///< arrived_s is the end of the transfer
    bool updated = false;  ///< the update has ended
  };

  /// Returns the run time: seconds since the start of the run, on the master's clock.
  double now_s() const;
  void handle_event(int worker, const WorkerEvent& event);
  void record_update_end(int worker, const WorkerEvent& event);
  /// Converts a date of the worker's clock into run time.
  double run_time_s(const WorkerState& state, double worker_s) const {
    return state.clock.master_time_s(worker_s) - origin_s_;
  }
  WorkerClock::Reading read_clock(int worker);
  /// Reads the workers' clocks again, and recomputes the dates that they have reported.
  void correct_dates();
  Dates bounded_dates(const WorkerState& state, const TransferReport& report, Dates dates) const;

  /// Emulated: returns by which factor the platform's durations are longer for what starts at
  /// `at_s`.
  double slow_down_factor(Activity activity, int worker, double at_s) const;
  void check_files();
  void execute_transfer(const Transfer& transfer);
  /// Returns the seconds of packing while no blocks were under way.
  double send(const Transfer& transfer, const Order& order);
  /// Returns the seconds of unpacking while no blocks were under way.
  double receive(const Transfer& transfer, const Order& order);
  void record_port_time(const WorkerState& state, Direction direction, double start_s,
                        double packing_s, double done_s);

  const Communicator& communicator_;
  const Platform& platform_;
  Product& product_;
  ExecutionOptions options_;
  ScopedAffinity affinity_;
  WorkerMonitor monitor_;
  std::vector<WorkerState> workers_;
  MasterView view_;
  Trace trace_;
  std::vector<TransferReport> reports_;  ///< reports on the transfers of the trace, in order
  std::vector<PortTime> port_times_;
  std::vector<double> update_times_s_;
  TransferPipeline pipeline_;
  Polling polling_;  ///< polling while blocks are under way
  double origin_s_ = 0;
  double next_file_check_s_ = 1;
};

}  // namespace starport::mpi
