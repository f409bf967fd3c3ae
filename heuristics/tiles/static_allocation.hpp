// Each task goes to its node and stays there (ICPP'18, section 4.2.1, Static).
#pragma once

#include "heuristics/tiles/task_lists.hpp"

namespace starport::tiles {

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
  TaskLists lists_;  ///< of each node, first in first out
};

}  // namespace starport::tiles
