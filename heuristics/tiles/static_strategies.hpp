// Strategies that start from a static allocation of tasks to memory nodes (ICPP'18, section 4.2.1).
#pragma once

#include "heuristics/tiles/task_lists.hpp"
#include "sim/platform/random.hpp"

namespace starport::tiles {

/// Static: executes each task at the memory node that the allocation assigns it to, in the order in
/// which tasks become ready. Requires a task graph with an allocation.
class StaticAllocation : public Strategy {
 public:
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

/// RandSteal: Static with work stealing. An idle worker steals the last task of a random node's
/// list, or of the next list that is not empty.
class RandSteal : public StaticAllocation {
 public:
  explicit RandSteal(const StrategyContext& context)
      : StaticAllocation(context), random_(context.seed) {}

  std::optional<Task> steal(int worker) override;

 private:
  Random random_;
};

/// ChoiceSteal: an idle worker steals the last task of a node's list with the fewest operands
/// absent at the worker's node. On ties, the next node in cyclic order comes first.
class ChoiceSteal : public StaticAllocation {
 public:
  using StaticAllocation::StaticAllocation;

  std::optional<Task> steal(int worker) override;
};

/// EffectiveSteal: an idle worker steals the task with the fewest absent operands among all lists,
/// or, if all three operands of every task are absent, a random one as RandSteal does.
class EffectiveSteal : public RandSteal {
 public:
  using RandSteal::RandSteal;

  std::optional<Task> steal(int worker) override;
  void on_copy_change(int node, Tile tile) override { lists_.on_copy_change(node, tile); }
};

}  // namespace starport::tiles
