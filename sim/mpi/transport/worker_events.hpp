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

/// Receiver, on rank 0, of the events (reports) of all workers. Its functions throw SimulationError
/// when a worker reports a failure, when a report is damaged, when a worker that is waited for
/// sends nothing for the timeout (seconds) of the constructor, and when the time limit has passed.
/// Receives only while one of its functions is called, which must be in the thread that initialised
/// MPI. Worker i, from 0, is rank i + 1.
class WorkerMonitor {
 public:
  /// Callback for each event (report of a worker) other than `alive` and `failed`, in the order of
  /// arrival; `worker` counts from 0, `event` is valid during the call. It runs in the thread that
  /// processes or waits for events; its exceptions are passed on. What it refers to must outlive
  /// the monitor.
  using Handler = std::function<void(int worker, const WorkerEvent& event)>;
  /// Starts to monitor the workers: the time limit and the timeouts count from now. `timeout_s`:
  /// seconds for which a worker that is waited for may send nothing. `time_limit_s`: wall-clock
  /// seconds from here or the last restart() that the run may take; 0: no limit. `handler` must not
  /// be empty. `advises_options`: errors advise to raise --time-out or --time-limit. The
  /// communicator must outlive the monitor.
  WorkerMonitor(const Communicator& communicator, double timeout_s, double time_limit_s,
                Handler handler, bool advises_options = false);

  /// Restarts the time limit of the run and the timeouts of all workers from now, e.g. at the start
  /// of another run.
  void restart();
  /// Handles all events (reports of workers) that have arrived, without waiting: passes them,
  /// except `alive` and `failed`, to the handler. Returns true if there were any. Throws
  /// SimulationError if a report is damaged, and if a worker reports a failure, with its reason,
  /// for which this function waits up to 5 s. Exceptions of the handler pass through. Checks no
  /// timeouts and no time limit.
  bool process_events();
  /// Blocks until monotonic_time_s() reaches `date_s` (seconds); returns at once if it already has.
  /// Sleeps for at most a tenth of a second at a time, and handles events and checks the time limit
  /// of the constructor between these sleeps, so that a wait of up to 0.1 s does neither. Throws
  /// SimulationError if any worker reports a failure or its report is damaged, or if the time limit
  /// has passed; a silent worker is not noticed.
  void sleep_until(double date_s);
  /// Blocks and handles events until `condition()` returns true; it is called at least once, and
  /// its exceptions pass through. `worker`, from 0, is the one waited for; `what` names what it has
  /// to do, such as "send blocks of C", for the error. `polling` is how often messages are looked
  /// for (see Polling). Throws SimulationError if any worker fails or its report is damaged, if
  /// `worker` sends nothing for the timeout, counted from its last event or the start of this wait,
  /// whichever is later, or if the time limit of the run has passed. Timeout and time limit are
  /// those of the constructor.
  template <class Condition>
  void wait_until(int worker, const char* what, Condition&& condition,
                  Polling polling = Polling::relaxed) {
    wait(condition, polling, [&](double since_s) { check_alive(worker, what, since_s); });
  }
  /// Blocks and handles events until `condition()` returns true; it is called at least once, and
  /// its exceptions pass through. `what` names what the workers have to do, such as "finish", for
  /// the error. Throws SimulationError if any worker fails, its report is damaged, or it sends
  /// nothing for the timeout, counted from its last event or the start of this wait, whichever is
  /// later, or if the time limit of the run has passed. Timeout and time limit are those of the
  /// constructor. Workers that have already done it must go on sending events, e.g. `alive`.
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
  void check_time_limit() const;

  const Communicator& communicator_;
  double timeout_s_;
  double time_limit_s_;
  Handler handler_;
  bool advises_options_;
  double origin_s_ = 0;
  std::vector<double> last_event_s_;  ///< date of the last event, by worker
};

/// Throws SimulationError if a worker that waits for rank 0 with `backoff` has waited longer than
/// `master_timeout_s` seconds; 0: never. Call it after each unsuccessful poll.
void check_master_alive(const Backoff& backoff, double master_timeout_s);

/// Sender, on a worker, of its events (reports) to rank 0, without waiting for their delivery, and
/// of signs of life if there are no other events. Use it in the thread that initialised MPI. Call
/// flush() before it is destroyed: the destructor does not wait for events that are still being
/// sent, and MPI would then read freed memory.
class EventSender {
 public:
  /// Sends nothing yet. `timeout_s`, in seconds and greater than 0 (not checked), is the timeout of
  /// rank 0 for this worker: progress() sends `alive` if no event was sent during the last quarter
  /// of it. The communicator must outlive the sender.
  EventSender(const Communicator& communicator, double timeout_s)
      : communicator_(communicator), timeout_s_(timeout_s) {}

  /// Starts sending a copy of `event` to rank 0, without waiting; the sender keeps it until it is
  /// delivered.
  void send(const WorkerEvent& event);
  /// Releases the events (reports to rank 0) that were delivered, and sends the sign of life
  /// `alive` if it is due. Does not wait. Call it regularly while waiting, at least once per
  /// quarter of the timeout, or rank 0 gives this worker up.
  void progress();
  /// Blocks until monotonic_time_s() reaches `date_s` (seconds), and sends signs of life meanwhile;
  /// returns at once if it already has.
  void sleep_until(double date_s);
  /// Blocks until all events (reports of this worker to rank 0) are delivered. Throws
  /// SimulationError if that takes longer than `timeout_s` seconds, the timeout of the constructor.
  void flush();

  /// Reports to rank 0 that this worker has failed, with the reason `why`; rank 0 then throws
  /// SimulationError with this reason. Blocks until the report is delivered, at most `timeout_s`
  /// seconds, and gives up without an error if rank 0 does not receive it: end the program then,
  /// since MPI may still read the freed message.
  static void report_failure(const Communicator& communicator, const std::string& why,
                             double timeout_s = 30);

 private:
  const Communicator& communicator_;
  double timeout_s_;
  std::deque<PendingMessage> pending_;  ///< not yet known to be delivered
  double last_event_s_ = 0;
};

}  // namespace starport::mpi
