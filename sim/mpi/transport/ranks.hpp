// Starting, checking and ending all ranks of a run.
#pragma once

#include "sim/kernel/emulation.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/core_plan.hpp"
#include "sim/mpi/transport/messages.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <string>
#include <vector>

namespace starport::mpi {

/// Prints each problem on the standard error stream. If there are any, throws SimulationError
/// unless `force`; its message ends with `with_force`, which says what --force would do.
void refuse_unless_forced(const std::vector<std::string>& problems, bool force,
                          const char* with_force);
/// The end of the message of refuse_unless_forced() for runs.
inline constexpr const char* kForcedRun =
    "With --force, the product is computed all the same: C will be right, but the run may take "
    "longer or shorter than predicted";

/// Controls all ranks from rank 0. Until start() succeeds, the other ranks wait, and an error on
/// rank 0 needs only dismiss(). After that, an error must end them with Communicator::abort().
class Ranks {
 public:
  /// A rank that does not respond for `timeout_s` seconds ends the run. The communicator must
  /// outlive this object.
  Ranks(const Communicator& communicator, double timeout_s)
      : communicator_(communicator), timeout_s_(timeout_s) {
    has_started_ = false;
  }

  /// Throws InputError naming the platform file unless there is one rank for the master and one for
  /// each worker.
  void check_rank_count(const Platform& platform, const std::string& file) const;
  /// Starts the other ranks and collects their hosts. Throws SimulationError if one of them does
  /// not respond.
  void start();
  /// Throws SimulationError if a machine has less free memory than the blocks of its workers need;
  /// `bytes` are the needs of the workers. Call after start().
  void check_memory(const std::vector<double>& bytes) const;
  /// Plans the cores of all ranks (see plan_cores). Call after start().
  CorePlan plan_cores(const PerWorker<WorkerSettings>& workers, Overlap overlap) const {
    return mpi::plan_cores(master_, hosts_, workers, overlap);
  }
  /// Plans the cores of all ranks and prints the problems of the plan. If there are any, throws
  /// SimulationError that ends with `with_force`, unless `force`. Call after start().
  CorePlan check_cores(const PerWorker<WorkerSettings>& workers, Overlap overlap, bool force,
                       const char* with_force) const {
    CorePlan plan = plan_cores(workers, overlap);
    refuse_unless_forced(plan.problems, force, with_force);
    return plan;
  }
  /// Returns one sentence for each worker that runs on another host than `hosts` names for it, with
  /// a remedy. Returns nothing if `hosts` is empty.
  std::vector<std::string> find_misplaced_workers(const std::vector<std::string>& hosts) const;
  /// Ends the other ranks. Throws SimulationError if one of them does not respond.
  void shut_down();

  /// On a rank other than 0: waits until rank 0 calls start() or dismiss(). Returns true after
  /// start(), once the host of this rank has been reported.
  static bool join(const Communicator& communicator);
  /// On rank 0: ends the other ranks if they have not been started; otherwise does nothing.
  static void dismiss(const Communicator& communicator);
  /// On rank 0: returns true if the other ranks have been started.
  static bool has_started() { return has_started_; }

 private:
  template <class Condition>
  void wait_until(int rank, Condition&& condition) const;

  static inline bool has_started_ = false;

  const Communicator& communicator_;
  double timeout_s_;
  Host master_{};
  std::vector<Host> hosts_;  ///< hosts of the workers, in order
};

}  // namespace starport::mpi
