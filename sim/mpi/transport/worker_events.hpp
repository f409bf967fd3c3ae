// Events that the workers report to rank 0, and timeouts on both sides.
#pragma once

#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/messages.hpp"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace starport::mpi {

/// Receives the events of all workers on rank 0, and ends the run when a worker fails or stops
/// responding. Worker i is rank i + 1.
class WorkerMonitor {
 public:
  /// Called for each event other than `alive` and `failed`; `worker` counts from 0.
  using Handler = std::function<void(int worker, const WorkerEvent& event)>;
  /// `timeout_s`: how long a worker that is waited for may send nothing. `time_limit_s`: how long
  /// the run may take; 0: no limit. The communicator must outlive the monitor.
  WorkerMonitor(const Communicator& communicator, double timeout_s, double time_limit_s,
                Handler handler);

  /// Restarts the time limit and the timeouts.
  void restart();
  /// Handles all events that have arrived; returns true if there were any. Throws SimulationError
  /// if a worker reports a failure.
  bool process_events();
  /// Handles events until `condition` returns true. `what` names what `worker` has to do, for the
  /// message. Throws SimulationError if a worker fails, if `worker` sends nothing for the timeout,
  /// or if the time limit has passed.
  template <class Condition>
  void wait_until(int worker, const char* what, Condition&& condition,
                  Polling polling = Polling::relaxed) {
    wait(condition, polling, [&](double since_s) { check_alive(worker, what, since_s); });
  }
  /// Handles events until `condition` returns true, as wait_until(), but throws SimulationError if
  /// any worker sends nothing for the timeout.
  template <class Condition>
  void wait_for_all(const char* what, Condition&& condition) {
    wait(condition, Polling::relaxed, [&](double since_s) {
      for (std::size_t i = 0; i < last_event_s_.size(); ++i) {
        check_alive(static_cast<int>(i), what, since_s);
      }
    });
  }

 private:
  template <class Condition, class Check>
  void wait(Condition& condition, Polling polling, Check&& check) {
    const double since_s = monotonic_time_s();
    Backoff backoff(polling);
    while (true) {
      if (process_events()) backoff = Backoff(polling);
      if (condition()) return;
      check(since_s);
      backoff.pause();
    }
  }
  void check_alive(int worker, const char* what, double waiting_since_s) const;

  const Communicator& communicator_;
  double timeout_s_;
  double time_limit_s_;
  Handler handler_;
  double origin_s_ = 0;
  std::vector<double> last_event_s_;  ///< date of the last event, by worker
};

/// On a worker that waits for rank 0 with `backoff`. Throws SimulationError if it has waited longer
/// than setup.master_timeout_s.
void check_master_alive(const Backoff& backoff, const Setup& setup);

/// Sends the events of a worker to rank 0 without waiting for their delivery.
class EventSender {
 public:
  /// `timeout_s` is that of rank 0: the sender sends `alive` when a quarter of it has passed
  /// without another event. The communicator must outlive the sender.
  EventSender(const Communicator& communicator, double timeout_s)
      : communicator_(communicator), timeout_s_(timeout_s) {}

  /// Starts sending an event.
  void send(const WorkerEvent& event);
  /// Releases delivered events, and sends `alive` if it is due. Call it regularly while waiting.
  void progress();
  /// Waits until all events are delivered. Throws SimulationError if that takes longer than the
  /// timeout.
  void flush();

  /// Reports to rank 0 that this worker fails, and why. Waits until the report is delivered.
  static void report_failure(const Communicator& communicator, const std::string& why);

 private:
  struct PendingEvent {
    PendingEvent(const Communicator& communicator, const WorkerEvent& event);
    WorkerEvent event;
    PendingMessage message;
  };

  const Communicator& communicator_;
  double timeout_s_;
  std::deque<PendingEvent> pending_;  ///< not yet known to be delivered; addresses must not change
  double last_event_s_ = 0;
};

}  // namespace starport::mpi
