// Het's orders of steps for many workers: with look-ahead, pairs of steps are compared only for
// those first workers that a bound does not exclude.

#include "heuristics/star/fast/batch_planning.hpp"
#include "heuristics/star/fast/large_platforms.hpp"
#include "sim/platform/ties.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace starport::fast {
namespace {

/// Het's incremental selection with planning dates in arrays over the workers; owned by one call of
/// select_by_bounds().
class BoundedSelection {
 public:
  explicit BoundedSelection(const Selection& selection)
      : variant_(selection.variant),
        size_(selection.costs->size()),
        ready_s_(size_),
        ends_s_(size_) {
    for (const StepCosts& cost : *selection.costs) {
      const CoarsePlannedWorker worker(cost, variant_.count_c);
      updates_.push_back(worker.updates);
      communication_s_.push_back(worker.communication_s);
      later_s_.push_back(worker.later_s);
      computation_s_.push_back(worker.computation_s);
    }
  }

  /// Plans the step of largest ratio, and returns the index of its worker.
  std::size_t choose() {
    if (variant_.local) {
      for (double& ready_s : ready_s_) ready_s -= now_s_;
      now_s_ = 0;
    }
    achieved_ = variant_.local ? 0 : work_;
    for (std::size_t i = 0; i < size_; ++i) ends_s_[i] = step_end_s(i, now_s_);
    const std::size_t best = variant_.look_ahead ? find_best_pair() : find_best_step();
    work_ += updates_[best];
    now_s_ = ends_s_[best];
    ready_s_[best] = now_s_ + computation_s_[best];
    communication_s_[best] = later_s_[best];
    return best;
  }

 private:
  /// Work over time, compared by cross products as in the definition.
  struct Ratio {
    double work;
    double time_s;
    bool operator<(const Ratio& other) const { return work * other.time_s < other.work * time_s; }
    bool is_clearly_less(const Ratio& other) const {
      return clearly_less(work * other.time_s, other.work * time_s);
    }
  };

  double step_end_s(std::size_t i, double from_s) const {
    return std::max(from_s + communication_s_[i], ready_s_[i]);
  }
  double second_step_end_s(std::size_t i) const {
    return ends_s_[i] + std::max(later_s_[i], computation_s_[i]);
  }
  /// Returns the largest ratio after a step on worker `i` and one on any worker. If no pair has a
  /// ratio of `least`, returns some ratio below it.
  Ratio best_pair_with(std::size_t i, double least) const {
    const double work = achieved_ + updates_[i];
    Ratio best{work + updates_[i], second_step_end_s(i)};
    for (std::size_t j = 0; j < size_; ++j) {
      const Ratio pair{work + updates_[j], step_end_s(j, ends_s_[i])};
      if (pair.work < least * pair.time_s) continue;
      if (j != i && best < pair) best = pair;
    }
    return best;
  }

  /// Returns the worker that the definition's scan ends at. The scan moves only to a clearly larger
  /// ratio. A ratio clearly larger than all before it is therefore always moved to, and later
  /// ratios below it never matter. So the scan is followed from the first ratio of at least
  /// `least`, if that exceeds `least` by two tolerances; otherwise again with a lower `least`.
  /// `rate` is the ratio of some worker, up to rounding; above(x) returns at least all workers
  /// whose ratio may be x or more, in ascending order; can_exceed(i, ratio) returns false if the
  /// ratio of worker i is not clearly larger.
  template <class RatioOf, class Above, class CanExceed>
  std::size_t find_best(double rate, RatioOf&& ratio_of, Above&& above, CanExceed&& can_exceed) {
    for (double width = 4;; width *= 2) {
      const double least = rate * (1 - width * kRelativeTolerance);
      std::size_t best = size_;
      Ratio best_ratio{0, 1};
      for (const std::size_t i : above(least)) {
        if (best < size_ && !can_exceed(i, best_ratio)) continue;
        const Ratio ratio = ratio_of(i, least);
        if (ratio.work < least * ratio.time_s) continue;
        if (!best_ratio.is_clearly_less(ratio)) continue;
        if (best == size_ && ratio.work < least * (1 + 2 * kRelativeTolerance) * ratio.time_s)
          break;
        best = i;
        best_ratio = ratio;
      }
      if (best < size_) return best;
    }
  }
  std::size_t find_best_step() {
    const double rate = largest(
        now_s_, [&](double updates, double end_s) { return (achieved_ + updates) / end_s; });
    return find_best(
        rate,
        [&](std::size_t i, double) {
          return Ratio{achieved_ + updates_[i], ends_s_[i]};
        },
        [&](double least) -> const std::vector<std::size_t>& {
          candidates_.clear();
          for (std::size_t i = 0; i < size_; ++i) {
            if (achieved_ + updates_[i] >= least * ends_s_[i]) candidates_.push_back(i);
          }
          return candidates_;
        },
        [](std::size_t, const Ratio&) { return true; });
  }
  std::size_t find_best_pair() {
    rate_ = best_rate_with(likely_first());
    return find_best(
        rate_, [&](std::size_t i, double least) { return best_pair_with(i, least); },
        [&](double least) -> const std::vector<std::size_t>& { return firsts_above(least); },
        [&](std::size_t i, const Ratio& best) {
          return can_reach(i, best.work / best.time_s * (1 + kRelativeTolerance / 2));
        });
  }
  /// Returns the worker of largest gain at the rate of the previous step, likely the first of a
  /// good pair.
  std::size_t likely_first() const {
    std::size_t likely = 0;
    double most = -kUnknown;
    for (std::size_t i = 0; i < size_; ++i) {
      const double gain = updates_[i] - rate_ * ends_s_[i];
      if (most < gain) likely = i;
      most = std::max(most, gain);
    }
    return likely;
  }

  /// Returns at least all workers with which a pair can have a ratio of `rate` or more, in
  /// ascending order.
  const std::vector<std::size_t>& firsts_above(double rate) {
    candidates_.clear();
    last_second_ = {};
    // Upper bounds: no step ends before first_s, and a second worker may be busy.
    const double first_s = *std::ranges::min_element(ends_s_);
    const double second = best_second(rate, first_s);
    const double idle_second = best_idle_second(rate);
    for (std::size_t i = 0; i < size_; ++i) {
      const double others = std::min(second, idle_second - rate * ends_s_[i]);
      const double again = updates_[i] - rate * second_step_end_s(i);
      if (achieved_ + updates_[i] + std::max(others, again) < 0) continue;
      if (can_reach(i, rate)) candidates_.push_back(i);
    }
    return candidates_;
  }
  /// Returns true if a pair with worker `i` may have a ratio of `rate` or more: its gain, work -
  /// rate * time, is not negative.
  bool can_reach(std::size_t i, double rate) {
    if (last_second_.rate != rate || last_second_.from_s != ends_s_[i])
      last_second_ = {rate, ends_s_[i], best_second(rate, ends_s_[i])};
    const double again = updates_[i] - rate * second_step_end_s(i);
    return achieved_ + updates_[i] + std::max(last_second_.gain, again) >= 0;
  }
  /// Returns the largest gain of a second step on a worker that is never busy, without the end of
  /// the first step.
  double best_idle_second(double rate) const {
    double most = -kUnknown;
#pragma omp simd reduction(max : most)
    for (std::size_t j = 0; j < size_; ++j) {
      const double x = updates_[j] - rate * communication_s_[j];
      most = most < x ? x : most;
    }
    return most;
  }
  /// Returns the largest of value(u, e) over all workers: the block updates of a step on the
  /// worker, and the date at which it ends if communication can start at `from_s`.
  template <class Value>
  double largest(double from_s, Value&& value) const {
    const double* updates = updates_.data();
    const double* communication_s = communication_s_.data();
    const double* ready_s = ready_s_.data();
    double most = -kUnknown;
#pragma omp simd reduction(max : most)
    for (std::size_t j = 0; j < size_; ++j) {
      const double sent_s = from_s + communication_s[j];
      const double x = value(updates[j], sent_s < ready_s[j] ? ready_s[j] : sent_s);
      most = most < x ? x : most;
    }
    return most;
  }
  /// Returns the largest gain, work - rate * time, of a second step if the first one ends at
  /// `from_s`.
  double best_second(double rate, double from_s) const {
    return largest(from_s, [&](double updates, double end_s) { return updates - rate * end_s; });
  }
  /// Returns the largest ratio after a step on worker `i` and one on any worker, up to rounding.
  double best_rate_with(std::size_t i) {
    const double work = achieved_ + updates_[i];
    const double communication_s = std::exchange(communication_s_[i], later_s_[i]);
    const double ready_s = std::exchange(ready_s_[i], ends_s_[i] + computation_s_[i]);
    const double rate =
        largest(ends_s_[i], [&](double updates, double end_s) { return (work + updates) / end_s; });
    communication_s_[i] = communication_s;
    ready_s_[i] = ready_s;
    return rate;
  }

  Variant variant_;
  std::size_t size_;
  std::vector<double> updates_;
  std::vector<double> communication_s_;
  std::vector<double> later_s_;
  std::vector<double> computation_s_;
  std::vector<double> ready_s_;
  std::vector<double> ends_s_;           ///< of the next step on each worker
  double now_s_ = 0;                     ///< end of the last communication
  double work_ = 0;                      ///< block updates planned so far
  double achieved_ = 0;                  ///< of these, what the ratios count
  double rate_ = 0;                      ///< ratio of a good pair for the step before
  std::vector<std::size_t> candidates_;  ///< for the next step
  /// The last call of best_second(), which many equal workers would repeat.
  struct {
    double rate = kUnknown;
    double from_s = 0;
    double gain = 0;
  } last_second_;
};

}  // namespace

PanelOrder select_by_bounds(const Selection& selection) {
  PanelOrder order(*selection.costs, *selection.problem, selection.limit_s);
  BoundedSelection choice(selection);
  call_with_lanes(widest_vector(), [&]<class>() {  // compiled for the widest vectors
    while (order.is_open()) order.add(choice.choose());
  });
  return order;
}

}  // namespace starport::fast
