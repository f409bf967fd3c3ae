#include "sim/mpi/transport/worker_events.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace starport::mpi {
namespace {

/// Returns the reason that report_failure() has sent after its event, on rank 0.
std::string failure_reason(const Communicator& communicator, int rank) {
  constexpr double timeout_s = 5;
  std::optional<std::string> text;
  poll_until(timeout_s,
             [&] { return (text = communicator.receive_text(rank, Tag::reason)).has_value(); });
  return text.value_or("it failed without reporting a reason");
}

}  // namespace

WorkerMonitor::WorkerMonitor(const Communicator& communicator, double timeout_s,
                             double time_limit_s, Handler handler, bool advises_options)
    : communicator_(communicator),
      timeout_s_(timeout_s),
      time_limit_s_(time_limit_s),
      handler_(std::move(handler)),
      advises_options_(advises_options) {
  restart();
}

void WorkerMonitor::restart() {
  origin_s_ = monotonic_time_s();
  last_event_s_.assign(static_cast<std::size_t>(communicator_.size() - 1), origin_s_);
}

bool WorkerMonitor::process_events() {
  bool received = false;
  int from = 0;
  while (const auto event = communicator_.receive<WorkerEvent>(-1, Tag::event, &from)) {
    const int worker = from - 1;
    received = true;
    last_event_s_[static_cast<std::size_t>(worker)] = monotonic_time_s();
    if (event->kind == WorkerEvent::Kind::failed) {
      throw SimulationError(
          fmt::format("worker {}: {}", from, failure_reason(communicator_, from)));
    }
    if (event->kind != WorkerEvent::Kind::alive) handler_(worker, *event);
  }
  return received;
}

void WorkerMonitor::check_alive(int worker, const char* what, double waiting_since_s) const {
  const double now_s = monotonic_time_s();
  const double last_s = last_event_s_[static_cast<std::size_t>(worker)];
  if (now_s - std::max(waiting_since_s, last_s) > timeout_s_) {
    throw SimulationError(fmt::format(
        "worker {} (rank {}) has not responded for {:g} s while the master waited for "
        "it to {}. Check that its machine is running{}",
        worker + 1, worker + 1, timeout_s_, what, advises_options_ ? ", or raise --time-out" : ""));
  }
  check_time_limit();
}

void WorkerMonitor::check_time_limit() const {
  const double now_s = monotonic_time_s();
  if (time_limit_s_ > 0 && now_s - origin_s_ > time_limit_s_) {
    throw SimulationError(
        fmt::format("timed out after {:g} s{}", time_limit_s_,
                    advises_options_ ? ". Raise --time-limit to let the run take longer" : ""));
  }
}

void WorkerMonitor::sleep_until(double date_s) {
  constexpr double interval_s = 0.1;
  for (double now_s = monotonic_time_s(); now_s < date_s; now_s = monotonic_time_s()) {
    mpi::sleep_until(std::min(date_s, now_s + interval_s));
    if (date_s - now_s <= interval_s) return;
    process_events();
    check_time_limit();
  }
}

void check_master_alive(const Backoff& backoff, double master_timeout_s) {
  if (master_timeout_s > 0 && backoff.elapsed_s() > master_timeout_s) {
    throw SimulationError(
        fmt::format("the master (rank 0) has not responded for {:g} s. Check that its machine is "
                    "running",
                    master_timeout_s));
  }
}

void EventSender::send(const WorkerEvent& event) {
  pending_.push_back(communicator_.send(kMasterRank, Tag::event, event));
  last_event_s_ = monotonic_time_s();
}

void EventSender::progress() {
  while (!pending_.empty() && pending_.front().is_complete()) pending_.pop_front();
  if (monotonic_time_s() - last_event_s_ > timeout_s_ / 4) send({.kind = WorkerEvent::Kind::alive});
}

void EventSender::sleep_until(double date_s) {
  for (double now_s = monotonic_time_s(); now_s < date_s; now_s = monotonic_time_s()) {
    progress();
    mpi::sleep_until(std::min(date_s, now_s + timeout_s_ / 4));
  }
}

void EventSender::flush() {
  const auto are_delivered = [&] {
    progress();
    return pending_.empty();
  };
  if (poll_until(timeout_s_, are_delivered)) return;
  throw SimulationError(
      fmt::format("the master (rank 0) has not received the last messages of this worker within "
                  "{:g} s",
                  timeout_s_));
}

void EventSender::report_failure(const Communicator& communicator, const std::string& why,
                                 double timeout_s) {
  const WorkerEvent event{.kind = WorkerEvent::Kind::failed};
  PendingMessage message = communicator.send(kMasterRank, Tag::event, event);
  PendingMessage reason = communicator.send_text(kMasterRank, why, Tag::reason);
  poll_until(timeout_s, [&] { return message.is_complete() && reason.is_complete(); });
}

}  // namespace starport::mpi
