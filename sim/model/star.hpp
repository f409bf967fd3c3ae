// The star while a schedule runs: what the master knows of its port and its workers, and the exact
// recurrence of their dates (README, "What is modelled").
#pragma once

#include "sim/model/schedule.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace starport {

/// The dates of one transfer and of the update it allows, in seconds. A transfer that allows no
/// update has update_start_s = update_end_s = end_s.
struct Dates {
  double start_s = 0;
  double end_s = 0;
  double update_start_s = 0;
  double update_end_s = 0;
};

/// A date that is not known yet.
inline constexpr double kUnknown = std::numeric_limits<double>::infinity();

/// The requests of the workers, as an engine posts them and dispatchers read them: the end of each
/// one's last transfer, and of its updates as the worker expects them. The platform must outlive
/// it.
class Star {
 public:
  Star(const Platform& platform, const Problem& problem)
      : platform_(&platform),
        problem_(problem),
        workers_(platform.workers.size()),
        changed_(std::bit_ceil(std::max<std::size_t>(workers_.size(), 1))) {}

  const Platform& platform() const { return *platform_; }
  const Problem& problem() const { return problem_; }

  /// The date from which the port is free.
  double now_s() const { return now_s_; }

  /// How many updates the transfers to a worker have allowed so far.
  std::int64_t updates_allowed(int worker) const { return workers_[at(worker)].updates; }

  /// f_n, the end of the worker's n-th update, maybe in the future: kUnknown when the update has
  /// not been allowed or an engine cannot tell yet. 0 for n <= 0, and once the worker has taken
  /// part in a transfer since: such a date delays nothing any more.
  double update_end_s(int worker, std::int64_t n) const {
    const WorkerDates& dates = workers_[at(worker)];
    if (n > dates.updates) return kUnknown;
    const std::int64_t from_the_last = dates.updates - n;
    const auto pending = static_cast<std::int64_t>(dates.pending_end_s.size());
    return from_the_last < pending
               ? dates.pending_end_s[static_cast<std::size_t>(pending - 1 - from_the_last)]
               : 0;
  }

  /// The end of the worker's last transfer; 0 at first.
  double last_transfer_end_s(int worker) const { return workers_[at(worker)].last_transfer_end_s; }

  /// The earliest date at which the worker could take part in a transfer that waits for its
  /// `after_update`-th update: the date of its request.
  double request_date_s(int worker, std::int64_t after_update) const {
    return std::max(last_transfer_end_s(worker), update_end_s(worker, after_update));
  }

  /// When the transfer would start, were the port given to it now.
  double start_s(const Transfer& transfer) const {
    return std::max(now_s_, update_end_s(transfer.worker, transfer.after_update));
  }

  /// The earliest end of an update after now; kUnknown when there is none.
  double next_update_end_s() const;

  /// Who follows the dates need not look at those of all workers again: each change of one worker's
  /// dates has a number, from 0, and the workers of the last p changes at least are remembered.
  std::int64_t changes() const { return changes_; }
  bool remembers_changes_since(std::int64_t n) const {
    return changes_ - n <= static_cast<std::int64_t>(changed_.size());
  }
  int changed_worker(std::int64_t n) const { return changed_[slot(n)]; }

  /// Records a transfer from the dates at which it went through the port. The end of the update
  /// it allows follows: it starts when its data is there and the previous one has ended.
  Dates record(const Transfer& transfer, double start_s, double end_s);

  /// Records the next transfer with the dates that the model gives it: the recurrence.
  Dates advance(const Transfer& transfer) {
    const double start = start_s(transfer);
    return record(
        transfer, start,
        start + platform_->workers[at(transfer.worker)].transfer_time_s(transfer.blocks()));
  }

  /// An engine that observes its workers corrects a predicted date, and tells the time.
  void observe_update_end(int worker, std::int64_t n, double date_s) {
    WorkerDates& dates = workers_[at(worker)];
    const auto from_the_last = static_cast<std::size_t>(dates.updates - n);
    const std::size_t pending = dates.pending_end_s.size();
    if (from_the_last < pending) dates.pending_end_s[pending - 1 - from_the_last] = date_s;
    note_change(worker);
  }
  void observe_time(double now_s) { now_s_ = now_s; }

 private:
  struct WorkerDates {
    double last_transfer_end_s = 0;
    std::int64_t updates = 0;           ///< allowed so far
    std::vector<double> pending_end_s;  ///< of the last updates, those after last_transfer_end_s
  };

  static std::size_t at(int worker) { return static_cast<std::size_t>(worker); }
  std::size_t slot(std::int64_t n) const {
    return static_cast<std::size_t>(n) & (changed_.size() - 1);
  }
  void note_change(int worker) { changed_[slot(changes_++)] = worker; }

  const Platform* platform_;
  Problem problem_;
  double now_s_ = 0;
  std::vector<WorkerDates> workers_;
  std::vector<int> changed_;  ///< a ring, its size a power of 2
  std::int64_t changes_ = 0;
};

}  // namespace starport
