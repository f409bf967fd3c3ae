// The ends of all workers' next steps by the planning clock (PPoPP'08, section 5), indexed.
#pragma once

#include "heuristics/star/fast/tournament.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>
#include <vector>

namespace starport::fast {

/// Index of the dates max(T + a_i, ready_i) + d_i at which the next steps of workers end, while T,
/// the end of the last communication, grows: a_i is the transfer time of a step, ready_i the end of
/// the worker's work, d_i a time that follows both, all in seconds, finite and >= 0 (not checked).
/// Finds the least in O(1); other operations take O(log n) amortised for n workers. Refers to no
/// other object.
class StepEnds {
 public:
  /// Infinity: stands for the end of the next step of a worker that is not in the index.
  static constexpr double kNever = Tournament::kNone;

  /// Creates an index for workers 0 to size - 1, none of which is in it yet, with T (the end of the
  /// last communication) = 0. `size` must be below 2^32 (not checked).
  explicit StepEnds(std::size_t size)
      : idle_(size), busy_(size), terms_(size), release_dates_(size, kNever) {}

  /// Returns the number of workers that can be in the index, as given to the constructor.
  std::size_t size() const { return idle_.size(); }
  /// Adds worker `i` (from 0) to the index, or changes its times: the transfer time a_i of its next
  /// step, the end ready_i of its work and the time d_i that follows both, in seconds, finite and
  /// >= 0 (not checked). Requires i < size(); otherwise the behaviour is undefined.
  void set(std::size_t i, double a_s, double ready_s, double d_s) {
    terms_[i] = {.a_s = a_s, .ready_s = ready_s, .d_s = d_s};
    place(i);
  }

  /// Removes worker `i` (from 0) from the index, until set() is called for it again; no effect if
  /// it is not in it. Requires i < size(); otherwise the behaviour is undefined.
  void withdraw(std::size_t i) {
    idle_.set(i, kNever);
    busy_.set(i, kNever);
  }

  /// Sets T, the end of the last communication, in seconds. T must not decrease (not checked: the
  /// ends of next steps would be wrong).
  void advance(double now_s) {
    now_s_ = now_s;
    while (!releases_.empty() && releases_.top().first <= now_s) {
      const auto [date_s, i] = releases_.top();
      releases_.pop();
      if (date_s != release_dates_[i]) continue;
      release_dates_[i] = kNever;
      if (busy_[i] != kNever) place(i);
    }
  }

  /// Returns the earliest date, in seconds, at which the next step of a worker ends; kNever
  /// (infinity) if no worker is in the index.
  double least() const { return std::min(now_s_ + idle_.least(), busy_.least()); }
  /// Returns the smallest worker >= `from` in the index for which `is_wanted` holds for the date,
  /// in seconds, at which its next step ends; size() if there is none. If `is_wanted` holds for a
  /// date it must hold for all earlier ones, and it must not hold for infinity; otherwise the
  /// result is meaningless. Ends may be off by rounding.
  template <class IsWanted>
  std::size_t first(std::size_t from, IsWanted&& is_wanted) const {
    return std::min(idle_.first(from, [&](double x) { return is_wanted(now_s_ + x); }),
                    busy_.first(from, is_wanted));
  }

 private:
  struct Terms {
    double a_s = 0;
    double ready_s = 0;
    double d_s = 0;
  };

  void place(std::size_t i) {
    const auto& [a_s, ready_s, d_s] = terms_[i];
    const bool busy = now_s_ + a_s < ready_s;
    idle_.set(i, busy ? kNever : a_s + d_s);
    busy_.set(i, busy ? ready_s + d_s : kNever);
    if (!busy) return;
    // Earlier by more than rounding errors, but after T.
    const double release_s = ready_s - a_s - 0x1p-50 * ready_s;
    const double date_s = std::max(release_s, std::nextafter(now_s_, kNever));
    if (date_s >= release_dates_[i]) return;  // an earlier entry will find that it is still busy
    release_dates_[i] = date_s;
    releases_.emplace(date_s, i);
  }

  double now_s_ = 0;  ///< T
  // T shifts the ends of all idle workers (T + a_i >= ready_i) alike; the others are busy, and each
  // becomes idle once per time it was chosen. So idle workers are indexed by a_i + d_i, busy ones
  // by ready_i + d_i.
  Tournament idle_;
  Tournament busy_;
  std::vector<Terms> terms_;
  /// Busy workers by a date until which they are certainly busy.
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> releases_;
  std::vector<double>
      release_dates_;  ///< date of the worker's valid entry in releases_; kNever: none
};

}  // namespace starport::fast
