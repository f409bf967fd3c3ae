#include "heuristics/min_min.hpp"

#include "heuristics/planning.hpp"
#include "heuristics/step_ends.hpp"

#include <algorithm>

namespace starport {
namespace {

class MinMinOrder {
 public:
  MinMinOrder(const Platform& platform, const Problem& problem, const MemoryLayout& layout)
      : clock_(platform, problem, layout),
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
      clock_.choose(i, false);
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
  double finish_s(std::size_t i) const {
    return std::max(clock_.communication_end_s() + clock_.communication_s(i, false),
                    clock_.ready_s(i)) +
           clock_.computation_s(i);
  }

  void update(std::size_t i) {
    if (candidate(i)) {
      finishes_.set(i, clock_.communication_s(i, false), clock_.ready_s(i),
                    clock_.computation_s(i));
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
  std::size_t next() const {
    const double least = finishes_.least();
    if (least == StepEnds::kNever) return clock_.workers();
    return scanned_least(
        least, clock_.workers(),
        [this](std::size_t from, double bound) {
          return finishes_.first(from, [&](double finish) { return finish <= bound; });
        },
        [this](std::size_t i) { return finish_s(i); });
  }

  PlanningClock clock_;
  std::int64_t columns_left_;             ///< not planned; may fall below 0 with the last panel
  std::vector<std::int64_t> steps_left_;  ///< in the panel of each worker
  StepEnds finishes_;
};

}  // namespace

Plan MinMin::plan(const Platform& platform, const Problem& problem) const {
  StepOrder order = MinMinOrder(platform, problem, layout()).plan();
  return {.dispatcher = run_order(std::move(order), platform, problem, layout()),
          .details = {},
          .adapts = false};
}

}  // namespace starport
