// The recurrence of the dates: those that the model gives to a message (README, "What is
// modelled").
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/star/master_view.hpp"
#include "sim/star/message.hpp"

#include <algorithm>
#include <cstdint>

namespace starport {

/// When an update starts that arrives at `arrival_s`: once the worker's previous one has ended.
inline double update_start_s(const MasterView& master, int worker, std::int64_t n,
                             double arrival_s) {
  return std::max(arrival_s, master.ready_after_update_s(worker, n - 1));
}

/// Without noise: b blocks take b c_i, an update takes w_i times what it costs.
class NominalRecurrence {
 public:
  /// The next message has gone through the port, from start_s on.
  static Dates advance(MasterView& master, const Message& message, double start_s) {
    const Worker& worker = master.worker(message.worker);
    return record(master, message, start_s, start_s + worker.transfer_time_s(message.blocks));
  }

  /// The same of one whose own dates are known: the update that it allows follows.
  static Dates record(MasterView& master, const Message& message, double start_s, double end_s) {
    // For all that the compiler knows, the master's notes change the message.
    const int worker = message.worker;
    master.end_transfer(worker, end_s);
    Dates dates = make_transfer_dates(start_s, end_s);
    if (message.allows_update) {
      date_update(master, message, worker, master.updates_allowed(worker) + 1, dates);
      master.allow_update(worker, dates.update_end_s);
    }
    return dates;
  }

  /// The worker's n-th update, which the message allows.
  static void date_update(const MasterView& master, const Message& message, int worker,
                          std::int64_t n, Dates& dates) {
    const Worker& figures = master.worker(worker);
    dates.update_start_s = update_start_s(master, worker, n, dates.end_s);
    dates.update_end_s =
        dates.update_start_s + update_cost(message, master.problem(), figures) * figures.w_s;
  }

  // No worker stops.
  static void observe_stops(MasterView& /*master*/) {}
  static double next_stop_s(const MasterView& /*master*/) { return kUnknown; }
};

/// As NominalRecurrence; what the stop of a worker prevents is lost. The noise must outlive it.
class NoisyRecurrence {
 public:
  explicit NoisyRecurrence(const DrawnNoise& noise) : noise_(&noise) {}

  Dates advance(MasterView& master, const Message& message, double start_s);
  Dates record(MasterView& master, const Message& message, double start_s, double end_s) const;

  void observe_stops(MasterView& master) const {
    master.observe_stops(noise_->stopped_by(master.now_s()));
  }
  double next_stop_s(const MasterView& master) const { return noise_->next_stop_s(master.now_s()); }

 private:
  const DrawnNoise* noise_;
  PerWorker<std::int64_t> transfers_;  ///< so far
};

/// A transfer that a stop of its worker cuts off; start_s may be the date of the stop.
Dates record_lost(MasterView& master, const Message& message, double start_s, double stop_s);

}  // namespace starport
