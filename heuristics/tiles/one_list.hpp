// All ready tasks in one list, from which idle workers choose (ICPP'18, section 4.2.2).
#pragma once

#include "heuristics/tiles/task_lists.hpp"

#include <cstddef>
#include <limits>

namespace starport::tiles {

inline constexpr std::size_t kAllTasks = std::numeric_limits<std::size_t>::max();

/// The cheapest of the first X tasks: FirstDyn with X = 1, ChoiceDyn-X, EffectiveDyn with all.
class OneList : public Strategy {
 public:
  OneList(const Scene& scene, std::size_t choice)
      : scene_(scene), choice_(choice), list_(scene, 1) {}

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int worker) override;
  void copy(int node, Tile tile) override { list_.copy(node, tile); }

 private:
  Scene scene_;
  std::size_t choice_;
  TaskLists list_;  ///< only one
};

}  // namespace starport::tiles
