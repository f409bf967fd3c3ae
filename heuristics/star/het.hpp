// Het: the heterogeneous algorithm with incremental resource selection (PPoPP'08, section 5).
#pragma once

#include "heuristics/star/planning.hpp"
#include "sim/star/heuristic.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// One of the paper's eight variants of choosing the next worker.
struct Variant {
  bool local = false;       ///< ratio over the last communication, not over the whole run
  bool look_ahead = false;  ///< choose the first of the best pair of steps, not the best step
  bool count_c = false;     ///< the first step of a worker also moves its chunk of C

  /// Returns the name in reports, e.g. "global/look-ahead/C ignored".
  std::string name() const;
  auto operator<=>(const Variant&) const =
      default;  ///< of equal makespans, the smaller variant wins
};

/// The eight variants, in order.
inline constexpr std::array<Variant, 8> kVariants{{{false, false, false},
                                                   {false, false, true},
                                                   {false, true, false},
                                                   {false, true, true},
                                                   {true, false, false},
                                                   {true, false, true},
                                                   {true, true, false},
                                                   {true, true, true}}};

/// The clock by which steps are chosen.
enum class PlanningDates {
  coarse,  ///< the papers' dates (PlanningClock)
  exact    ///< the dates of execution (ExactClock)
};

/// Parameters of Het. A property that is set restricts the search to the variants that have it.
struct HetParameters {
  PlanningDates clock = PlanningDates::coarse;
  std::optional<bool> local;
  std::optional<bool> look_ahead;
  std::optional<bool> count_c;

  /// Returns the variants to try, in groups that differ only in the ratio. Those that count C come
  /// last: if moving C costs more than a step computes, they use a single worker, and their orders
  /// may be abandoned early.
  std::vector<std::vector<Variant>> variant_groups() const;
};

/// An order of steps under construction, until the panels completed have at least s columns. Keeps
/// a reference to the costs.
class PanelOrder {
 public:
  /// The order is abandoned once no run of it can end by `limit_s` (kUnknown: never).
  PanelOrder(const std::vector<StepCosts>& costs, const Problem& problem, double limit_s)
      : costs_(&costs), columns_left_(problem.s), limit_s_(limit_s) {
    for (const StepCosts& cost : costs) {
      largest_mu_ = std::max(largest_mu_, cost.mu);
      steps_.push_back({.left = cost.panel_steps});
    }
  }

  /// Returns true while the order is neither complete nor abandoned.
  bool is_open() const { return open_; }
  /// Appends a step of the worker with costs[i].
  void add(std::size_t i) {
    order_.push_back(static_cast<std::int32_t>(i));
    if (--steps_[i].left == 0) complete_panel(i);
  }
  /// Prefetches what add(i) will write.
  void prefetch(std::size_t i) const { __builtin_prefetch(&steps_[i], 1); }
  /// Returns the order without the steps of panels that are not complete, and leaves this object
  /// empty. The order is empty if no run of it can end by `limit_s`.
  StepOrder finish(double limit_s);

 private:
  struct Steps {
    std::int64_t left = 0;       ///< in the current panel, or in the next one
    std::int64_t completed = 0;  ///< in completed panels
    std::int64_t columns = 0;    ///< columns of completed panels
    std::int32_t worker = 0;     ///< index in the platform, set by finish()
  };

  /// Updates the least makespan of the order: a worker is sent, computes and returns all its
  /// columns, chunk after chunk, except those by which the last panels exceed s.
  void complete_panel(std::size_t i) {
    const StepCosts& cost = (*costs_)[i];
    Steps& steps = steps_[i];
    steps.left = cost.panel_steps;
    steps.completed += cost.panel_steps;
    steps.columns += cost.mu;
    columns_left_ -= cost.mu;
    least_makespan_s_ = std::max(least_makespan_s_,
                                 static_cast<double>(steps.columns - largest_mu_) * cost.column_s);
    open_ = columns_left_ > 0 && least_makespan_s_ <= limit_s_;
  }

  const std::vector<StepCosts>* costs_;
  std::int64_t columns_left_;
  double limit_s_;
  bool open_ = true;
  std::int64_t largest_mu_ = 0;
  double least_makespan_s_ = 0;
  std::vector<Steps> steps_;  ///< by worker, as in the costs
  StepOrder order_;
};

/// An order to be planned: by a variant, for an instance. What it points to must outlive it.
struct Selection {
  Variant variant;
  const std::vector<StepCosts>* costs;
  const Problem* problem;
  double limit_s = kUnknown;  ///< abandon the order once no run of it can end by then
};

/// Plans the order of a variant by incremental selection: each step goes to the worker of largest
/// ratio of work achieved to completion time of the last communication, then of smallest index.
/// O(p) per step, O(p^2) with look-ahead.
PanelOrder select_steps(const Selection& selection, PlanningDates clock = PlanningDates::coarse);

/// The best of the orders planned so far for an instance.
struct BestOrder {
  explicit BestOrder(const Instance& planned)
      : instance(planned),
        costs(compute_step_costs(*planned.platform, *planned.problem, kOptimizedOverlapped)) {}

  /// Replaces the best order if `candidate` has the smaller makespan, or of ties the smaller
  /// variant.
  void offer(StepOrder candidate, double candidate_makespan_s, const Variant& variant);
  /// Returns a plan that runs the best order, which it moves out. An order must have been offered.
  Plan make_plan();

  Instance instance;
  std::vector<StepCosts> costs;
  StepOrder order = {};
  Variant winner = {};
  double makespan_s = kUnknown;
};

/// Plans an order by each of the eight variants, simulates it exactly, and runs the best one: the
/// definition of Het. The platform and the problem must outlive the plan. fast::plan_het_batch()
/// makes the same plans.
Plan plan_het(const HetParameters& parameters, const Platform& platform, const Problem& problem);

}  // namespace starport
