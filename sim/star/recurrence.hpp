// The recurrence of the model: dates of a message from those of the messages before it (README,
// "What is modelled").
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/star/master_view.hpp"
#include "sim/star/message.hpp"

#include <algorithm>
#include <cstdint>

namespace starport {

/// Returns the start of the worker's n-th update (n from 1), whose transfer arrives at `arrival_s`:
/// max(arrival, end of the previous update).
inline double update_start_s(const MasterView& master, int worker, std::int64_t n,
                             double arrival_s) {
  return std::max(arrival_s, master.ready_after_update_s(worker, n - 1));
}

/// The recurrence without noise: a transfer of b blocks takes latency + b c_i, an update takes
/// update_cost() * w_i.
class NominalRecurrence {
 public:
  /// Dates a message whose transfer starts at `start_s`, and records it in `master`.
  static Dates advance(MasterView& master, const Message& message, double start_s) {
    const Worker& worker = master.worker(message.worker);
    return record(master, message, start_s, start_s + worker.transfer_time_s(message.blocks));
  }

  /// Dates the update of a message whose transfer takes place from `start_s` to `end_s`, and
  /// records both in `master`.
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

  /// Sets the dates of the worker's n-th update, which `message` allows, from dates.end_s.
  static void date_update(const MasterView& master, const Message& message, int worker,
                          std::int64_t n, Dates& dates) {
    const Worker& figures = master.worker(worker);
    dates.update_start_s = update_start_s(master, worker, n, dates.end_s);
    dates.update_end_s =
        dates.update_start_s + update_cost(message, master.problem(), figures) * figures.w_s;
  }

  /// Does nothing: without noise no worker stops.
  static void observe_stops(MasterView& /*master*/) {}
  static double next_stop_s(const MasterView& /*master*/) { return kUnknown; }
};

/// The recurrence under noise. Transfers and updates that a stop of their worker interrupts or
/// prevents are lost (Fate). The noise must outlive it.
class NoisyRecurrence {
 public:
  explicit NoisyRecurrence(const DrawnNoise& noise) : noise_(&noise) {}

  /// Dates a message whose transfer starts at `start_s` unless its worker stops before, and records
  /// it in `master`.
  Dates advance(MasterView& master, const Message& message, double start_s);
  /// Dates the update of a message whose transfer takes place from `start_s` to `end_s`, and
  /// records both in `master`.
  Dates record(MasterView& master, const Message& message, double start_s, double end_s) const;

  /// Passes the stops up to master.now_s() to `master`.
  void observe_stops(MasterView& master) const {
    master.observe_stops(noise_->stops_until(master.now_s()));
  }
  /// Returns the date of the first stop after master.now_s(); kUnknown if there is none.
  double next_stop_s(const MasterView& master) const { return noise_->next_stop_s(master.now_s()); }

 private:
  const DrawnNoise* noise_;
  PerWorker<std::int64_t> transfers_;  ///< number so far
};

/// Records a transfer that is lost at `stop_s`, when its worker stops, and returns its dates.
/// `start_s` equals `stop_s` if the transfer had not started.
Dates record_lost(MasterView& master, const Message& message, double start_s, double stop_s);

}  // namespace starport
