// When the next step of each worker would end, by the planning clock (PPoPP'08 section 5).
#pragma once

#include "heuristics/star/fast/tournament.hpp"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>
#include <vector>

namespace starport::fast {

/// The ends max(T + a_i, ready_i) + d_i while T, the end of the last communication, grows. What T
/// decides for an idle worker (T + a_i >= ready_i) is the same shift for all of them; the others
/// are busy, and each becomes idle once for each time it was chosen. So the idle are kept by a_i +
/// d_i, the busy by ready_i + d_i. O(log n) amortised for each change or question.
class StepEnds {
 public:
  static constexpr double kNever = Tournament::kNone;

  explicit StepEnds(std::size_t size)
      : idle_(size), busy_(size), figures_(size), entries_(size, kNever) {}

  std::size_t size() const { return idle_.size(); }
  /// a_i, ready_i and d_i of worker i.
  void set(std::size_t i, double a_s, double ready_s, double d_s) {
    figures_[i] = {.a_s = a_s, .ready_s = ready_s, .d_s = d_s};
    place(i);
  }

  void withdraw(std::size_t i) {
    idle_.set(i, kNever);
    busy_.set(i, kNever);
  }

  /// T; it must not fall.
  void advance(double now_s) {
    now_s_ = now_s;
    while (!releases_.empty() && releases_.top().first <= now_s) {
      const auto [date_s, i] = releases_.top();
      releases_.pop();
      if (date_s != entries_[i]) continue;
      entries_[i] = kNever;
      if (busy_[i] != kNever) place(i);
    }
  }

  double least() const { return std::min(now_s_ + idle_.least(), busy_.least()); }
  /// The smallest index >= `from` whose end is wanted, as in Tournament; size() when there is none.
  template <class Wanted>
  std::size_t first(std::size_t from, Wanted&& wanted) const {
    return std::min(idle_.first(from, [&](double x) { return wanted(now_s_ + x); }),
                    busy_.first(from, wanted));
  }

 private:
  struct Figures {
    double a_s = 0;
    double ready_s = 0;
    double d_s = 0;
  };

  void place(std::size_t i) {
    const auto& [a_s, ready_s, d_s] = figures_[i];
    const bool busy = now_s_ + a_s < ready_s;
    idle_.set(i, busy ? kNever : a_s + d_s);
    busy_.set(i, busy ? ready_s + d_s : kNever);
    if (!busy) return;
    // Early by more than rounding can be late; then from the next T on.
    const double release_s = ready_s - a_s - 0x1p-50 * ready_s;
    const double date_s = std::max(release_s, std::nextafter(now_s_, kNever));
    if (date_s >= entries_[i]) return;  // there is one, which will be seen to be too early
    entries_[i] = date_s;
    releases_.emplace(date_s, i);
  }

  double now_s_ = 0;
  Tournament idle_;
  Tournament busy_;
  std::vector<Figures> figures_;
  /// The busy by a date up to which they are busy at least.
  using Entry = std::pair<double, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> releases_;
  std::vector<double> entries_;  ///< the date of the one that counts; kNever: none
};

}  // namespace starport::fast
