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

/// Log of the workers whose dates in a MasterView changed (a transfer ended, the end of an update
/// became known), so that an observer of p workers, such as a dispatcher, can update its own data
/// without visiting all of them. Written by the MasterView that owns it. Changes are numbered from
/// 0; the last p at least are retained.
class ChangeLog {
 public:
  /// Creates an empty log for a platform of `workers` workers.
  explicit ChangeLog(std::size_t workers)
      : workers_(std::bit_ceil(std::max<std::size_t>(workers, 1))),
        mask_(std::ssize(workers_) - 1) {}

  /// Returns the number of changes so far, which is the number of the next change.
  std::int64_t count() const { return count_; }
  /// Returns true if all changes from number `n` (from 0) on are still retained; true for n >=
  /// count(). If not, an observer must visit all workers.
  bool covers_since(std::int64_t n) const { return count_ - n <= mask_ + 1; }
  /// Returns the worker (index from 0) of change `n`. Requires 0 <= n < count() and
  /// covers_since(n); otherwise the result is another worker.
  int worker(std::int64_t n) const { return workers_[slot(n)]; }
  /// Appends a change of the dates of worker `worker`, an index from 0. Overwrites the oldest
  /// change if the log is full.
  void record(int worker) { workers_[slot(count_++)] = worker; }

 private:
  std::size_t slot(std::int64_t n) const { return static_cast<std::size_t>(n & mask_); }

  std::vector<int> workers_;  ///< a ring, its size a power of 2
  std::int64_t mask_;
  std::int64_t count_ = 0;
};

/// State of the master during a run on which dispatchers base their decisions: date, free ports,
/// and for each worker the ends of its transfers and updates. An engine makes one per run, a clock
/// (port_clock.hpp) updates it, and dispatchers only read it. Dates are in simulated seconds from
/// the start of the run, workers are indices from 0, updates are numbered from 1 on each worker. A
/// worker index out of range is undefined behaviour everywhere but in has_worker(). The platform
/// must outlive the view and not change.
class MasterView {
 public:
  /// Starts at date 0 with all ports free and no update. `platform` must outlive the view;
  /// `problem` is copied.
  MasterView(const Platform& platform, const Problem& problem)
      : platform_(&platform),
        worker_table_(platform.workers.data()),
        count_(platform.workers.size()),
        problem_(problem),
        workers_(platform.workers.size()),
        changes_(platform.workers.size()) {}

  /// Returns the platform of the run, the object given to the constructor.
  const Platform& platform() const { return *platform_; }
  /// Returns the figures (c_i, w_i, m_i) of the worker with this index, which must exist (not
  /// checked).
  const Worker& worker(int index) const { return worker_table_[index]; }
  /// Returns whether the platform has a worker with this index; false for negative ones.
  bool has_worker(int index) const { return static_cast<std::size_t>(index) < count_; }
  /// Returns the matrix product of the run. Valid as long as the view.
  const Problem& problem() const { return problem_; }

  /// Returns the simulated date in seconds of the current decision, at which the port, or one of
  /// several, is free; 0 at the start.
  double now_s() const { return now_s_; }

  /// Returns true if a transfer in this direction would find its port free at now_s(). Always true
  /// on one port and on many ports, where the dispatcher is asked only when one is free. On two
  /// ports, a transfer decided while its port is busy waits for the port, and later ones in that
  /// direction wait behind it.
  bool is_port_free(Direction direction) const { return free_[at(direction)]; }
  /// Returns true if a transfer that has been decided has not ended yet; always false on one port,
  /// where decisions are made between transfers.
  bool has_transfer_under_way() const { return under_way_ > 0; }

  /// Returns the number of updates that transfers to `worker` have allowed so far, completed or
  /// not: the largest valid Message::after_update.
  std::int64_t updates_allowed(int worker) const { return workers_[worker].updates.last(); }

  /// Returns f_n, the date in seconds at which the worker's n-th update (n from 1) ends, which may
  /// lie in the future. Returns kUnknown if the update has not been allowed, its end is not known
  /// yet or it was lost (noise), and 0 for n <= 0 or if the worker has ended a transfer at f_n or
  /// later, so that f_n delays nothing any more.
  double update_end_s(int worker, std::int64_t n) const { return workers_[worker].updates[n]; }

  /// Returns the date in seconds at which the worker's last transfer ended or was lost, when it
  /// posted its next request; 0 before its first transfer, kUnknown while a transfer decided for it
  /// has not ended.
  double last_transfer_end_s(int worker) const { return workers_[worker].last_transfer_end_s; }

  /// Returns the date in seconds of the worker's request: the earliest date, maybe in the past, at
  /// which it could take part in a transfer that waits for its `after_update`-th update (from 1; 0:
  /// none). kUnknown if that date is not known yet, the update has not been allowed, or a transfer
  /// with the worker has not ended.
  double request_date_s(int worker, std::int64_t after_update) const {
    return std::max(last_transfer_end_s(worker), ready_after_update_s(worker, after_update));
  }
  /// Returns the earliest date in seconds at which an activity that waits for the worker's n-th
  /// update (n from 1) may start: f_n, the end of the update, or some past date if f_n delays
  /// nothing any more or n <= 0; kUnknown if f_n is not known yet or the update has not been
  /// allowed.
  double ready_after_update_s(int worker, std::int64_t n) const {
    return workers_[worker].updates.end_or_earlier_s(n);
  }

  /// Returns the date in seconds at which `message` would start if it got its port now and its
  /// worker were in no other transfer: now_s(), or the later end of the update that it waits for.
  /// kUnknown if that end is not known yet, the update has not been allowed, or its worker stops
  /// (noise) before that end.
  double earliest_start_s(const Message& message) const {
    return std::max(now_s_, ready_after_update_s(message.worker, message.after_update));
  }

  /// Returns the earliest known date in seconds after now_s() at which an update of any worker
  /// ends; kUnknown if there is none. O(p) for p workers.
  double next_update_end_s() const {
    double next = kUnknown;
    for (const WorkerDates& worker : workers_) {
      next = std::min(next, worker.updates.first_after(now_s_));
    }
    return next;
  }

  /// Returns the log of workers whose dates have changed: an entry whenever a transfer of a worker
  /// ends or is lost, or the end of one of its updates is corrected. The reference is valid as long
  /// as the view.
  const ChangeLog& changes() const { return changes_; }

  /// Returns the stops of workers (noise) up to the date of the current decision, by ascending
  /// date; empty without noise. The span is valid as long as the noise of the run; a later call
  /// returns the same stops and more.
  std::span<const Stop> stops() const { return stops_; }
  /// Returns whether the worker is among stops(): it has stopped (noise) at now_s() or before. O(n)
  /// for n stops.
  bool has_stopped(int worker) const {
    return !stops_.empty() && std::any_of(stops_.begin(), stops_.end(), [worker](const Stop& stop) {
      return stop.worker == worker;
    });
  }
  /// Returns true if the worker stopped (noise) during its last transfer, or after that transfer
  /// was decided and before it started. False without noise. O(n) for n lost transfers.
  bool has_lost_last_transfer(int worker) const {
    return std::find(lost_.begin(), lost_.end(), worker) != lost_.end();
  }

  // The functions below are for the clock.

  /// For the clock only: sets the current date to `now_s` seconds, which may be earlier than before
  /// (not checked).
  void observe_time(double now_s) { now_s_ = now_s; }
  /// For the clock of two ports only: sets which ports are free, indexed by Direction.
  void observe_ports(std::array<bool, 2> free) { free_ = free; }
  /// For the clock only: sets the stops of workers up to now, by ascending date. The view refers to
  /// them: they must outlive it or the next call.
  void observe_stops(std::span<const Stop> stops) { stops_ = stops; }

  /// For the clock only: records that a transfer with the worker ends at `end_s` seconds, no
  /// earlier than its last one (not checked), and sets the current date to `end_s`. The dates of
  /// updates that have ended by then are forgotten, since they delay nothing any more.
  void end_transfer(int worker, double end_s) {
    WorkerDates& dates = workers_[worker];
    now_s_ = end_s;
    dates.last_transfer_end_s = end_s;
    changes_.record(worker);
    dates.updates.discard_until(end_s);
  }
  /// For the clock only: records that a transfer with the worker is lost at `stop_s` seconds, the
  /// date of its stop, and sets the current date to `stop_s`.
  void lose_transfer(int worker, double stop_s) {
    now_s_ = stop_s;
    workers_[worker].last_transfer_end_s = stop_s;
    lost_.push_back(worker);
    changes_.record(worker);
  }
  /// For the clock only: records that the worker may do one more update, which ends at `end_s`
  /// seconds, no earlier than its previous one (not checked); kUnknown if the end is not known yet
  /// or the update is lost.
  void allow_update(int worker, double end_s) { workers_[worker].updates.append(end_s); }
  /// For the clock only: replaces the recorded end of the worker's n-th update by `end_s` seconds.
  /// Requires 1 <= n <= updates_allowed() (not checked: another date would be overwritten). No
  /// effect on the date if a transfer of the worker has ended since the recorded end.
  void correct_update_end(int worker, std::int64_t n, double end_s) {
    workers_[worker].updates.correct(n, end_s);
    changes_.record(worker);
  }

  /// For the clock of several ports only: records that a transfer with the worker has been decided,
  /// which ends later: last_transfer_end_s() is kUnknown until finish_transfer() gives the end of
  /// the last transfer decided for the worker.
  void begin_transfer(int worker) {
    ++under_way_;
    workers_[worker].last_transfer_end_s = kUnknown;
  }
  /// For the clock of several ports only: records the end, at `end_s` seconds, of a transfer
  /// recorded with begin_transfer(); call it once for each. `end_s` must be kUnknown while other
  /// transfers with the worker remain.
  void finish_transfer(int worker, double end_s) {
    --under_way_;
    workers_[worker].last_transfer_end_s = end_s;
    if (end_s != kUnknown) changes_.record(worker);
  }

 private:
  struct alignas(64) WorkerDates {  // a cache line
    double last_transfer_end_s = 0;
    UpdateEndDates updates;  ///< discarded up to last_transfer_end_s
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
