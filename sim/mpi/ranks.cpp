#include "sim/mpi/ranks.hpp"

#include "sim/cli/command.hpp"
#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/mpi/clock.hpp"
#include "sim/mpi/messages.hpp"
#include "sim/mpi/rank_commands.hpp"
#include "sim/mpi/speed_calibration.hpp"
#include "sim/mpi/spmd/product_node.hpp"
#include "sim/mpi/worker.hpp"
#include "sim/process/machine.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>

namespace starport::mpi {
namespace {

enum class Beginning : int { dismissed, started };

bool has_started = false;  ///< on rank 0

Host this_host() {
  Host host{.available_bytes = available_bytes()};
  ::sched_getaffinity(0, sizeof host.cores, &host.cores);
  std::strncpy(host.name.data(), host_name().c_str(), host.name.size() - 1);
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

bool Ranks::started() { return has_started; }

template <class Condition>
void Ranks::wait_until(int rank, Condition&& condition) const {
  if (holds_within(time_out_s_, condition)) return;
  throw SimulationError(
      fmt::format("rank {} has given no sign of life for {:g} s", rank, time_out_s_));
}

void Ranks::start() {
  communicator_.broadcast(static_cast<int>(Beginning::started));
  has_started = true;
  for (int rank = 1; rank < communicator_.size(); ++rank) {
    wait_until(rank, [&] {
      const auto host = communicator_.receive<Host>(rank, Tag::beginning);
      if (host) hosts_.push_back(*host);
      return host.has_value();
    });
  }
}

void Ranks::dismiss(const Communicator& communicator) {
  if (!has_started) communicator.broadcast(static_cast<int>(Beginning::dismissed));
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

void Ranks::check_cores(const PerWorker<WorkerSettings>& workers) const {
  struct Use {
    int threads = 0;
    cpu_set_t cores{};
  };
  std::map<std::string, Use> uses;
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const int threads = workers[static_cast<std::int64_t>(i)].threads;
    const int cores = CPU_COUNT(&hosts_[i].cores);
    if (threads > cores) {
      tell(fmt::format("worker {} has {} threads and is bound to {} core{} (mpirun --bind-to none)",
                       i + 1, threads, cores, cores == 1 ? "" : "s"),
           "starport-mpi");
    }
    Use& use = uses[hosts_[i].name.data()];
    use.threads += threads;
    CPU_OR(&use.cores, &use.cores, &hosts_[i].cores);
  }
  for (const auto& [name, use] : uses) {
    const int cores = CPU_COUNT(&use.cores);
    if (use.threads <= cores) continue;
    tell(fmt::format("{}: the workers there have {} threads for {} cores, which they share", name,
                     use.threads, cores),
         "starport-mpi");
  }
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
