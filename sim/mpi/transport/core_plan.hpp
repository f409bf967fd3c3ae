// Assigns the cores of the machines to the threads of the ranks.
#pragma once

#include "sim/kernel/emulation.hpp"
#include "sim/mpi/transport/messages.hpp"
#include "sim/platform/per_worker.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport::mpi {

/// The largest load of other programs, in busy cores per machine, that does not count as a
/// disturbance of a measurement or run.
inline constexpr double kToleratedLoad = 0.5;

/// The relation of communication and computation on a worker: at the same time, with a thread for
/// each (`overlapped`, as on a star), or in turn in one thread (`alternating`, as in distributed
/// products).
enum class Overlap : std::uint8_t { overlapped, alternating };

/// The cores for the threads of all ranks, and the reasons why they are not sufficient.
struct CorePlan {
  /// One message for each reason why durations will differ from the predicted ones, with a remedy
  /// and without a newline. Empty if there is none.
  std::vector<std::string> problems;
  /// Cores of each worker, by index from 0. Empty under SMPI: any cores.
  PerWorker<CoreAssignment> workers;
  /// Cores of the master. Without cores under SMPI: any cores.
  CoreAssignment master;
};

/// Plans the cores for a master and its workers, from the hosts that the ranks have reported;
/// `hosts` and `workers` have one element per worker, in the same order. Pins nothing. Reported as
/// problems, not as exceptions: too few cores, cores that are busy, ranks bound to too few cores,
/// and a BLAS that is not made for the processor. Under SMPI the plan is empty.
CorePlan plan_cores(const Host& master, const std::vector<Host>& hosts,
                    const PerWorker<WorkerSettings>& workers, Overlap overlap);

}  // namespace starport::mpi
