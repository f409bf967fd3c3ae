// OMMOML's plans of many workers, in O(log p) per step.
#include "heuristics/star/fast/large_platforms.hpp"
#include "heuristics/star/fast/step_ends.hpp"

#include <utility>

namespace starport::fast {
namespace {

/// Plans with the ends of all workers' next steps in an index, in O(log p) per step.
class IndexedMinMin {
 public:
  IndexedMinMin(const std::vector<StepCosts>& costs, const Problem& problem)
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
      const std::size_t i = choose();
      if (steps_left_[i] == 0) start_panel(i);
      --steps_left_[i];
      clock_.plan_step(i);
      finishes_.advance(clock_.communication_end_s);
      update(i);
      order.push_back(costs_[i].worker);
    }
    return order;
  }

 private:
  bool is_candidate(std::size_t i) const { return steps_left_[i] > 0 || columns_left_ > 0; }

  void update(std::size_t i) {
    const auto& worker = clock_.workers[i];
    if (is_candidate(i)) {
      finishes_.set(i, worker.communication_s, worker.ready_s, worker.computation_s);
    } else {
      finishes_.withdraw(i);
    }
  }

  void start_panel(std::size_t i) {
    steps_left_[i] = costs_[i].panel_steps;
    columns_left_ -= costs_[i].mu;
    if (columns_left_ > 0 || columns_left_ + costs_[i].mu <= 0) return;
    for (std::size_t j = 0; j < costs_.size(); ++j) {  // once, when the last columns are taken
      if (!is_candidate(j)) finishes_.withdraw(j);
    }
  }

  std::size_t choose() const {
    return scanned_least(
        finishes_.least(), finishes_.size(),
        [this](std::size_t from, double bound) {
          return finishes_.first(from, [&](double finish_s) { return finish_s <= bound; });
        },
        [this](std::size_t i) {
          return clock_.step_end_s(clock_.workers[i]) + clock_.workers[i].computation_s;
        });
  }

  const std::vector<StepCosts>& costs_;
  PlanningClock clock_;
  std::int64_t columns_left_;  ///< columns not planned; below 0 if the last panel is narrower
  std::vector<std::int64_t> steps_left_;  ///< in the current panel of each worker
  StepEnds finishes_;
};

/// Number of workers from which on the index is faster than a scan (measured).
constexpr std::size_t kWorkersToIndex = 64;

}  // namespace

StepOrder min_min_by_ends(const std::vector<StepCosts>& costs, const Problem& problem) {
  return IndexedMinMin(costs, problem).plan();
}

Plan plan_min_min(const MinMinParameters& parameters, const Platform& platform,
                  const Problem& problem) {
  const auto costs = compute_step_costs(platform, problem, kOptimizedOverlapped);
  const bool is_scan_faster = costs.size() < kWorkersToIndex || parameters.counts_c;
  StepOrder order =
      is_scan_faster ? min_min_order(costs, problem, parameters) : min_min_by_ends(costs, problem);
  return {.dispatcher =
              make_order_dispatcher(std::move(order), platform, problem, kOptimizedOverlapped)};
}

}  // namespace starport::fast
