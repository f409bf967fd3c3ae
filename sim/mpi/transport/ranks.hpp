// The ranks of a run as a whole: that they are enough, that their machines have the memory, and how
// the others follow rank 0.
#pragma once

#include "sim/kernel/unequal.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/messages.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <string>
#include <vector>

namespace starport::mpi {

/// Whether a worker communicates while it computes, by another thread, or when it does not.
enum class Communication : std::uint8_t { beside, between };

/// What the threads of the ranks have.
struct CoreUse {
  std::vector<std::string> faults;  ///< for which no prediction would hold, and what to do
  PerWorker<Cores> workers;
  Cores master;
};

/// Tells what speaks against a prediction that holds, and without `force` refuses: throws
/// SimulationError, with what happens otherwise.
void refuse_doubts(const std::vector<std::string>& doubts, bool force, const char* forced);
inline constexpr const char* kForcedRun =
    "with --force it runs all the same: C will be right, and the time may be another than "
    "predicted";

/// On rank 0. Until `start`, an error concerns rank 0 alone: the others end quietly. After it, one
/// must end them all.
class Ranks {
 public:
  /// A rank that gives no sign of life for so long ends the run.
  Ranks(const Communicator& communicator, double time_out_s)
      : communicator_(communicator), time_out_s_(time_out_s) {
    has_started_ = false;
  }

  /// Throws InputError unless there is one rank for each worker beside the master.
  void check_number(const Platform& platform, const std::string& file) const;
  /// The others take part from now on. Throws SimulationError.
  void start();
  /// Throws SimulationError when a machine lacks the memory for the blocks that its workers hold.
  void check_memory(const std::vector<double>& bytes) const;
  /// Whether the cores of each machine, and those that its ranks are bound to, are enough for their
  /// threads beside what runs there already, and whether their dgemm is for their processors.
  CoreUse core_use(const PerWorker<WorkerSettings>& workers, Communication communication) const;
  /// The same; refuses by its faults (refuse_doubts).
  CoreUse check_cores(const PerWorker<WorkerSettings>& workers, Communication communication,
                      bool force, const char* forced) const {
    CoreUse use = core_use(workers, communication);
    refuse_doubts(use.faults, force, forced);
    return use;
  }
  /// What differs where the workers are to be on those hosts, if any are given, and what to do.
  std::vector<std::string> misplaced(const std::vector<std::string>& hosts) const;
  /// Lets the others end, and waits for their answers. Throws SimulationError.
  void finish();

  /// What a rank other than 0 does; returns its exit status. All ranks have the same arguments.
  static int follow(const Communicator& communicator, const std::vector<std::string>& arguments);
  /// On rank 0, when it ends without having started.
  static void dismiss(const Communicator& communicator);

  static bool started() { return has_started_; }

 private:
  template <class Condition>
  void wait_until(int rank, Condition&& condition) const;

  static inline bool has_started_ = false;  ///< on rank 0

  const Communicator& communicator_;
  double time_out_s_;
  Host master_{};
  std::vector<Host> hosts_;  ///< of the workers
};

}  // namespace starport::mpi
