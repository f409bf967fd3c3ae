// Strategies that start from a static allocation of tasks to memory nodes (ICPP'18, section 4.2.1).
#pragma once

#include "heuristics/tiles/task_lists.hpp"
#include "sim/platform/random.hpp"

namespace starport::tiles {

/// Static: executes each task at the memory node that the static allocation assigns it to, in the
/// order in which tasks become ready. Requires a task graph with an allocation
/// (TaskGraph::allocation()); otherwise push() is undefined behaviour.
class StaticAllocation : public Strategy {
 public:
  /// Creates one empty list of ready tasks per memory node. The objects that `context` refers to
  /// must outlive this object.
  explicit StaticAllocation(const StrategyContext& context)
      : context_(context), lists_(context, context.platform.nodes()) {}

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int worker) override;

 protected:
  int node(int worker) const { return context_.platform.worker(worker).node; }
  int nodes() const { return context_.platform.nodes(); }

  StrategyContext context_;
  TaskLists lists_;  ///< one list of ready tasks per node
};

/// RandSteal: executes tasks at the memory node that the static allocation assigns them to, with
/// work stealing. An idle worker steals the last task of a random node's list, or of the next list
/// that is not empty. Requires a task graph with an allocation.
class RandSteal : public StaticAllocation {
 public:
  /// Seeds its random numbers with `context.seed`. The objects that `context` refers to must
  /// outlive this object.
  explicit RandSteal(const StrategyContext& context)
      : StaticAllocation(context), random_(context.seed) {}

  std::optional<Task> steal(int worker) override;

 private:
  Random random_;
};

/// ChoiceSteal: executes tasks at the memory node that the static allocation assigns them to, with
/// work stealing. Of the last tasks of the other nodes' lists, an idle worker steals the one with
/// the fewest operands absent at its own node; on ties, the next node in cyclic order comes first.
/// Requires a task graph with an allocation.
class ChoiceSteal : public StaticAllocation {
 public:
  using StaticAllocation::StaticAllocation;

  std::optional<Task> steal(int worker) override;
};

/// EffectiveSteal: executes tasks at the memory node that the static allocation assigns them to,
/// with work stealing. An idle worker steals the task with the fewest operands absent at its node
/// among the lists of all other nodes or, if all three operands of every task are absent, the last
/// task of a random list. Requires a task graph with an allocation.
class EffectiveSteal : public RandSteal {
 public:
  using RandSteal::RandSteal;

  std::optional<Task> steal(int worker) override;
  void on_copy_change(int node, Tile tile) override { lists_.on_copy_change(node, tile); }
};

}  // namespace starport::tiles
