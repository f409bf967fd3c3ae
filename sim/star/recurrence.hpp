// The recurrence of the model: dates of a message from those of the messages before it (README,
// "What is modelled").
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/star/master_view.hpp"
#include "sim/star/schedule.hpp"

#include <algorithm>
#include <cstdint>

namespace starport {

/// Returns the simulated date in seconds at which the worker's n-th update of C (n from 1) starts
/// if the blocks for it arrive at `arrival_s` seconds: then, or at the end of update n - 1 (none
/// for n = 1) if that is later. kUnknown (infinity) if update n - 1 has not been allowed, was lost,
/// or ends at a date not known yet. `worker` is an index from 0, which must exist (not checked:
/// undefined behaviour).
inline double update_start_s(const MasterView& master, int worker, std::int64_t n,
                             double arrival_s) {
  return std::max(arrival_s, master.ready_after_update_s(worker, n - 1));
}

/// The recurrence of the model without noise: computes the dates of a message (a transfer and the
/// update that it allows) from those recorded in a MasterView. A transfer takes the latency of the
/// worker's link plus, per block, c_s seconds of its Worker; an update takes, per block update, w_s
/// seconds (more exactly, w_s times update_cost(), schedule.hpp). Dates are in simulated seconds
/// from the start of the run. Has no state; clocks (port_clock.hpp) take it or NoisyRecurrence as a
/// template argument.
class NominalRecurrence {
 public:
  /// Computes and returns the dates of a transfer that starts at `start_s` simulated seconds and of
  /// the update that it allows, records both in `master`, and sets the current date of `master` to
  /// the end of the transfer. If `start_s` is kUnknown, all dates are. Call it once per message, in
  /// the order in which they were decided. The worker must exist (not checked: undefined
  /// behaviour).
  static Dates advance(MasterView& master, const Message& message, double start_s) {
    const Worker& worker = master.worker(message.worker);
    return record(master, message, start_s, start_s + worker.transfer_time_s(message.blocks));
  }

  /// Computes and returns the dates of a transfer that takes place from `start_s` to `end_s`
  /// simulated seconds and of the update that it allows, records both in `master`, and sets the
  /// current date of `master` to `end_s`. Call it once per message, in the order in which they were
  /// decided. The worker must exist (not checked: undefined behaviour).
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

  /// Stores in `dates` when, in simulated seconds, the n-th update of C (n from 1) by `worker`
  /// (index from 0), which `message` allows, starts (at dates.end_s, when its data arrive, or at
  /// the end of update n - 1 if that is later) and ends (after its duration without noise). Both
  /// are kUnknown (infinity) if the end of update n - 1 is not known. Changes nothing else. The
  /// worker must exist (not checked: undefined behaviour).
  static void date_update(const MasterView& master, const Message& message, int worker,
                          std::int64_t n, Dates& dates) {
    const Worker& figures = master.worker(worker);
    dates.update_start_s = update_start_s(master, worker, n, dates.end_s);
    dates.update_end_s =
        dates.update_start_s + update_cost(message, master.problem(), figures) * figures.w_s;
  }

  /// Does nothing, since without noise no worker stops. Clocks of one port call it before each
  /// decision, as they do with NoisyRecurrence.
  static void observe_stops(MasterView& /*master*/) {}
  /// Returns kUnknown (infinity), since without noise no worker stops.
  static double next_stop_s(const MasterView& /*master*/) { return kUnknown; }
};

/// The recurrence of the model under noise: computes the dates of a message (a transfer and the
/// update that it allows) from those recorded in a MasterView. Durations follow the random factors
/// and the slow-downs of the noise; transfers and updates that a stop of their worker interrupts or
/// prevents are lost (Fate). Counts the transfers of each worker: pass every message once, in the
/// order of decisions, to the same object. One object per run, in a clock (port_clock.hpp). The
/// noise must outlive it.
class NoisyRecurrence {
 public:
  /// Keeps a pointer to `noise`, made for the platform of the run, which must outlive this object.
  /// A temporary is accepted and dangles.
  explicit NoisyRecurrence(const DrawnNoise& noise) : noise_(&noise) {}

  /// Computes and returns the dates of a transfer that starts at `start_s` simulated seconds, or at
  /// the stop of its worker if that is earlier, and of the update that it allows, records both in
  /// `master`, and sets the current date of `master` to the end of the transfer. What a stop of the
  /// worker interrupts or prevents is lost and ends at the stop (Dates::fate); `master` has
  /// kUnknown as the end of a lost update. The duration has the random factor of the worker's next
  /// transfer, so call this once per message, in the order of decisions. The worker must exist (not
  /// checked: undefined behaviour).
  Dates advance(MasterView& master, const Message& message, double start_s);
  /// Computes and returns the dates of a completed transfer from `start_s` to `end_s` simulated
  /// seconds and of the update that it allows, records both in `master`, and sets the current date
  /// of `master` to `end_s`. An update that a stop of the worker interrupts or prevents gets
  /// Fate::update_lost and ends at the stop; `master` has kUnknown as its end. Call it once per
  /// message, in the order of decisions. Do not mix it with advance(), which would draw wrong
  /// factors, since transfers recorded here are not counted. The worker must exist (not checked:
  /// undefined behaviour).
  Dates record(MasterView& master, const Message& message, double start_s, double end_s) const;

  /// Records in `master` the stops of workers in the noise up to the date master.now_s(), or later
  /// by no more than a relative 1e-9; `master` then refers to the noise, which must outlive it.
  void observe_stops(MasterView& master) const {
    master.observe_stops(noise_->stops_until(master.now_s()));
  }
  /// Returns the simulated date in seconds of the first stop of a worker in the noise after
  /// master.now_s(), by more than a relative 1e-9; kUnknown (infinity) if there is none.
  double next_stop_s(const MasterView& master) const { return noise_->next_stop_s(master.now_s()); }

 private:
  const DrawnNoise* noise_;
  PerWorker<std::int64_t> transfers_;  ///< number so far
};

/// Records in `master` that the transfer of `message` is lost at `stop_s` simulated seconds, when
/// its worker stops for good (noise), and that the update it allows, if any, never ends (kUnknown);
/// sets the current date of `master` to `stop_s`. Returns the dates, with Fate::lost: from
/// `start_s`, which must equal `stop_s` if the transfer had not started, to `stop_s`. The worker
/// must exist (not checked: undefined behaviour).
Dates record_lost(MasterView& master, const Message& message, double start_s, double stop_s);

}  // namespace starport
