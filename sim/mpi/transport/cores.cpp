#include "sim/mpi/transport/cores.hpp"

#include "sim/files/error.hpp"
#include "sim/mpi/transport/messages.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>

namespace starport::mpi {
namespace {

/// The threads and cores of one machine that runs some of the ranks.
struct MachineUse {
  int busy = 0;       ///< threads that compute, and the master's communicating thread
  int computing = 0;  ///< threads that compute
  int threads = 0;    ///< all threads, with those that communicate
  bool alike = true;  ///< all ranks may use the same cores, and compute with one thread
  cpu_set_t cores{};
  double quota_cores = 0;
  double load = 0;   ///< cores that other programs keep busy
  int assigned = 0;  ///< cores that cores_of_next_worker() has assigned to computing threads

  void add_master(const Host& host, Overlap overlap) {
    busy += overlap == Overlap::overlapped ? 1 : 0;
    add(host, 1);
  }
  void add_worker(const Host& host, int computing_threads, Overlap overlap) {
    busy += computing_threads;
    computing += computing_threads;
    alike = alike && overlap == Overlap::overlapped && computing_threads == 1;
    add(host, computing_threads + (overlap == Overlap::overlapped ? 1 : 0));
  }
  void add(const Host& host, int rank_threads) {
    alike = alike && (threads == 0 || CPU_EQUAL(&cores, &host.cores));
    threads += rank_threads;
    CPU_OR(&cores, &cores, &host.cores);
    quota_cores = host.quota_cores;
    load = host.load;
  }
  double core_count() const { return std::min<double>(CPU_COUNT(&cores), quota_cores); }
  bool has_core_per_thread() const { return threads + load <= core_count() + kToleratedLoad; }
  /// Returns true if computing threads get a core each and communicating threads share the rest.
  /// Without pinning, the system moves communicating threads to and from cores that compute, and
  /// durations vary.
  bool pins_threads() const {
    const int count = CPU_COUNT(&cores);
    return alike && quota_cores >= count && computing < count && threads > count;
  }
  /// Assigns the first cores to communication; the last ones are for the computing threads.
  CoreAssignment cores_to_communicate() const {
    CoreAssignment assignment{.core_per_thread = has_core_per_thread()};
    if (!pins_threads()) return assignment;
    int left = CPU_COUNT(&cores) - computing;
    for (int core = 0; left > 0; ++core) {
      if (!CPU_ISSET(core, &cores)) continue;
      CPU_SET(core, &assignment.communicating);
      --left;
    }
    return assignment;
  }
  /// Assigns the next core from the end to the next worker's computing thread.
  CoreAssignment cores_of_next_worker() {
    CoreAssignment assignment = cores_to_communicate();
    if (!pins_threads()) return assignment;
    int before = assigned++;
    for (int core = CPU_SETSIZE - 1; before >= 0; --core) {
      if (CPU_ISSET(core, &cores) && before-- == 0) CPU_SET(core, &assignment.computing);
    }
    return assignment;
  }
};

std::string cores_text(double cores) {
  return fmt::format("{:g} core{}", cores, cores == 1 ? "" : "s");
}

/// Returns what is wrong with the cores of a machine, and a remedy; empty if nothing is.
std::string describe_core_problem(const std::string& host, const MachineUse& use) {
  const double cores = use.core_count();
  const std::string threads =
      use.busy == 1
          ? fmt::format("{}: a thread computes or sends", host)
          : fmt::format("{}: {} threads compute or send at the same time", host, use.busy);
  if (use.busy > cores) {
    return fmt::format("{}, on {}. Start fewer workers there, or give them more cores", threads,
                       cores_text(cores));
  }
  if (use.busy + use.load > cores + kToleratedLoad) {
    return fmt::format(
        "{}, on {}, and other programs there cause a load of {:.1f}. Wait until the machine is "
        "idle",
        threads, cores_text(cores), use.load);
  }
  return "";
}

}  // namespace

void join_computing_group() {
  const char* path = std::getenv("STARPORT_COMPUTING_GROUP");
  if (path == nullptr) return;
  std::fstream file(path, std::ios::in | std::ios::out);  // never creates a file
  file << "0" << std::flush;                              // the calling thread
  if (!file) {
    throw SimulationError(fmt::format(
        "STARPORT_COMPUTING_GROUP: expected a control group's file of threads that may be written, "
        "found '{}'",
        path));
  }
}

double least_update_s() {
  const char* const text = std::getenv("STARPORT_UPDATE_TIME");
  if (text == nullptr) return 0;
  char* end = nullptr;
  const double value = std::strtod(text, &end);
  if (end == text || *end != '\0' || !std::isfinite(value) || value < 0) {
    throw SimulationError(fmt::format(
        "STARPORT_UPDATE_TIME: expected the seconds of a block update, such as 0.0036, found '{}'",
        text));
  }
  return value;
}

CorePlan plan_cores(const Host& master, const std::vector<Host>& hosts,
                    const PerWorker<WorkerSettings>& workers, Overlap overlap) {
  CorePlan plan;
#ifdef STARPORT_SMPI
  return plan;  // simulated machines have as many cores as they need
#endif
  const bool overlapped = overlap == Overlap::overlapped;
  std::map<std::string, MachineUse> uses;
  uses[master.name.data()].add_master(master, overlap);
  PerWorker<bool> has_enough_cores;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const Host& host = hosts[i];
    const int computing = workers[static_cast<std::int64_t>(i)].threads;
    const int threads = computing + (overlapped ? 1 : 0);
    uses[host.name.data()].add_worker(host, computing, overlap);
    has_enough_cores.push_back(threads <= CPU_COUNT(&host.cores));
    if (host.kernel_warning.front() != 0) {
      plan.problems.push_back(
          fmt::format("worker {} on {}: {}", i + 1, host.name.data(), host.kernel_warning.data()));
    }
  }
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const Host& host = hosts[i];
    const int cores = CPU_COUNT(&host.cores);
    const bool is_bound = CPU_COUNT(&uses[host.name.data()].cores) != cores;
    if (has_enough_cores[static_cast<std::int64_t>(i)] || !is_bound) continue;
    const int computing = workers[static_cast<std::int64_t>(i)].threads;
    plan.problems.push_back(fmt::format(
        "worker {} computes with {} thread{}{} but is bound to {}. Start the ranks with "
        "mpirun --bind-to none",
        i + 1, computing, computing == 1 ? "" : "s",
        overlapped ? " and communicates with another one," : "", cores_text(cores)));
  }
  for (const auto& [host, use] : uses) {
    std::string problem = describe_core_problem(host, use);
    if (!problem.empty()) plan.problems.push_back(std::move(problem));
  }
  plan.master = uses[master.name.data()].cores_to_communicate();
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    plan.workers.push_back(uses[hosts[i].name.data()].cores_of_next_worker());
    plan.workers.back().core_per_thread &= has_enough_cores[static_cast<std::int64_t>(i)];
  }
  return plan;
}

}  // namespace starport::mpi
