// The recurrence of the model: dates of a message from those of the messages before it (README,
// "What is modelled").
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/star/master_view.hpp"
#include "sim/star/schedule.hpp"

#include <algorithm>
#include <cstdint>

namespace starport {

/// Returns the date in seconds at which the worker's n-th update (n from 1) starts if its transfer
/// arrives at `arrival_s`: max(arrival, end of the previous update). kUnknown if the end of the
/// previous update is not known.
inline double update_start_s(const MasterView& master, int worker, std::int64_t n,
                             double arrival_s) {
  return std::max(arrival_s, master.ready_after_update_s(worker, n - 1));
}

/// The recurrence of the model without noise: a transfer of b blocks takes latency + b c_i seconds,
/// an update takes update_cost() * w_i seconds. Dates are in simulated seconds from the start of
/// the run. Has no state; clocks (port_clock.hpp) take it or NoisyRecurrence.
class NominalRecurrence {
 public:
  /// Dates a message whose transfer starts at `start_s`, records transfer and update in `master`,
  /// and sets its current date to the end of the transfer. The worker must exist (not checked).
  static Dates advance(MasterView& master, const Message& message, double start_s) {
    const Worker& worker = master.worker(message.worker);
    return record(master, message, start_s, start_s + worker.transfer_time_s(message.blocks));
  }

  /// Dates the update of a message whose transfer takes place from `start_s` to `end_s`, records
  /// both in `master`, and sets its current date to `end_s`.
  static Dates record(MasterView& master, const Message& message, double start_s, double end_s) {
    // A copy: the compiler cannot know that `master` does not alias `message`.
    const int worker = message.worker;
    master.end_transfer(worker, end_s);
    Dates dates = make_transfer_dates(start_s, end_s);
    if (message.allows_update) {
      date_update(master, message, worker, master.updates_allowed(worker) + 1, dates);
      master.allow_update(worker, dates.update_end_s);
    }
    return dates;
  }

  /// Computes the start and the end of the worker's n-th update (n from 1), which `message` allows
  /// and whose data arrive at dates.end_s, and stores both in `dates`. Changes nothing else.
  static void date_update(const MasterView& master, const Message& message, int worker,
                          std::int64_t n, Dates& dates) {
    const Worker& figures = master.worker(worker);
    dates.update_start_s = update_start_s(master, worker, n, dates.end_s);
    dates.update_end_s =
        dates.update_start_s + update_cost(message, master.problem(), figures) * figures.w_s;
  }

  /// Does nothing: without noise no worker stops.
  static void observe_stops(MasterView& /*master*/) {}
  /// Returns kUnknown: without noise no worker stops.
  static double next_stop_s(const MasterView& /*master*/) { return kUnknown; }
};

/// The recurrence of the model under noise. Durations follow the random factors and the slow-downs;
/// transfers and updates that a stop of their worker interrupts or prevents are lost (Fate). Counts
/// the transfers of each worker: date every message once, in the order of the schedule, with the
/// same object. The noise must outlive it.
class NoisyRecurrence {
 public:
  /// Refers to `noise`, which must outlive this object.
  explicit NoisyRecurrence(const DrawnNoise& noise) : noise_(&noise) {}

  /// Dates a message whose transfer starts at `start_s` simulated seconds unless its worker stops
  /// before, records it in `master`, and sets the current date of `master` to the end of the
  /// transfer. Draws the factor of the worker's next transfer. The worker must exist (not checked).
  Dates advance(MasterView& master, const Message& message, double start_s);
  /// Dates the update of a message whose completed transfer takes place from `start_s` to `end_s`
  /// simulated seconds, records both in `master`, and sets its current date to `end_s`.
  Dates record(MasterView& master, const Message& message, double start_s, double end_s) const;

  /// Passes the stops of workers up to master.now_s() to `master`, which then refers to the noise.
  void observe_stops(MasterView& master) const {
    master.observe_stops(noise_->stops_until(master.now_s()));
  }
  /// Returns the date in seconds of the first stop of a worker after master.now_s(); kUnknown if
  /// there is none.
  double next_stop_s(const MasterView& master) const { return noise_->next_stop_s(master.now_s()); }

 private:
  const DrawnNoise* noise_;
  PerWorker<std::int64_t> transfers_;  ///< number so far
};

/// Records in `master` a transfer that is lost at `stop_s` seconds, when its worker stops, sets the
/// current date of `master` to `stop_s`, and returns its dates, with Fate::lost. `start_s` equals
/// `stop_s` if the transfer had not started.
Dates record_lost(MasterView& master, const Message& message, double start_s, double stop_s);

}  // namespace starport
