#include "sim/mpi/rank_commands.hpp"

#include "sim/files/output.hpp"
#include "sim/mpi/calibration/measurements.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/ranks.hpp"
#include "sim/mpi/transport/worker_events.hpp"
#include "sim/process/exit_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace starport::mpi {
namespace {

/// Runs the activity that `setup` asks for until it ends.
void run_activity(const Communicator& communicator, const Setup& setup,
                  const std::vector<std::string>& arguments) {
  switch (setup.kind) {
    case Setup::Kind::run:
      return run_star_worker(communicator, setup);
    case Setup::Kind::distributed:
      return run_product_worker(communicator, setup);
    case Setup::Kind::measure:
      return measure_this_rank(communicator, arguments);
    case Setup::Kind::measure_speed:
      return measure_speed_of_this_rank(communicator, setup);
    case Setup::Kind::shut_down:
      break;  // run_worker_rank handles it
  }
}

}  // namespace

void end_all_ranks(const Communicator& communicator, const std::string& why, double timeout_s) {
  EventSender::report_failure(communicator, why);
  sleep_until(monotonic_time_s() + timeout_s);
  print_notice(fmt::format("worker {}: {}", communicator.rank(), why), communicator.program());
  Communicator::abort(kFailedSimulation);
}

int run_worker_rank(const Communicator& communicator, const std::vector<std::string>& arguments) {
  double timeout_s = 60;
  try {
    const std::optional<double> master_timeout_s = Ranks::join(communicator);
    if (!master_timeout_s) return kSuccess;
    if (*master_timeout_s > 0) timeout_s = std::min(timeout_s, *master_timeout_s);
    for (Backoff backoff;; backoff.pause()) {
      const auto setup = communicator.receive<Setup>(0, Tag::setup);
      if (!setup) {
        check_master_alive(backoff, *master_timeout_s);
        continue;
      }
      if (setup->kind == Setup::Kind::shut_down) {
        const char acknowledgement{};
        PendingMessage message = communicator.send(0, Tag::startup, acknowledgement);
        if (poll_until(timeout_s, [&] { return message.is_complete(); })) return kSuccess;
        throw SimulationError("the master (rank 0) has not received that this rank ends");
      }
      if (setup->timeout_s > 0) timeout_s = setup->timeout_s;
      run_activity(communicator, *setup, arguments);
      backoff = Backoff();
    }
  } catch (const std::exception& error) {
    end_all_ranks(communicator, error.what(), timeout_s);
  }
}

}  // namespace starport::mpi
