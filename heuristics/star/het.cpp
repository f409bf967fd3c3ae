#include "heuristics/star/het.hpp"

#include "sim/platform/ties.hpp"

#include <utility>

namespace starport {
namespace {

/// Total work achieved / completion time of the last communication. Compared by cross products, as
/// divisions would take most of the time.
struct Ratio {
  double work;
  double time_s;
};
bool operator<(const Ratio& x, const Ratio& y) { return x.work * y.time_s < y.work * x.time_s; }
bool is_clearly_less(const Ratio& x, const Ratio& y) {
  return clearly_less(x.work * y.time_s, y.work * x.time_s);
}

/// Incremental resource selection by one variant, with either clock.
template <class Clock>
class IncrementalSelection {
 public:
  explicit IncrementalSelection(const Selection& selection)
      : variant_(selection.variant), clock_(*selection.costs, selection.variant.count_c) {}

  /// Plans the step of largest ratio, and returns the index of its worker.
  std::size_t choose() {
    // The local ratio is taken over the time and the work that the next communications add.
    if (variant_.local) clock_.rebase(clock_.communication_end_s);
    const double achieved = variant_.local ? 0 : work_;
    std::size_t best = 0;
    Ratio best_ratio{0, 1};
    for (std::size_t i = 0; i < clock_.workers.size(); ++i) {
      const Ratio ratio = ratio_of(i, achieved);
      if (!is_clearly_less(best_ratio, ratio)) continue;
      best = i;
      best_ratio = ratio;
    }
    work_ += clock_.workers[best].updates;
    clock_.plan_step(best);
    return best;
  }

 private:
  /// Returns the ratio after a step on worker `i`; with look-ahead, the largest ratio after a step
  /// on worker `i` and one on any worker.
  Ratio ratio_of(std::size_t i, double achieved) const {
    const auto& first = clock_.workers[i];
    const double work = achieved + first.updates;
    const double end_s = clock_.step_end_s(first);
    if (!variant_.look_ahead) return {work, end_s};
    Ratio best{work + first.updates, first.second_step_end_s(end_s)};
    for (std::size_t j = 0; j < clock_.workers.size(); ++j) {
      if (j == i) continue;
      const auto& second = clock_.workers[j];
      const Ratio pair{work + second.updates, second.step_end_s(end_s)};
      if (best < pair) best = pair;
    }
    return best;
  }

  Variant variant_;
  Clock clock_;
  double work_ = 0;  ///< block updates planned so far
};

template <class Clock>
PanelOrder select_by_clock(const Selection& selection) {
  PanelOrder order(*selection.costs, *selection.problem, selection.limit_s);
  IncrementalSelection<Clock> choice(selection);
  while (order.is_open()) order.add(choice.choose());
  return order;
}

}  // namespace

std::string Variant::name() const {
  return std::string("ratio=") + (local ? "local" : "global") +
         (look_ahead ? ",look_ahead=yes" : ",look_ahead=no") +
         (count_c ? ",count_c=yes" : ",count_c=no");
}

std::vector<std::vector<Variant>> HetParameters::variant_groups() const {
  std::vector<std::vector<Variant>> groups;
  for (const bool counts : {false, true}) {
    for (const bool looks_ahead : {false, true}) {
      if (count_c.value_or(counts) != counts) continue;
      if (look_ahead.value_or(looks_ahead) != looks_ahead) continue;
      groups.emplace_back();
      for (const bool is_local : {false, true}) {
        if (local.value_or(is_local) != is_local) continue;
        groups.back().push_back({is_local, looks_ahead, counts});
      }
    }
  }
  return groups;
}

StepOrder PanelOrder::finish(double limit_s) {
  if (least_makespan_s_ > limit_s) return {};
  for (std::size_t i = 0; i < steps_.size(); ++i) steps_[i].worker = (*costs_)[i].worker;
  std::size_t size = 0;
  for (const std::int32_t i : order_) {
    Steps& steps = steps_[static_cast<std::size_t>(i)];
    order_[size] = steps.worker;
    size += steps.completed-- > 0 ? 1 : 0;
  }
  order_.resize(size);
  return std::move(order_);
}

PanelOrder select_steps(const Selection& selection, PlanningDates clock) {
  return clock == PlanningDates::exact ? select_by_clock<ExactClock>(selection)
                                       : select_by_clock<PlanningClock>(selection);
}

void BestOrder::offer(StepOrder candidate, double candidate_makespan_s, const Variant& variant) {
  const bool is_less = clearly_less(candidate_makespan_s, makespan_s);
  if (!is_less && (clearly_less(makespan_s, candidate_makespan_s) || !(variant < winner))) return;
  order.swap(candidate);
  winner = variant;
  makespan_s = candidate_makespan_s;
}

Plan BestOrder::make_plan() {
  return {.dispatcher = make_order_dispatcher(std::move(order), *instance.platform,
                                              *instance.problem, kOptimizedOverlapped),
          .details = {{"selection", winner.name()}}};
}

Plan plan_het(const HetParameters& parameters, const Platform& platform, const Problem& problem) {
  BestOrder best({&platform, &problem});
  for (const std::vector<Variant>& variants : parameters.variant_groups()) {
    for (const Variant& variant : variants) {
      StepOrder order =
          select_steps({variant, &best.costs, &problem}, parameters.clock).finish(kUnknown);
      const double makespan_s = order_makespan_s(order, platform, problem, kOptimizedOverlapped);
      best.offer(std::move(order), makespan_s, variant);
    }
  }
  return best.make_plan();
}

}  // namespace starport
