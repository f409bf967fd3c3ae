#include "sim/mpi/transport/ranks.hpp"

#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/messages.hpp"
#include "sim/mpi/transport/worker_events.hpp"
#include "sim/process/machine.hpp"
#include "sim/process/version.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace starport::mpi {
namespace {

/// Value that rank 0 broadcasts to dismiss the other ranks. To start them, it broadcasts the
/// seconds
/// (>= 0) that they may wait for an activity.
constexpr int kDismissed = -1;

/// Returns how many cores other programs keep busy.
double external_load() {
#ifdef STARPORT_SMPI
  return 0;  // simulated machines run nothing else
#endif
  // The load average of the last minute still contains programs that have just ended.
  constexpr double sample_s = 0.1;
  const double average = load_average();
  return average > kToleratedLoad ? std::min(average, measure_busy_cores(sample_s)) : average;
}

Host describe_this_host() {
  Host host{.available_memory_bytes = available_memory_bytes(),
            .quota_cores = core_quota().value_or(std::numeric_limits<double>::infinity()),
            .load = external_load()};
  ::sched_getaffinity(0, sizeof host.cores, &host.cores);
  std::strncpy(host.name.data(), host_name().c_str(), host.name.size() - 1);
  std::strncpy(host.kernel_warning.data(),
               kernel_mismatch_warning(blas_core(), processor_flags()).c_str(),
               host.kernel_warning.size() - 1);
  return host;
}

/// Returns the build of this rank: messages are structures, which two builds may lay out
/// differently.
std::string build_text() {
  return fmt::format("starport {} ({}), messages of {}, {}, {} and {} bytes", kVersion, kCommit,
                     sizeof(Host), sizeof(Setup), sizeof(Order), sizeof(WorkerEvent));
}

}  // namespace

void print_problems(const std::vector<std::string>& problems) {
  for (const std::string& problem : problems) print_notice(problem, "starport-mpi");
}

void Ranks::check_rank_count(std::int64_t workers, const std::string& file) const {
  const std::int64_t needed = workers + 1;
  if (communicator_.size() == needed) return;
  throw InputError(
      "", fmt::format("{} ranks, the master and a worker each (mpirun -n {})", needed, needed),
      fmt::format("{}", communicator_.size()))
      .in_file(file);
}

template <class Condition>
void Ranks::wait_until(int rank, Condition&& condition) const {
  if (poll_until(timeout_s_, condition)) return;
  throw SimulationError(fmt::format(
      "rank {} has not responded for {:g} s. Check that its machine is running", rank, timeout_s_));
}

void Ranks::start() {
  communicator_.broadcast(
      static_cast<int>(std::min<double>(std::ceil(master_timeout_s_), INT32_MAX)));
  has_started_ = true;
  master_ = describe_this_host();
  const std::string own_build = build_text();
  for (int rank = 1; rank < communicator_.size(); ++rank) {
    std::optional<std::string> build;
    wait_until(rank, [&] {
      if (!build && !(build = communicator_.receive_text(rank))) return false;
      if (*build != own_build) {
        throw SimulationError(
            fmt::format("rank {} runs another build ({}) than rank 0 ({}). Install the same build "
                        "on every machine",
                        rank, *build, own_build));
      }
      const auto host = communicator_.receive<Host>(rank, Tag::startup);
      if (host) hosts_.push_back(*host);
      return host.has_value();
    });
  }
}

std::optional<double> Ranks::join(const Communicator& communicator, double preparation_s) {
  std::optional<int> start;
  for (Backoff backoff; !(start = communicator.receive_broadcast()); backoff.pause()) {
    check_master_alive(backoff, preparation_s);
  }
  const int master_timeout_s = *start;
  if (master_timeout_s == kDismissed) return std::nullopt;
  const std::string build = build_text();
  PendingMessage greeting = communicator.send_text(kMasterRank, build);
  const Host host = describe_this_host();
  PendingMessage message = communicator.send(kMasterRank, Tag::startup, host);
  for (Backoff backoff; !greeting.is_complete() || !message.is_complete(); backoff.pause()) {
    check_master_alive(backoff, master_timeout_s);
  }
  return master_timeout_s;
}

void Ranks::dismiss(const Communicator& communicator) {
  if (!has_started_) communicator.broadcast(kDismissed);
}

void Ranks::check_memory(const std::vector<double>& bytes) const {
  struct Need {
    double needed_bytes = 0;
    double available_memory_bytes = 0;
  };
  std::map<std::string, Need> needs;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    Need& need = needs[hosts_[i].name.data()];
    need.needed_bytes += bytes[i];
    need.available_memory_bytes = hosts_[i].available_memory_bytes;
  }
  for (const auto& [host, need] : needs) {
    if (need.needed_bytes <= need.available_memory_bytes) continue;
    throw SimulationError(fmt::format(
        "{}: the workers there need {:.3g} GiB for their blocks, but only {:.3g} GiB of memory are "
        "free. Lower the memory of these workers in the platform file",
        host, need.needed_bytes / 0x1p30, need.available_memory_bytes / 0x1p30));
  }
}

std::vector<std::string> Ranks::find_misplaced_workers(
    const std::vector<std::string>& hosts) const {
#ifdef STARPORT_SMPI
  return {};  // hosts are simulated
#endif
  if (hosts.empty()) return {};
  // mpirun --host places all ranks of a host one after the other.
  std::vector<std::string> order{master_.name.data()};
  order.insert(order.end(), hosts.begin(), hosts.end());
  order.erase(std::unique(order.begin(), order.end()), order.end());
  const std::set<std::string> names(order.begin(), order.end());
  const bool is_grouped = names.size() == order.size();
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const std::string actual = hosts_[i].name.data();
    const std::string measured = i < hosts.size() ? hosts[i] : "no host";
    if (actual == measured) continue;
    problems.push_back(fmt::format(
        "worker {} was measured on {}, but rank {} runs on {}. Start the ranks with {}{},{}", i + 1,
        measured, i + 1, actual,
        is_grouped ? "mpirun --host " : "a rankfile (mpirun --rankfile) with the hosts ",
        master_.name.data(), fmt::join(hosts, ",")));
  }
  return problems;
}

void Ranks::shut_down() {
  const Setup setup{.kind = Setup::Kind::shut_down};
  for (int rank = 1; rank < communicator_.size(); ++rank) {
    PendingMessage message = communicator_.send(rank, Tag::setup, setup);
    bool is_confirmed = false;
    wait_until(rank, [&] {
      is_confirmed = is_confirmed || communicator_.receive<char>(rank, Tag::startup).has_value();
      return is_confirmed && message.is_complete();
    });
  }
}

}  // namespace starport::mpi
