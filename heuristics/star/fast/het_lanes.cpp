// Het's incremental selection on several instances or variants at once, in SIMD lanes.
#include "heuristics/star/fast/batch_planning.hpp"
#include "heuristics/star/fast/large_platforms.hpp"

namespace starport::fast {
namespace {

/// IncrementalSelection (het.cpp) in vectors: a selection in each lane, all with as many workers,
/// and with or without look-ahead.
template <class Vector>
class VectorSelection {
 public:
  explicit VectorSelection(std::span<const Selection> selections)
      : selections_(selections),
        look_ahead_(selections[0].variant.look_ahead),
        clock_(selections[0].costs->size()) {}

  void start(std::size_t lane, std::size_t n) {
    const auto& [variant, costs, problem, limit_s] = selections_[n];
    clock_.start(lane, *costs, variant.count_c);
    lane_of(local_, lane) = variant.local ? 1 : 0;
    lane_of(work_, lane) = 0;
  }

  Vector choose() {
    clock_.rebase(local_ * clock_.communication_end_s);
    achieved_ = (Vector(1) - local_) * work_;
    Vector best = 0;
    Ratio best_ratio{0, 1};
    Vector index = 0;
    for (const Worker& worker : clock_.workers) {
      const Vector end_s = worker.step_end_s(clock_.communication_end_s);
      const Ratio ratio =
          look_ahead_ ? best_pair(worker, end_s) : Ratio{achieved_ + worker.updates, end_s};
      const auto is_better =
          clearly_less(best_ratio.work * ratio.time_s, ratio.work * best_ratio.time_s);
      best_ratio = where(is_better, ratio, best_ratio);
      best = where(is_better, index, best);
      index = index + 1;
    }
    plan_step(best);
    return best;
  }

 private:
  using Worker = typename VectorPlanningClock<Vector>::Worker;
  struct Ratio {
    Vector work;
    Vector time_s;
    friend auto operator<(const Ratio& x, const Ratio& y) {
      return x.work * y.time_s < y.work * x.time_s;
    }
    template <class Mask>
    friend Ratio where(const Mask& condition, const Ratio& x, const Ratio& otherwise) {
      return {where(condition, x.work, otherwise.work),
              where(condition, x.time_s, otherwise.time_s)};
    }
  };

  Ratio best_pair(const Worker& first, const Vector& end_s) const {
    const Vector work = achieved_ + first.updates;
    Ratio best{work + first.updates, first.second_step_end_s(end_s)};
    for (const Worker& second : clock_.workers) {
      if (&second == &first) continue;
      const Ratio pair{work + second.updates, second.step_end_s(end_s)};
      best = where(best < pair, pair, best);
    }
    return best;
  }

  void plan_step(const Vector& chosen) {
    Vector planned_s = clock_.communication_end_s;
    Vector updates = 0;
    for_each_chosen(chosen, clock_.workers.size(), [&](std::size_t i, const auto& mask) {
      Worker& worker = clock_.workers[i];
      const Vector end_s = worker.step_end_s(clock_.communication_end_s);
      planned_s = where(mask, end_s, planned_s);
      updates = where(mask, worker.updates, updates);
      worker.ready_s = where(mask, end_s + worker.computation_s, worker.ready_s);
      worker.communication_s = where(mask, worker.later_s, worker.communication_s);
    });
    clock_.communication_end_s = planned_s;
    work_ = work_ + updates;
  }

  std::span<const Selection> selections_;
  bool look_ahead_;
  Vector local_{0};  ///< 1 in lanes with the local ratio
  VectorPlanningClock<Vector> clock_;
  Vector work_{0};
  Vector achieved_{0};
};

}  // namespace

std::vector<PanelOrder> select_in_lanes(std::span<const Selection> selections,
                                        std::size_t max_lanes) {
  std::vector<PanelOrder> orders;
  for (const Selection& selection : selections) {
    orders.emplace_back(*selection.costs, *selection.problem, selection.limit_s);
  }
  const auto is_alike = [&](std::size_t n, std::size_t other) {
    const Selection& x = selections[n];
    const Selection& y = selections[other];
    return x.variant.look_ahead == y.variant.look_ahead && x.costs->size() == y.costs->size();
  };
  for_each_alike_range(selections.size(), max_lanes, is_alike,
                       [&]<class Vector>(std::size_t first, std::size_t count) {
                         VectorSelection<Vector> selection(selections.subspan(first, count));
                         plan_in_lanes(selection, count, [&](std::size_t n, double chosen) {
                           PanelOrder& order = orders[first + n];
                           order.add(static_cast<std::size_t>(chosen));
                           return order.is_open();
                         });
                       });
  return orders;
}

}  // namespace starport::fast
