#include "heuristics/star/min_min.hpp"

#include "heuristics/star/lanes.hpp"
#include "heuristics/star/planning.hpp"
#include "heuristics/star/step_ends.hpp"

#include <algorithm>

namespace starport {
namespace {

/// When the next step of each worker would finish, where workers are few: by a scan, as the groups
/// of step_ends.hpp cost more.
class FewFinishes {
 public:
  explicit FewFinishes(std::size_t size) : steps_((size + kLanes - 1) / kLanes), finishes_(size) {}

  void set(std::size_t i, double a_s, double ready_s, double d_s) {
    Step& step = steps_[i / kLanes];
    step.a_s = replaced(step.a_s, i % kLanes, a_s);
    step.ready_s = replaced(step.ready_s, i % kLanes, ready_s);
    step.d_s = replaced(step.d_s, i % kLanes, d_s);
  }
  void withdraw(std::size_t i) { set(i, 0, LaneNumbers::kNone, 0); }
  void advance(double now_s) { now_s_ = now_s; }

  template <class Finish>
  std::size_t first_of_least(Finish&&) {
    for (std::size_t n = 0; n < steps_.size(); ++n) {
      const auto& [a_s, ready_s, d_s] = steps_[n];
      finishes_.group(n) = largest(in_all_lanes(now_s_) + a_s, ready_s) + d_s;
    }
    return finishes_.first_of_least();
  }

 private:
  struct Step {
    Lanes a_s{};
    Lanes ready_s = in_all_lanes(LaneNumbers::kNone);
    Lanes d_s{};
  };

  double now_s_ = 0;
  std::vector<Step> steps_;
  LaneNumbers finishes_;
};

class ManyFinishes : public StepEnds {
 public:
  using StepEnds::StepEnds;

  template <class Finish>
  std::size_t first_of_least(Finish&& finish_s) const {
    if (least() == kNever) return size();
    return scanned_least(
        least(), size(),
        [this](std::size_t from, double bound) {
          return first(from, [&](double finish) { return finish <= bound; });
        },
        finish_s);
  }
};

template <class Finishes>
class MinMinOrder {
 public:
  MinMinOrder(const Platform& platform, const Problem& problem, const MemoryLayout& layout)
      : clock_(platform, problem, layout, false),
        columns_left_(problem.s),
        steps_left_(clock_.workers(), 0),
        finishes_(clock_.workers()) {
    for (std::size_t i = 0; i < clock_.workers(); ++i) update(i);
  }

  StepOrder plan() {
    StepOrder order;
    for (std::size_t i = next(); i < clock_.workers(); i = next()) {
      if (steps_left_[i] == 0) start_panel(i);
      --steps_left_[i];
      clock_.choose(i);
      finishes_.advance(clock_.communication_end_s());
      update(i);
      order.push_back(static_cast<std::int32_t>(i));
    }
    return order;
  }

 private:
  /// A worker between two panels is a candidate only while columns are left.
  bool candidate(std::size_t i) const {
    return clock_.usable(i) && (steps_left_[i] > 0 || columns_left_ > 0);
  }

  /// finish_i = max(T + 2 mu_i c_i, ready_i) + mu_i^2 w_i
  double finish_s(std::size_t i) const { return clock_.end_s(i) + clock_.computation_s(i); }

  void update(std::size_t i) {
    if (candidate(i)) {
      finishes_.set(i, clock_.communication_s(i), clock_.ready_s(i), clock_.computation_s(i));
    } else {
      finishes_.withdraw(i);
    }
  }

  void start_panel(std::size_t i) {
    steps_left_[i] = clock_.panel_steps(i);
    columns_left_ -= clock_.panel_columns(i);
    if (columns_left_ > 0 || columns_left_ + clock_.panel_columns(i) <= 0) return;
    for (std::size_t j = 0; j < clock_.workers(); ++j) {  // the last columns: once
      if (!candidate(j)) finishes_.withdraw(j);
    }
  }

  /// The worker of smallest finish_i, then of smallest index; workers() when there is no candidate.
  std::size_t next() {
    return finishes_.first_of_least([this](std::size_t i) { return finish_s(i); });
  }

  PlanningClock clock_;
  std::int64_t columns_left_;             ///< not planned; may fall below 0 with the last panel
  std::vector<std::int64_t> steps_left_;  ///< in the panel of each worker
  Finishes finishes_;
};

}  // namespace

Plan MinMin::plan(const Platform& platform, const Problem& problem) const {
  const bool few = platform.workers.size() <= kFewWorkers;
  StepOrder order = few ? MinMinOrder<FewFinishes>(platform, problem, layout()).plan()
                        : MinMinOrder<ManyFinishes>(platform, problem, layout()).plan();
  return {.dispatcher = run_order(std::move(order), platform, problem, layout()),
          .details = {},
          .adapts = false};
}

}  // namespace starport
