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

/// One of the eight ways of PPoPP'08 in which the heuristic Het chooses the worker of the next step
/// (blocks of A and B for one update): three independent options.
struct Variant {
  /// True to compare workers by the work (block updates) that the next communication allows over
  /// the time that it adds (option ratio=local). False to compare them by the work of the whole
  /// plan, the next communication included, over the date at which that ends (ratio=global). With
  /// `look_ahead`, the next two communications count instead of one. The largest ratio wins.
  bool local = false;
  /// True to choose the first step (message with blocks of A and B) of the best pair of consecutive
  /// steps, on one or two workers; false to choose the best single step. The best has the largest
  /// ratio of work to time (`local`).
  bool look_ahead = false;
  /// True if planning counts the sending of each worker's first chunk of C (with
  /// PlanningDates::exact, of all its chunks, and the return of all but its last); false if
  /// transfers of C are ignored in planning.
  bool count_c = false;

  /// Returns the parameters of the heuristic Het, as users write them, that try this variant alone,
  /// e.g. "ratio=global,look_ahead=yes,count_c=no".
  std::string name() const;
  /// Orders variants by `local`, then `look_ahead`, then `count_c`, false first. Of plans with
  /// equal makespans, Het chooses that of the smaller variant.
  auto operator<=>(const Variant&) const = default;
};

/// Array of the eight variants of Het (ways to choose the worker of the next step), in ascending
/// order: by `local`, then `look_ahead`, then `count_c`, false first.
inline constexpr std::array<Variant, 8> kVariants{{{false, false, false},
                                                   {false, false, true},
                                                   {false, true, false},
                                                   {false, true, true},
                                                   {true, false, false},
                                                   {true, false, true},
                                                   {true, true, false},
                                                   {true, true, true}}};

/// Choice of the dates by which the heuristic Het compares workers while planning: simplified ones,
/// or those of the simulation.
enum class PlanningDates {
  /// The papers' simplified dates (PlanningClock), as if each worker had one set of buffers: it
  /// receives a step no earlier than the end of its previous update.
  coarse,
  /// The dates that the simulation will have (ExactClock), with two sets of buffers: a worker's
  /// communication and computation overlap.
  exact
};

/// Options of the heuristic Het. Each of `local`, `look_ahead` and `count_c` that is set restricts
/// the search to the variants (ways to choose workers) with that value; if none is set, all eight
/// are tried.
struct HetParameters {
  /// Dates by which the worker of each step (message with blocks of A and B) is chosen while
  /// planning: the papers' simplified ones (coarse), or those of the simulation (exact).
  PlanningDates clock = PlanningDates::coarse;
  /// If set, only variants that rate a worker's next step by the time that its communication adds
  /// (true), or by the time of the whole plan so far (false), are tried; see Variant::local.
  /// nullopt: both.
  std::optional<bool> local;
  /// If set, only variants that choose the best pair of consecutive steps (true), or the best
  /// single step (false), are tried; see Variant::look_ahead. nullopt: both.
  std::optional<bool> look_ahead;
  /// If set, only variants that count transfers of C in planning (true), or ignore them (false),
  /// are tried; see Variant::count_c. nullopt: both.
  std::optional<bool> count_c;

  /// Returns the variants (ways to choose workers) to try, at least one, in groups of one or two
  /// that differ only in `local`, in ascending order of `count_c`, then `look_ahead`, then `local`
  /// (false first).
  std::vector<std::vector<Variant>> variant_groups() const;
};

/// An order of steps (messages with blocks of A and B) under construction, made by select_steps()
/// and its faster versions. It is complete when the panels (groups of block columns of C taken by
/// one worker, as wide as its chunks) whose steps are all in the order cover C, and abandoned once
/// a lower bound on its makespan exceeds a limit. Then finish() returns it, or an empty order if
/// abandoned. The costs passed to the constructor must outlive it.
class PanelOrder {
 public:
  /// Creates an empty order of steps (the worker of each message with blocks of A and B) for the
  /// workers with these costs, which must outlive it and not change; the problem is not kept. The
  /// order is abandoned as soon as a lower bound shows that no execution can end by `limit_s`
  /// (simulated seconds; kUnknown, infinity: never). With empty costs it is never complete
  /// (is_open() stays true).
  PanelOrder(const std::vector<StepCosts>& costs, const Problem& problem, double limit_s)
      : costs_(&costs), columns_left_(problem.s), limit_s_(limit_s) {
    steps_.reserve(costs.size());
    for (const StepCosts& cost : costs) {
      largest_mu_ = std::max(largest_mu_, cost.mu);
      steps_.push_back({.left = cost.panel_steps});
    }
    constexpr std::int64_t most_reserved = 1 << 16;
    const std::int64_t most_updates = std::max<std::int64_t>(1, largest_mu_ * largest_mu_);
    order_.reserve(
        static_cast<std::size_t>(std::min(most_reserved, problem.updates() / most_updates)));
  }

  /// Returns true while steps can be added: the order neither covers all of C nor has been
  /// abandoned as too long.
  bool is_open() const { return open_; }
  /// Appends a step (blocks of A and B for one update) of the worker with the costs `costs[i]`; an
  /// `i` out of range is undefined behaviour. is_open() must be true before (not checked). It
  /// becomes false if the step completes a panel and the order then covers C or is abandoned.
  void add(std::size_t i) {
    order_.push_back(static_cast<std::int32_t>(i));
    if (--steps_[i].left == 0) complete_panel(i);
  }
  /// Returns the order of steps as worker indices of the platform, without the steps of incomplete
  /// panels (block columns of C of one worker), or an empty order if a lower bound shows that no
  /// execution can end by `limit_s` (simulated seconds). May be called only once, when is_open() is
  /// false, and with a limit not above the constructor's (not checked): with a higher one the
  /// result may be an abandoned order, which does not cover C.
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

/// Request to plan one order of steps (the worker of each message with blocks of A and B) by a
/// variant of Het, passed to select_steps() and its faster versions. Does not own the costs and the
/// problem: the problem must live during that call, the costs as long as the order that it returns.
struct Selection {
  /// The variant of Het (one of its eight ways) by which the worker of each step is chosen.
  Variant variant;
  /// Durations of the steps (messages with blocks of A and B) of each worker; must outlive the
  /// PanelOrder made of them. Neither null nor empty (not checked: undefined behaviour).
  const std::vector<StepCosts>* costs;
  /// The product to plan; must live until the order has been planned. Not null (not checked:
  /// undefined behaviour).
  const Problem* problem;
  /// Makespan in simulated seconds: the order of steps is abandoned (finish() returns an empty one)
  /// once a lower bound shows that no execution of it can end by then. kUnknown (infinity): never.
  double limit_s = kUnknown;
};

/// Plans an order of steps (messages with blocks of A and B) by incremental selection: each step
/// goes to the worker with the largest ratio of work (block updates) to time, both as
/// `selection.variant` says; of equal ratios (within a relative 1e-9), to the first in
/// `selection.costs`, which must not be empty (undefined behaviour). Dates are the papers'
/// simplified ones (coarse) or those of the simulation (exact). O(p) per step for p workers, O(p^2)
/// with look-ahead. Call finish() on the result, which refers to `selection.costs`, with a limit
/// not above selection.limit_s.
PanelOrder select_steps(const Selection& selection, PlanningDates clock = PlanningDates::coarse);

/// The order of steps (messages with blocks of A and B) with the smallest simulated makespan that
/// Het has planned so far for one instance (platform and product). Also holds, for planning more
/// orders, the durations of the steps of each worker (`costs`), which do not depend on the order.
/// Points to the instance's platform and problem, which must outlive it. Call offer() for each
/// order, then make_plan() once; before an order is offered, its plan sends nothing.
struct BestOrder {
  /// Starts without an order; computes the costs of steps (messages with blocks of A and B) for
  /// workers with two sets of buffers for A and B (kOptimizedOverlapped). The platform and the
  /// product must outlive this object; the pointers to them must not be null (not checked).
  explicit BestOrder(const Instance& planned)
      : instance(planned),
        costs(compute_step_costs(*planned.platform, *planned.problem, kOptimizedOverlapped)) {}

  /// Stores `candidate`, an order of steps planned by `variant`, if its simulated makespan in
  /// seconds (finite) is smaller than that of the best order so far, or equal within a relative
  /// 1e-9 and the variant is smaller. Otherwise drops it.
  void offer(StepOrder candidate, double candidate_makespan_s, const Variant& variant);
  /// Returns a plan that executes the best order of steps offered. The order is moved out: a second
  /// plan, or one before any order is offered, sends nothing, so that C is not computed. A run
  /// throws SimulationError if a worker stops (noise) that a later transfer needs. The problem of
  /// `instance` must outlive the plan; this object and the platform need not.
  Plan make_plan();

  /// The platform and the problem (product) for which orders of steps (messages with blocks of A
  /// and B) are planned. Points to both and owns neither.
  Instance instance;
  /// Durations of the steps (messages with blocks of A and B) of each worker with memory for a
  /// chunk of C, in ascending order of worker index; empty if there is none.
  std::vector<StepCosts> costs;
  /// The best order of steps offered so far; empty before the first and after make_plan(), which
  /// moves it out.
  StepOrder order = {};
  /// The variant of Het that planned `order`, the best order of steps passed to offer() so far;
  /// meaningless before the first.
  Variant winner = {};
  /// Makespan of the best order of steps in simulated seconds; kUnknown (infinity) before an order
  /// is offered.
  double makespan_s = kUnknown;
};

/// Makes the plan of Het, by its definition: plans an order of steps (the worker of each message
/// with blocks of A and B) by each variant that `parameters` allows, simulates each on the platform
/// without noise (a multi-port master as if it were two-port), and executes the one with the
/// smallest makespan (of equal ones, within a relative 1e-9, that of the variant first in
/// kVariants). Takes O(p) per step and variant for p workers, O(p^2) with look-ahead;
/// fast::plan_het_batch() makes the same plans faster. Some worker must have the memory for a chunk
/// of one block (5 blocks), otherwise the behaviour is undefined. A run throws SimulationError if a
/// worker stops (noise) that a later transfer needs. The problem must outlive the plan; the
/// platform need not.
Plan plan_het(const HetParameters& parameters, const Platform& platform, const Problem& problem);

}  // namespace starport
