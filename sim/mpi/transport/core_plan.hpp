// Assigns the cores of the machines to the threads of the ranks.
#pragma once

#include "sim/kernel/emulation.hpp"
#include "sim/mpi/transport/messages.hpp"
#include "sim/platform/per_worker.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport::mpi {

/// The load of other programs, in cores, that is too small to disturb a measurement.
inline constexpr double kToleratedLoad = 0.5;

/// Whether a worker communicates while it computes, in a thread of its own (overlapped), or only
/// while it does not compute (alternating).
enum class Overlap : std::uint8_t { overlapped, alternating };

/// The cores for the threads of all ranks, and what is wrong with them.
struct CorePlan {
  /// One sentence for each reason why durations will differ from the predicted ones, with a remedy.
  std::vector<std::string> problems;
  PerWorker<CoreAssignment> workers;
  CoreAssignment master;
};

/// Plans the cores for a master and its workers, from the hosts that the ranks have reported. The
/// problems are too few cores, cores that are busy, ranks bound to too few cores, and a BLAS that
/// is not made for the processor. Under SMPI the plan is empty.
CorePlan plan_cores(const Host& master, const std::vector<Host>& hosts,
                    const PerWorker<WorkerSettings>& workers, Overlap overlap);

}  // namespace starport::mpi
