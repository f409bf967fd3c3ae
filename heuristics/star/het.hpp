// Het: the heterogeneous algorithm with incremental resource selection (PPoPP'08 section 5).
#pragma once

#include "heuristics/star/planning.hpp"
#include "sim/star/instance.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace starport {

/// How the next worker is chosen: one of the paper's eight variants.
struct Variant {
  bool local = false;       ///< ratio over the last communication, else over the whole run
  bool look_ahead = false;  ///< by the best pair of choices, else by the next one only
  bool count_c = false;     ///< the first step of a worker also moves its chunk of C

  std::string name() const;                          ///< "global/look-ahead/C ignored"
  auto operator<=>(const Variant&) const = default;  ///< the order that decides ties
};

/// The dates by which a step is chosen.
enum class PlanningDates {
  coarse,  ///< the papers' (PlanningClock)
  exact    ///< those of execution (ExactClock)
};

/// Only the variants that agree with those given.
struct VariantsAsked {
  PlanningDates clock = PlanningDates::coarse;
  std::optional<bool> local;
  std::optional<bool> look_ahead;
  std::optional<bool> count_c;

  /// Those that differ in the ratio beside each other. The ones that count C come last: where
  /// moving C costs more than a step computes, they keep to one worker, and may be given up.
  std::vector<std::vector<Variant>> in_turn() const;
};

inline constexpr std::array<Variant, 8> kVariants{{{false, false, false},
                                                   {false, false, true},
                                                   {false, true, false},
                                                   {false, true, true},
                                                   {true, false, false},
                                                   {true, false, true},
                                                   {true, true, false},
                                                   {true, true, true}}};

/// Steps chosen until the panels completed count s columns; the steps of panels not completed are
/// left out in the end. It is given up where no run of it can end by limit_s.
class PanelOrder {
 public:
  PanelOrder(const std::vector<StepCosts>& costs, const Problem& problem, double limit_s)
      : costs_(&costs), columns_left_(problem.s), limit_s_(limit_s) {
    for (const StepCosts& cost : costs) {
      largest_mu_ = std::max(largest_mu_, cost.mu);
      steps_.push_back({.left = cost.panel_steps});
    }
  }

  /// Neither complete nor given up.
  bool open() const { return open_; }
  void add(std::size_t i) {
    order_.push_back(static_cast<std::int32_t>(i));
    if (--steps_[i].left == 0) complete_panel(i);
  }
  /// One that is perhaps added soon.
  void foresee(std::size_t i) const { __builtin_prefetch(&steps_[i], 1); }
  /// The workers of the steps; none when no run of it ends by then.
  StepOrder take(double limit_s);

 private:
  struct Steps {
    std::int64_t left = 0;       ///< of the panel begun, or of the next one
    std::int64_t completed = 0;  ///< of panels completed
    std::int64_t columns = 0;    ///< of panels completed
    std::int32_t worker = 0;     ///< of the platform, in the end
  };

  /// No run of it ends sooner than its least makespan: a worker is sent, computes and returns all
  /// its columns, chunk after chunk, but for what the last panels have too many.
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
  std::vector<Steps> steps_;  ///< of each worker
  StepOrder order_;
};

/// An order that is to be planned: by a variant, on an instance, given up where no run of it can
/// end by limit_s. What it points to outlives it.
struct Selection {
  Variant variant;
  const std::vector<StepCosts>* costs;
  const Problem* problem;
  double limit_s = kUnknown;
};

/// The order of each. At each step every worker is tried, or every pair of them. Neighbours with as
/// many workers that all look ahead, or all do not, are planned `at_once`: so many, or as many as
/// the processor's vectors hold.
std::vector<PanelOrder> select_workers(std::span<const Selection> selections,
                                       std::size_t at_once = SIZE_MAX);

/// The same by the exact clock.
std::vector<PanelOrder> select_exactly(std::span<const Selection> selections);

/// The best of the orders planned so far on an instance.
struct BestOrder {
  explicit BestOrder(const Instance& instance)
      : instance(instance),
        costs(step_costs(*instance.platform, *instance.problem, kOptimizedOverlapped)) {}

  void offer(StepOrder its_order, double its_makespan_s, const Variant& variant);
  Plan plan();

  Instance instance;
  std::vector<StepCosts> costs;
  StepOrder order = {};
  Variant winner = {};
  double makespan_s = kUnknown;
};

/// Plans with each of the eight variants, simulates the orders exactly and runs the best.
Plan plan_het(const VariantsAsked& asked, const Platform& platform, const Problem& problem);

}  // namespace starport
