#include "heuristics/lanes.hpp"
#include "heuristics/selection.hpp"

#include <cstddef>
#include <vector>

namespace starport {
namespace {

/// Values are compared by their inverses, the seconds that each update costs: the smallest wins.
/// An unusable worker, and what fills up the last lanes, ends never.
template <bool local, bool look_ahead>
class ScanSelector {
 public:
  explicit ScanSelector(const PlanningClock& clock)
      : clock_(clock),
        singles_((clock.workers() + kLanes - 1) / kLanes),
        costs_(clock.workers()),
        pairs_(look_ahead ? clock.workers() * singles_.size() : 0) {
    for (Step& single : singles_) single.ready_s = in_all_lanes(LaneNumbers::kNone);
    for (std::size_t i = 0; i < clock.workers(); ++i)
      set_work(singles_[i / kLanes], i, clock.work(i));
    for (std::size_t i = 0; i < clock.workers(); ++i) {
      for (std::size_t j = 0; look_ahead && j < clock.workers(); ++j) {
        set_work(pair(i, j), i, clock.work(i) + clock.work(j));
      }
    }
    for (std::size_t i = 0; i < clock.workers(); ++i) update(i);
  }

  const PlanningClock& clock() const { return clock_; }

  std::size_t choose() {
    const Lanes now_s = in_all_lanes(clock_.communication_end_s());
    for (std::size_t n = 0; n < singles_.size(); ++n) {
      const Lanes end_s = singles_[n].end_s(now_s);
      costs_.group(n) = look_ahead ? pair_costs(n, end_s) : cost(singles_[n], end_s);
    }
    const std::size_t best = costs_.first_of_least();
    clock_.choose(best);
    planned_work_ += clock_.work(best);
    update(best);
    return best;
  }

 private:
  /// What decides max(T + communication, ready), the end of a step, for the workers of the lanes;
  /// or of a step of one worker right after one of each of these, where T is the end of the first.
  struct Step {
    Lanes communication_s{};
    Lanes ready_s{};
    Lanes work = in_all_lanes(1);  ///< of the step, or of both; its inverse for the local ratio

    Lanes end_s(Lanes now_s) const { return largest(now_s + communication_s, ready_s); }
  };

  static void set_work(Step& step, std::size_t i, double work) {
    step.work = replaced(step.work, i % kLanes, local ? 1 / work : work);
  }

  /// Of a step of worker j right after one of worker i.
  Step& pair(std::size_t i, std::size_t j) { return pairs_[(i / kLanes) * clock_.workers() + j]; }

  /// The next step of worker i has changed.
  void update(std::size_t i) {
    Step& single = singles_[i / kLanes];
    const std::size_t lane = i % kLanes;
    single.communication_s = replaced(single.communication_s, lane, clock_.communication_s(i));
    single.ready_s = replaced(single.ready_s, lane, clock_.ready_s(i));
    if constexpr (!look_ahead) return;
    for (std::size_t first = 0; first < clock_.workers(); first += kLanes) {
      pair(first, i).communication_s = in_all_lanes(clock_.communication_s(i));
      pair(first, i).ready_s = in_all_lanes(clock_.ready_s(i));
    }
    Step& twice = pair(i, i);
    twice.communication_s = replaced(twice.communication_s, lane, clock_.second_s(i));
    twice.ready_s = replaced(twice.ready_s, lane, 0);
  }

  /// Global: the end of the last communication over all the work planned. Local: the time that
  /// these steps add to the port over their work.
  Lanes cost(const Step& step, Lanes end_s) const {
    return local ? (end_s - in_all_lanes(clock_.communication_end_s())) * step.work
                 : end_s / (in_all_lanes(planned_work_) + step.work);
  }

  /// Of the n-th workers with the best second choice for each.
  Lanes pair_costs(std::size_t n, Lanes end_s) const {
    Lanes best = in_all_lanes(LaneNumbers::kNone);
    const Step* const begin = &pairs_[n * clock_.workers()];
    for (const Step* step = begin; step != begin + clock_.workers(); ++step) {
      best = least(cost(*step, step->end_s(end_s)), best);
    }
    return best;
  }

  PlanningClock clock_;
  std::vector<Step> singles_;
  LaneNumbers costs_;
  std::vector<Step> pairs_;
  double planned_work_ = 0;
};

/// Step by step together: no selection waits for the numbers of another, so that the processor
/// works on several at once.
template <bool local, bool look_ahead>
std::vector<StepOrder> select(std::span<const Selection> selections, const Platform& platform,
                              const Problem& problem, const MemoryLayout& layout) {
  struct Choice {
    ScanSelector<local, look_ahead> selector;
    PanelOrder order;
  };
  std::vector<Choice> choices;
  for (const Selection& selection : selections) {
    const PlanningClock clock(platform, problem, layout, selection.count_c);
    choices.push_back({ScanSelector<local, look_ahead>(clock), PanelOrder(clock, problem.s)});
  }
  for (bool complete = false; !complete;) {
    complete = true;
    for (auto& [selector, order] : choices) {
      if (order.complete()) continue;
      complete = false;
      order.add(selector.choose(), selector.clock());
    }
  }
  std::vector<StepOrder> orders;
  for (Choice& choice : choices) orders.push_back(choice.order.take());
  return orders;
}

}  // namespace

std::vector<StepOrder> select_by_scan(std::span<const Selection> selections,
                                      const Platform& platform, const Problem& problem,
                                      const MemoryLayout& layout) {
  const auto& [local, look_ahead, count_c] = selections.front();
  const auto plan = look_ahead ? (local ? select<true, true> : select<false, true>)
                               : (local ? select<true, false> : select<false, false>);
  return plan(selections, platform, problem, layout);
}

}  // namespace starport
