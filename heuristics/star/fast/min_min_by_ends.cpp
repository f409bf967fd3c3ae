#include "heuristics/star/fast/for_many.hpp"
#include "heuristics/star/fast/step_ends.hpp"

namespace starport::fast {
namespace {

class MinMinOrder {
 public:
  MinMinOrder(const std::vector<StepCosts>& costs, const Problem& problem)
      : costs_(costs),
        clock_(costs),
        columns_left_(problem.s),
        steps_left_(costs.size(), 0),
        finishes_(costs.size()) {
    for (std::size_t i = 0; i < costs.size(); ++i) update(i);
  }

  StepOrder plan() {
    StepOrder order;
    while (finishes_.least() != StepEnds::kNever) {
      const std::size_t i = next();
      if (steps_left_[i] == 0) start_panel(i);
      --steps_left_[i];
      clock_.choose(i);
      finishes_.advance(clock_.communication_end_s);
      update(i);
      order.push_back(costs_[i].worker);
    }
    return order;
  }

 private:
  bool candidate(std::size_t i) const { return steps_left_[i] > 0 || columns_left_ > 0; }

  void update(std::size_t i) {
    const auto& worker = clock_.workers[i];
    if (candidate(i)) {
      finishes_.set(i, worker.communication_s, worker.ready_s, worker.computation_s);
    } else {
      finishes_.withdraw(i);
    }
  }

  void start_panel(std::size_t i) {
    steps_left_[i] = costs_[i].panel_steps;
    columns_left_ -= costs_[i].mu;
    if (columns_left_ > 0 || columns_left_ + costs_[i].mu <= 0) return;
    for (std::size_t j = 0; j < costs_.size(); ++j) {  // the last columns: once
      if (!candidate(j)) finishes_.withdraw(j);
    }
  }

  std::size_t next() const {
    return scanned_least(
        finishes_.least(), finishes_.size(),
        [this](std::size_t from, double bound) {
          return finishes_.first(from, [&](double finish) { return finish <= bound; });
        },
        [this](std::size_t i) {
          return clock_.end_s(clock_.workers[i]) + clock_.workers[i].computation_s;
        });
  }

  const std::vector<StepCosts>& costs_;
  PlanningClock<> clock_;
  std::int64_t columns_left_;             ///< not planned; may fall below 0 with the last panel
  std::vector<std::int64_t> steps_left_;  ///< in the panel of each worker
  StepEnds finishes_;
};

}  // namespace

StepOrder min_min_by_ends(const std::vector<StepCosts>& costs, const Problem& problem) {
  return MinMinOrder(costs, problem).plan();
}

}  // namespace starport::fast
