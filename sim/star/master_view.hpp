// State of a running schedule as the master knows it: time, ports, requests of the workers.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/update_end_dates.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starport {

/// Log of the workers whose dates in a MasterView (the state of a run) have changed, because a
/// transfer ended or the end of an update became known. An observer, such as a dispatcher, reads it
/// to update its own data without visiting all p workers of the platform. Written by the MasterView
/// that owns it. Changes are numbered from 0; at least the last p are kept.
class ChangeLog {
 public:
  /// Creates an empty log for a platform of `workers` workers, which keeps at least the last
  /// `workers` changes.
  explicit ChangeLog(std::size_t workers)
      : workers_(std::bit_ceil(std::max<std::size_t>(workers, 1))),
        mask_(std::ssize(workers_) - 1) {}

  /// Returns the number of changes recorded so far, overwritten ones included, which is the number
  /// of the next change (from 0).
  std::int64_t count() const { return count_; }
  /// Returns true if all changes from number `n` (from 0) on are still in the log; true for n >=
  /// count(). If not, a reader must look at all workers.
  bool covers_since(std::int64_t n) const { return count_ - n <= mask_ + 1; }
  /// Returns the worker (index from 0) whose dates changed in change `n`. Requires 0 <= n < count()
  /// and covers_since(n); otherwise the result is another worker.
  int worker(std::int64_t n) const { return workers_[slot(n)]; }
  /// Appends to the log that dates of worker `worker`, an index from 0, have changed. Overwrites
  /// the oldest change if the log is full.
  void record(int worker) { workers_[slot(count_++)] = worker; }

 private:
  std::size_t slot(std::int64_t n) const { return static_cast<std::size_t>(n & mask_); }

  std::vector<int> workers_;  ///< a ring, its size a power of 2
  std::int64_t mask_;
  std::int64_t count_ = 0;
};

/// State of a run as the master knows it, on which dispatchers (the objects of heuristics that
/// decide the transfers) base their decisions about the next transfer: date, free ports, and for
/// each worker the ends of its transfers and updates. An engine makes one per run, a clock
/// (port_clock.hpp) updates it, and dispatchers only read it. Dates are in simulated seconds (in a
/// run under MPI, real ones) from the start of the run, kUnknown (infinity) if not known; workers
/// are indices from 0, updates are numbered from 1 on each worker. A worker index out of range is
/// undefined behaviour everywhere but in has_worker(). The platform must outlive the view and not
/// change.
class MasterView {
 public:
  /// Starts at date 0 with all ports of the master free, no transfers and no updates. `platform`
  /// must outlive the view; `problem` is copied.
  MasterView(const Platform& platform, const Problem& problem)
      : platform_(&platform),
        worker_table_(platform.workers.data()),
        count_(platform.workers.size()),
        problem_(problem),
        workers_(platform.workers.size()),
        changes_(platform.workers.size()) {}

  /// Returns the platform of the run, the object given to the constructor; valid as long as that
  /// object.
  const Platform& platform() const { return *platform_; }
  /// Returns the worker with this index from 0, which must exist (not checked): its seconds per
  /// block sent and per block update, and its memory. Valid as long as the platform.
  const Worker& worker(int index) const { return worker_table_[index]; }
  /// Returns whether the platform of the run has a worker with this index (from 0); false for
  /// negative ones.
  bool has_worker(int index) const { return static_cast<std::size_t>(index) < count_; }
  /// Returns the sizes of the matrix product of the run. Valid as long as this object.
  const Problem& problem() const { return problem_; }

  /// Returns the current simulated date in seconds since the start of the run, at which the
  /// dispatcher is to decide because the master's port, or one of several, is free; 0 at the start.
  double now_s() const { return now_s_; }

  /// Returns true if a transfer in this direction would find its port of the master free at
  /// now_s(). Always true for masters with one port and multi-port ones, where the dispatcher is
  /// asked only when one is free. For two-port ones, a transfer decided while its port is busy
  /// waits for the port, and later ones in that direction wait behind it.
  bool is_port_free(Direction direction) const { return free_[at(direction)]; }
  /// Returns true if a transfer that the dispatcher decided has not ended yet; always false for a
  /// one-port master, where decisions are made between transfers.
  bool has_transfer_under_way() const { return under_way_ > 0; }

  /// Returns the number of updates (computations on blocks of C), completed or not, that the
  /// transfers decided so far for `worker`, an index from 0, allow: the largest valid
  /// Message::after_update.
  std::int64_t updates_allowed(int worker) const { return workers_[worker].updates.last(); }

  /// Returns f_n, the simulated date in seconds at which the n-th update (n from 1) of `worker`, an
  /// index from 0, ends; it may lie in the future. Returns kUnknown (infinity) if the update has
  /// not been allowed, its end is not known yet or it was lost because the worker stopped (noise),
  /// and 0 for n <= 0 or if the worker has ended a transfer at f_n or later, so that f_n delays
  /// nothing any more.
  double update_end_s(int worker, std::int64_t n) const { return workers_[worker].updates[n]; }

  /// Returns the simulated date in seconds at which the last transfer with `worker`, an index from
  /// 0, ended or was lost; 0 before its first transfer, kUnknown (infinity) while a transfer
  /// decided for it has not ended.
  double last_transfer_end_s(int worker) const { return workers_[worker].last_transfer_end_s; }

  /// Returns the earliest simulated date in seconds, maybe in the past, at which `worker`, an index
  /// from 0, could take part in a transfer that waits for its `after_update`-th update (from 1; 0:
  /// none): the end of its last transfer or of that update, whichever is later. kUnknown (infinity)
  /// if a transfer with the worker has not ended, or the update has not been allowed, was lost, or
  /// ends at a date not known yet.
  double request_date_s(int worker, std::int64_t after_update) const {
    return std::max(last_transfer_end_s(worker), ready_after_update_s(worker, after_update));
  }
  /// Returns the earliest simulated date in seconds at which an activity that waits for the n-th
  /// update (n from 1) of `worker`, an index from 0, may start: f_n, the end of the update, or some
  /// past date if f_n delays nothing any more or n <= 0; kUnknown (infinity) if f_n is not known
  /// yet, the update was lost, or it has not been allowed.
  double ready_after_update_s(int worker, std::int64_t n) const {
    return workers_[worker].updates.end_or_earlier_s(n);
  }

  /// Returns the simulated date in seconds at which the transfer of `message` would start if it got
  /// its port of the master now and its worker were in no other transfer: now_s(), or the later end
  /// of the update that it waits for. kUnknown (infinity) if that end is not known yet, or the
  /// update has not been allowed or is lost (noise).
  double earliest_start_s(const Message& message) const {
    return std::max(now_s_, ready_after_update_s(message.worker, message.after_update));
  }

  /// Returns the earliest known simulated date in seconds after now_s() at which an update of any
  /// worker ends; kUnknown (infinity) if none is known. O(p) for p workers.
  double next_update_end_s() const {
    double next = kUnknown;
    for (const WorkerDates& worker : workers_) {
      next = std::min(next, worker.updates.first_after(now_s_));
    }
    return next;
  }

  /// Returns the log of the workers whose dates have changed: it has one or two entries for each
  /// transfer (when its end or loss becomes known, and when its worker is free again) and one for
  /// each corrected end of an update. The reference is valid as long as this object.
  const ChangeLog& changes() const { return changes_; }

  /// Returns the permanent stops of workers (noise) up to the current date now_s(), by ascending
  /// date; empty without noise. The span is valid as long as the noise of the run; a later call
  /// returns the same stops and more.
  std::span<const Stop> stops() const { return stops_; }
  /// Returns whether `worker`, an index from 0, has stopped for good (noise) at now_s() or before.
  /// O(n) for n stops.
  bool has_stopped(int worker) const {
    return !stops_.empty() && std::any_of(stops_.begin(), stops_.end(), [worker](const Stop& stop) {
      return stop.worker == worker;
    });
  }
  /// Returns true if `worker`, an index from 0, stopped for good (noise) during its last transfer,
  /// or after that transfer was decided and before it started. False without noise. O(n) for n lost
  /// transfers.
  bool has_lost_last_transfer(int worker) const {
    return std::find(lost_.begin(), lost_.end(), worker) != lost_.end();
  }

  // The functions below are for the clock.

  /// For the clock (the object that dates the run) only: sets the current date to `now_s` simulated
  /// seconds, which may be earlier than the date before.
  void observe_time(double now_s) { now_s_ = now_s; }
  /// For the clock (the object that dates the run) of a two-port master only: sets which of the
  /// master's two ports are free at the current date: for sends (index 0) and for receptions (1).
  void observe_ports(std::array<bool, 2> free) { free_ = free; }
  /// For the clock (the object that dates the run) only: sets the stops of workers (noise) up to
  /// the current date, by ascending date. They are not copied: they must outlive this object or be
  /// valid until the next call.
  void observe_stops(std::span<const Stop> stops) { stops_ = stops; }

  /// For the clock (the object that dates the run) only: records that a transfer with `worker`, an
  /// index from 0, ends at `end_s` simulated seconds, no earlier than its last one (not checked),
  /// and sets the current date to `end_s`. Also forgets the ends of the worker's updates at that
  /// date or before (update_end_s() returns 0 for them), unless the master is two-port: its clock
  /// calls forget_updates() once the date is reached.
  void end_transfer(int worker, double end_s) {
    WorkerDates& dates = workers_[worker];
    now_s_ = end_s;
    dates.last_transfer_end_s = end_s;
    changes_.record(worker);
    if (platform_->port.kind != Port::Kind::two) dates.updates.discard_until(end_s);
  }
  /// For the clock (the object that dates the run) of a two-port master only: forgets the dates of
  /// the updates of `worker`, an index from 0, that end at `end_s` simulated seconds or before,
  /// since a transfer with the worker has ended then; update_end_s() returns 0 for them.
  void forget_updates(int worker, double end_s) { workers_[worker].updates.discard_until(end_s); }
  /// For the clock (the object that dates the run) only: records that a transfer with `worker`, an
  /// index from 0, is lost at `stop_s` simulated seconds, when the worker stops for good (noise),
  /// and sets the current date to `stop_s`.
  void lose_transfer(int worker, double stop_s) {
    now_s_ = stop_s;
    workers_[worker].last_transfer_end_s = stop_s;
    lost_.push_back(worker);
    changes_.record(worker);
  }
  /// For the clock (the object that dates the run) only: records that a transfer allows `worker`,
  /// an index from 0, one more update of C, which ends at `end_s` simulated seconds, no earlier
  /// than its previous one (not checked); kUnknown if the end is not known yet or the update is
  /// lost.
  void allow_update(int worker, double end_s) { workers_[worker].updates.append(end_s); }
  /// For the clock (the object that dates the run) only: replaces the recorded end of the n-th
  /// update of `worker` (index from 0) by `end_s` simulated seconds, or kUnknown. Requires 1 <= n
  /// <= updates_allowed() and ends that still do not decrease from one update to the next (not
  /// checked: wrong dates). An end that is forgotten, since a transfer of the worker ended at or
  /// after it, stays forgotten.
  void correct_update_end(int worker, std::int64_t n, double end_s) {
    workers_[worker].updates.correct(n, end_s);
    changes_.record(worker);
  }

  /// For the clock (the object that dates the run) of a master with several ports only: records
  /// that a transfer with `worker`, an index from 0, has been decided and has not ended. Until
  /// finish_transfer() has been called for each such transfer, has_transfer_under_way() is true and
  /// last_transfer_end_s() kUnknown (infinity).
  void begin_transfer(int worker) {
    ++under_way_;
    workers_[worker].last_transfer_end_s = kUnknown;
  }
  /// For the clock (the object that dates the run) of a master with several ports only: records the
  /// end of a transfer with `worker`, an index from 0, that begin_transfer() recorded; call it once
  /// for each. `end_s`, which last_transfer_end_s() then returns, is the date of that end in
  /// simulated seconds, or kUnknown (infinity) if another transfer decided for the worker has not
  /// ended.
  void finish_transfer(int worker, double end_s) {
    --under_way_;
    workers_[worker].last_transfer_end_s = end_s;
    if (end_s != kUnknown) changes_.record(worker);
  }

 private:
  struct alignas(64) WorkerDates {  // a cache line
    double last_transfer_end_s = 0;
    UpdateEndDates updates;  ///< discarded up to the last end of a transfer that is over
  };

  static std::size_t at(Direction direction) { return static_cast<std::size_t>(direction); }

  const Platform* platform_;
  const Worker* worker_table_;  ///< of platform_, with its size: saves two loads per message
  std::size_t count_;
  Problem problem_;
  double now_s_ = 0;
  std::array<bool, 2> free_{true, true};  ///< by direction
  std::int64_t under_way_ = 0;
  PerWorker<WorkerDates> workers_;
  ChangeLog changes_;
  std::span<const Stop> stops_;
  std::vector<int> lost_;  ///< workers whose last transfer was lost
};

}  // namespace starport
