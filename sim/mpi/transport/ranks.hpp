// Starting, checking and ending all ranks of a run.
#pragma once

#include "sim/kernel/emulation.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/cores.hpp"
#include "sim/mpi/transport/messages.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// Prints each problem on the standard error stream, on a line of its own that starts with
/// "starport-mpi: ", with control characters replaced by spaces. Failures to write are ignored.
void print_problems(const std::vector<std::string>& problems);

/// Controller of all ranks, on rank 0: starts them, collects the descriptions of their machines
/// (hosts) and ends them. Until start() is called, the other ranks wait in join(), and an error on
/// rank 0 needs only dismiss(). After that, an error must end them with Communicator::abort(). The
/// destructor ends nothing. The objects of a process share the state has_started(), so that only
/// one may be in use at a time.
class Ranks {
 public:
  /// Makes the controller, on rank 0, and resets has_started() to false; starts nothing. start()
  /// and shut_down() throw SimulationError if a rank does not respond for `timeout_s` seconds
  /// (infinity: no limit; 0: unless its answer is there at once). The other ranks give up if rank 0
  /// leaves them without an activity to carry out for longer than `master_timeout_s` seconds,
  /// rounded up to whole ones (0: never). The communicator must outlive this object.
  Ranks(const Communicator& communicator, double timeout_s, double master_timeout_s = 0)
      : communicator_(communicator), timeout_s_(timeout_s), master_timeout_s_(master_timeout_s) {
    has_started_ = false;
  }

  /// Throws InputError about the platform file `file` unless there is exactly one rank for the
  /// master and one for each of its `workers` workers.
  void check_rank_count(std::int64_t workers, const std::string& file) const;
  /// Starts the other ranks, which must call join(), and blocks until each has reported its host
  /// (the description of its machine). Call it once, on rank 0. Throws SimulationError if one of
  /// them does not respond within the constructor's timeout or runs another build of the program;
  /// has_started() is then true.
  void start();
  /// Throws SimulationError if a machine has less free memory than the blocks of all its workers
  /// need together; the need of the master is not counted. `bytes` holds the need of each worker,
  /// in bytes, by index from 0, with one element per worker (not checked: undefined behaviour if
  /// there are fewer). Call after start(); before it, nothing is checked.
  void check_memory(const std::vector<double>& bytes) const;
  /// Plans on which cores the threads of the master and of all workers run, from the hosts
  /// (machines) that start() has collected; pins nothing. `overlap`: whether each worker
  /// communicates in a thread of its own while it computes, or in turn. If the cores do not
  /// suffice, it throws nothing, but the plan's `problems` say so (too few, busy, or bound to too
  /// few cores, or a BLAS not made for the processor). `workers` must have one element per worker
  /// (not checked: undefined behaviour). Before start(), and under SMPI (SimGrid's simulator of
  /// MPI), the plan has no workers.
  CorePlan plan_cores(const PerWorker<WorkerSettings>& workers, Overlap overlap) const {
    return mpi::plan_cores(master_, hosts_, workers, overlap);
  }
  /// Returns one message, with a remedy and without a newline, for each worker that runs on another
  /// host than `hosts` names for it: hosts[i] is the name for worker i, from 0; workers beyond the
  /// end of the list count as misplaced. Returns an empty list if `hosts` is empty and under SMPI
  /// (SimGrid's simulator of MPI). Call after start(); before it, the list is empty.
  std::vector<std::string> find_misplaced_workers(const std::vector<std::string>& hosts) const;
  /// Ends the other ranks, which must be between two activities (run_worker_rank()), and blocks
  /// until each has confirmed it. Call it once, after start(). Throws SimulationError if one of
  /// them does not respond within the constructor's timeout.
  void shut_down();

  /// Seconds that other ranks wait for rank 0 to start them: a day, since it plans and predicts all
  /// runs before.
  static constexpr double kPreparation_s = 86400;
  /// On a rank other than 0: blocks until rank 0 calls start() or dismiss(), for at most
  /// `preparation_s` seconds (0: no limit). After start(), reports the host of this rank and
  /// returns the seconds that it may wait for an activity (0: for ever); nullopt after dismiss().
  /// Throws SimulationError if rank 0 does neither in time, or does not receive the report within
  /// the seconds to be returned (0: no limit).
  static std::optional<double> join(const Communicator& communicator,
                                    double preparation_s = kPreparation_s);
  /// On rank 0: makes join() on the other ranks return nullopt if they have not been started; does
  /// nothing if they have. Every run that never calls start() must call it once, or the others wait
  /// for a day.
  static void dismiss(const Communicator& communicator);
  /// Returns true once start() of the last created object has been called, also after shut_down();
  /// false if no object was created. For rank 0 only.
  static bool has_started() { return has_started_; }

 private:
  template <class Condition>
  void wait_until(int rank, Condition&& condition) const;

  static inline bool has_started_ = false;

  const Communicator& communicator_;
  double timeout_s_;
  double master_timeout_s_;
  Host master_{};
  std::vector<Host> hosts_;  ///< hosts of the workers, in order
};

}  // namespace starport::mpi
