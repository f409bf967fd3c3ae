// What the master knows while a schedule runs: the time, its port, the requests of its workers.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/message.hpp"
#include "sim/star/update_ends.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace starport {

/// Who follows the dates of p workers need not look at all of them again: each change of one
/// worker's dates has a number, from 0, and the workers of the last p changes at least are
/// remembered.
class ChangeLog {
 public:
  explicit ChangeLog(std::size_t workers)
      : workers_(std::bit_ceil(std::max<std::size_t>(workers, 1))),
        mask_(std::ssize(workers_) - 1) {}

  std::int64_t count() const { return count_; }
  bool remembers_since(std::int64_t n) const { return count_ - n <= mask_ + 1; }
  int worker(std::int64_t n) const { return workers_[slot(n)]; }
  void note(int worker) { workers_[slot(count_++)] = worker; }

 private:
  std::size_t slot(std::int64_t n) const { return static_cast<std::size_t>(n & mask_); }

  std::vector<int> workers_;  ///< a ring, its size a power of 2
  std::int64_t mask_;
  std::int64_t count_ = 0;
};

/// Dispatchers read it, and decide by it. A clock (port_clock.hpp) keeps it up to date. The
/// platform must outlive it.
class MasterView {
 public:
  MasterView(const Platform& platform, const Problem& problem)
      : platform_(&platform),
        figures_(platform.workers.data()),
        count_(platform.workers.size()),
        problem_(problem),
        workers_(platform.workers.size()),
        changes_(platform.workers.size()) {}

  const Platform& platform() const { return *platform_; }
  const Worker& figures(int worker) const { return figures_[worker]; }
  bool has(int worker) const { return static_cast<std::size_t>(worker) < count_; }
  const Problem& problem() const { return problem_; }

  /// The date of the next decision: from which the port, or one of several, is free.
  double now_s() const { return now_s_; }

  /// Whether a transfer that way would find its port free. One that does not waits for it, and
  /// those decided after it wait behind it: a ready-made list need not ask.
  bool free(Direction direction) const { return free_[at(direction)]; }
  /// Whether a transfer decided before is not over: never on one port.
  bool under_way() const { return under_way_ > 0; }

  /// How many updates the transfers to a worker have allowed so far.
  std::int64_t updates_allowed(int worker) const { return workers_[worker].updates.last(); }

  /// f_n, the end of the worker's n-th update, maybe in the future: kUnknown when the update has
  /// not been allowed or its end cannot be told yet. 0 for n <= 0, and once the worker has taken
  /// part in a transfer since: such a date delays nothing any more.
  double update_end_s(int worker, std::int64_t n) const { return workers_[worker].updates[n]; }

  /// The end of the worker's last transfer; 0 at first, kUnknown while one decided is not over:
  /// the worker posts its next request then.
  double last_transfer_end_s(int worker) const { return workers_[worker].last_transfer_end_s; }

  /// The earliest date at which the worker could take part in a transfer that waits for its
  /// `after_update`-th update: the date of its request.
  double request_date_s(int worker, std::int64_t after_update) const {
    return std::max(last_transfer_end_s(worker), delay_s(worker, after_update));
  }
  /// f_n where that delays something, else a date that is over.
  double delay_s(int worker, std::int64_t n) const {
    return workers_[worker].updates.end_or_past(n);
  }

  /// When the message would start, were the port given to it now: kUnknown when its worker stops
  /// before the update that it names ends.
  double start_s(const Message& message) const {
    return std::max(now_s_, delay_s(message.worker, message.after_update));
  }

  /// The earliest end of an update after now; kUnknown when there is none.
  double next_update_end_s() const {
    double next = kUnknown;
    for (const WorkerDates& worker : workers_) {
      next = std::min(next, worker.updates.first_after(now_s_));
    }
    return next;
  }

  /// Whose dates have changed: so that they can be followed.
  const ChangeLog& changes() const { return changes_; }

  /// The workers that have stopped by now, in the order of the dates.
  std::span<const Stop> stops() const { return stops_; }
  bool has_stopped(int worker) const {
    return !stops_.empty() && std::any_of(stops_.begin(), stops_.end(), [worker](const Stop& stop) {
      return stop.worker == worker;
    });
  }
  /// Whether a stop has cut off the worker's last transfer, or prevented it once it was decided.
  bool last_transfer_lost(int worker) const {
    return std::find(lost_.begin(), lost_.end(), worker) != lost_.end();
  }

  // For the clock.

  void observe_time(double now_s) { now_s_ = now_s; }
  void observe_ports(std::array<bool, 2> free) { free_ = free; }
  /// Those by now. They must stay where they are.
  void observe_stops(std::span<const Stop> stops) { stops_ = stops; }

  /// A transfer with the worker ends, and it is that date now.
  void end_transfer(int worker, double end_s) {
    WorkerDates& dates = workers_[worker];
    now_s_ = end_s;
    dates.last_transfer_end_s = end_s;
    changes_.note(worker);
    dates.updates.forget_until(end_s);
  }
  void lose_transfer(int worker, double stop_s) {
    now_s_ = stop_s;
    workers_[worker].last_transfer_end_s = stop_s;
    lost_.push_back(worker);
    changes_.note(worker);
  }
  /// One more update, and when it ends as far as one can tell.
  void allow_update(int worker, double end_s) { workers_[worker].updates.push(end_s); }
  /// What was told of that end is put right.
  void observe_update_end(int worker, std::int64_t n, double end_s) {
    workers_[worker].updates.correct(n, end_s);
    changes_.note(worker);
  }

  /// On several ports a transfer is decided, and over later, when the worker may still be in
  /// another one: its next request is posted after the last of them.
  void begin_transfer(int worker) {
    ++under_way_;
    workers_[worker].last_transfer_end_s = kUnknown;
  }
  /// The date is kUnknown when it is not the last of them.
  void finish_transfer(int worker, double end_s) {
    --under_way_;
    workers_[worker].last_transfer_end_s = end_s;
    if (end_s != kUnknown) changes_.note(worker);
  }

 private:
  struct alignas(64) WorkerDates {  // a cache line
    double last_transfer_end_s = 0;
    UpdateEnds updates;  ///< those over at last_transfer_end_s are forgotten
  };

  static std::size_t at(Direction direction) { return static_cast<std::size_t>(direction); }

  const Platform* platform_;
  const Worker* figures_;  ///< and how many, at hand
  std::size_t count_;
  Problem problem_;
  double now_s_ = 0;
  std::array<bool, 2> free_{true, true};  ///< by direction
  std::int64_t under_way_ = 0;
  PerWorker<WorkerDates> workers_;
  ChangeLog changes_;
  std::span<const Stop> stops_;
  std::vector<int> lost_;  ///< the workers with whose last transfer a stop has interfered
};

}  // namespace starport
