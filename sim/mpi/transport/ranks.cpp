#include "sim/mpi/transport/ranks.hpp"

#include "sim/app/command.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/mpi/calibration/speed_calibration.hpp"
#include "sim/mpi/execution/worker.hpp"
#include "sim/mpi/spmd/product_node.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/messages.hpp"
#include "sim/mpi/transport/rank_commands.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace starport::mpi {
namespace {

enum class Beginning : int { dismissed, started };

constexpr double kToleratedLoad = 0.5;  ///< of what runs now and then

/// What has just ended is in the mean of the last minute, and disturbs nobody any more.
double load_of_others() {
#ifdef STARPORT_SMPI
  return 0;  // simulated machines have none
#endif
  constexpr double look_s = 0.1;
  const double minute = load_average();
  return minute > kToleratedLoad ? std::min(minute, busy_cores(look_s)) : minute;
}

Host this_host() {
  Host host{
      .available_bytes = available_bytes(), .quota_cores = core_quota(), .load = load_of_others()};
  ::sched_getaffinity(0, sizeof host.cores, &host.cores);
  std::strncpy(host.name.data(), host_name().c_str(), host.name.size() - 1);
  std::strncpy(host.bad_kernel.data(), unsuitable_kernel(blas_core(), processor_flags()).c_str(),
               host.bad_kernel.size() - 1);
  return host;
}

void take_part(const Communicator& communicator, const Setup& setup,
               const std::vector<std::string>& arguments) {
  switch (setup.kind) {
    case Setup::Kind::run:
      return WorkerRank(communicator, setup).run();
    case Setup::Kind::distributed:
      return ProductNode(communicator, setup).run();
    case Setup::Kind::measure:
      return measure_this_rank(communicator, arguments);
    case Setup::Kind::measure_speed:
      return measure_speed_of_this_rank(communicator, setup);
    case Setup::Kind::over:
      break;  // it takes no part
  }
}

}  // namespace

void Ranks::check_number(const Platform& platform, const std::string& file) const {
  const std::size_t needed = platform.workers.size() + 1;
  if (static_cast<std::size_t>(communicator_.size()) == needed) return;
  throw InputError(
      "", fmt::format("{} ranks, the master and a worker each (mpirun -n {})", needed, needed),
      fmt::format("{}", communicator_.size()))
      .in_file(file);
}

template <class Condition>
void Ranks::wait_until(int rank, Condition&& condition) const {
  if (holds_within(time_out_s_, condition)) return;
  throw SimulationError(
      fmt::format("rank {} has given no sign of life for {:g} s", rank, time_out_s_));
}

void Ranks::start() {
  communicator_.broadcast(static_cast<int>(Beginning::started));
  has_started_ = true;
  master_ = this_host();
  for (int rank = 1; rank < communicator_.size(); ++rank) {
    wait_until(rank, [&] {
      const auto host = communicator_.receive<Host>(rank, Tag::beginning);
      if (host) hosts_.push_back(*host);
      return host.has_value();
    });
  }
}

void Ranks::dismiss(const Communicator& communicator) {
  if (!has_started_) communicator.broadcast(static_cast<int>(Beginning::dismissed));
}

void Ranks::check_memory(const std::vector<double>& bytes) const {
  struct Need {
    double needed_bytes = 0;
    double available_bytes = 0;
  };
  std::map<std::string, Need> needs;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    Need& need = needs[hosts_[i].name.data()];
    need.needed_bytes += bytes[i];
    need.available_bytes = hosts_[i].available_bytes;
  }
  for (const auto& [name, need] : needs) {
    if (need.needed_bytes <= need.available_bytes) continue;
    throw SimulationError(
        fmt::format("{}: the workers there hold {:.3g} GiB of blocks, but {:.3g} GiB of memory are "
                    "free",
                    name, need.needed_bytes / 0x1p30, need.available_bytes / 0x1p30));
  }
}

std::vector<std::string> Ranks::misplaced(const std::vector<std::string>& hosts) const {
#ifdef STARPORT_SMPI
  return {};  // hosts are simulated
#endif
  if (hosts.empty()) return {};
  std::vector<std::string> doubts;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const std::string here = hosts_[i].name.data();
    const std::string measured = i < hosts.size() ? hosts[i] : "no host";
    if (here == measured) continue;
    doubts.push_back(
        fmt::format("worker {} was measured on {}, and rank {} is on {} (mpirun --host {},{})",
                    i + 1, measured, i + 1, here, master_.name.data(), fmt::join(hosts, ",")));
  }
  return doubts;
}

namespace {

/// Of one machine.
struct MachineUse {
  int busy = 0;       ///< threads that compute, and the master's
  int computing = 0;  ///< without the master's
  int threads = 0;    ///< and those that communicate meanwhile
  bool alike = true;  ///< all ranks may use the same cores, and compute with one thread
  cpu_set_t cores{};
  double quota_cores = 0;
  double load = 0;
  int taken = 0;  ///< cores, by threads that compute

  void add_master(const Host& host, bool beside) {
    busy += beside ? 1 : 0;
    add(host, 1);
  }
  void add_worker(const Host& host, int computing_threads, bool beside) {
    busy += computing_threads;
    computing += computing_threads;
    alike = alike && beside && computing_threads == 1;
    add(host, computing_threads + (beside ? 1 : 0));
  }
  void add(const Host& host, int all_threads) {
    alike = alike && (threads == 0 || CPU_EQUAL(&cores, &host.cores));
    threads += all_threads;
    CPU_OR(&cores, &cores, &host.cores);
    quota_cores = host.quota_cores;
    load = host.load;
  }
  double core_count() const { return std::min<double>(CPU_COUNT(&cores), quota_cores); }
  bool has_spare() const { return threads + load <= core_count() + kToleratedLoad; }
  /// Left alone, the system has threads that communicate share now this core and now that one, with
  /// one that computes too, and what either takes is a matter of chance.
  bool shared_out() const {
    const int count = CPU_COUNT(&cores);
    return alike && quota_cores >= count && computing < count && threads > count;
  }
  /// The last ones are for those that compute.
  Cores cores_to_communicate() const {
    Cores mine{.spare = has_spare()};
    if (!shared_out()) return mine;
    int left = CPU_COUNT(&cores) - computing;
    for (int core = 0; left > 0; ++core) {
      if (!CPU_ISSET(core, &cores)) continue;
      CPU_SET(core, &mine.communicating);
      --left;
    }
    return mine;
  }
  Cores cores_of_next_worker() {
    Cores mine = cores_to_communicate();
    if (!shared_out()) return mine;
    int before = taken++;
    for (int core = CPU_SETSIZE - 1; before >= 0; --core) {
      if (CPU_ISSET(core, &cores) && before-- == 0) CPU_SET(core, &mine.computing);
    }
    return mine;
  }
};

std::string cores_text(double cores) {
  return fmt::format("{:g} core{}", cores, cores == 1 ? "" : "s");
}

/// What is wrong with the cores of a machine, and what to do; empty when nothing is.
std::string fault_of(const std::string& name, const MachineUse& use) {
  const double cores = use.core_count();
  const std::string threads = fmt::format("{}: {} threads compute or send at once", name, use.busy);
  if (use.busy > cores) {
    return fmt::format("{}, on {} (start fewer workers there, or give them more cores)", threads,
                       cores_text(cores));
  }
  if (use.busy + use.load > cores + kToleratedLoad) {
    return fmt::format("{}, beside a load of {:.1f} by others, on {} (wait until it is idle)",
                       threads, use.load, cores_text(cores));
  }
  return "";
}

}  // namespace

void refuse_doubts(const std::vector<std::string>& doubts, bool force, const char* forced) {
  for (const std::string& doubt : doubts) tell(doubt, "starport-mpi");
  if (doubts.empty() || force) return;
  throw SimulationError(
      fmt::format("no prediction would hold to 5%, so this ends here; {}", forced));
}

CoreUse Ranks::core_use(const PerWorker<WorkerSettings>& workers,
                        Communication communication) const {
#ifdef STARPORT_SMPI
  return {};  // simulated machines have what they need
#endif
  const bool beside = communication == Communication::beside;
  CoreUse use;
  std::map<std::string, MachineUse> uses;
  uses[master_.name.data()].add_master(master_, beside);
  PerWorker<bool> bound_well;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const Host& host = hosts_[i];
    const int computing = workers[static_cast<std::int64_t>(i)].threads;
    const int threads = computing + (beside ? 1 : 0);
    uses[host.name.data()].add_worker(host, computing, beside);
    bound_well.push_back(threads <= CPU_COUNT(&host.cores));
    if (host.bad_kernel.front() != 0) {
      use.faults.push_back(
          fmt::format("worker {} on {}: {}", i + 1, host.name.data(), host.bad_kernel.data()));
    }
  }
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const Host& host = hosts_[i];
    const int cores = CPU_COUNT(&host.cores);
    // Bound to fewer cores than the ranks there have together.
    if (bound_well[static_cast<std::int64_t>(i)] ||
        CPU_COUNT(&uses[host.name.data()].cores) == cores) {
      continue;
    }
    const int computing = workers[static_cast<std::int64_t>(i)].threads;
    use.faults.push_back(
        fmt::format("worker {} computes with {} thread{}{} and is bound to {} (mpirun "
                    "--bind-to none)",
                    i + 1, computing, computing == 1 ? "" : "s",
                    beside ? ", communicates with another," : "", cores_text(cores)));
  }
  for (const auto& [name, of_machine] : uses) {
    std::string fault = fault_of(name, of_machine);
    if (!fault.empty()) use.faults.push_back(std::move(fault));
  }
  use.master = uses[master_.name.data()].cores_to_communicate();
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    use.workers.push_back(uses[hosts_[i].name.data()].cores_of_next_worker());
    use.workers.back().spare &= bound_well[static_cast<std::int64_t>(i)];
  }
  return use;
}

void Ranks::finish() {
  for (int rank = 1; rank < communicator_.size(); ++rank) {
    Sending sending = communicator_.send(rank, Tag::setup, Setup{.kind = Setup::Kind::over});
    wait_until(rank, [&] { return communicator_.receive<char>(rank, Tag::beginning).has_value(); });
    wait_until(rank, [&] { return sending.complete(); });
  }
}

int Ranks::follow(const Communicator& communicator, const std::vector<std::string>& arguments) {
  if (communicator.broadcast(0) == static_cast<int>(Beginning::dismissed)) return 0;
  const Host host = this_host();
  Sending telling = communicator.send(0, Tag::beginning, host);
  for (Patience patience; !telling.complete();) patience.pause();
  double time_out_s = 60;
  try {
    for (Patience patience;; patience.pause()) {
      const auto setup = communicator.receive<Setup>(0, Tag::setup);
      if (!setup) continue;
      if (setup->kind == Setup::Kind::over) {
        const char word{};
        Sending answer = communicator.send(0, Tag::beginning, word);
        for (patience = Patience(); !answer.complete();) patience.pause();
        return 0;
      }
      if (setup->time_out_s > 0) time_out_s = setup->time_out_s;
      take_part(communicator, *setup, arguments);
      patience = Patience();
    }
  } catch (const std::exception& error) {
    Teller::tell_failure(communicator, error.what());
    // Rank 0 tells why, and ends all; should it not be there to do so, this rank does.
    sleep_until(clock_s() + time_out_s);
    tell(fmt::format("worker {}: {}", communicator.rank(), error.what()), "starport-mpi");
    Communicator::abort(kFailedSimulation);
  }
}

}  // namespace starport::mpi
