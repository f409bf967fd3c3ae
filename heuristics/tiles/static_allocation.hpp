// Each task goes to its node and stays there (ICPP'18, section 4.2.1, Static).
#pragma once

#include "sim/tiles/strategy.hpp"
#include "sim/tiles/task_list.hpp"

#include <vector>

namespace starport::tiles {

class StaticAllocation : public Strategy {
 public:
  explicit StaticAllocation(const Scene& scene)
      : scene_(scene), lists_(static_cast<std::size_t>(scene.platform.nodes())) {}

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int worker) override;

 protected:
  TaskList& list(int node) { return lists_[static_cast<std::size_t>(node)]; }
  int node(int worker) const { return scene_.platform.worker(worker).node; }
  int nodes() const { return scene_.platform.nodes(); }

  Scene scene_;

 private:
  std::vector<TaskList> lists_;  ///< of each node, first in first out
};

}  // namespace starport::tiles
