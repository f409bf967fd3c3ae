// Each task goes to its node and stays there (ICPP'18, section 4.2.1, Static).
#pragma once

#include "heuristics/tiles/task_lists.hpp"

namespace starport::tiles {

class StaticAllocation : public Strategy {
 public:
  explicit StaticAllocation(const Scene& scene)
      : scene_(scene), lists_(scene, scene.platform.nodes()) {}

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int worker) override;

 protected:
  int node(int worker) const { return scene_.platform.worker(worker).node; }
  int nodes() const { return scene_.platform.nodes(); }

  Scene scene_;
  TaskLists lists_;  ///< of each node, first in first out
};

}  // namespace starport::tiles
