// A strategy for tile tasks and a partition of distributed products in a shared library.
#include "heuristics/external/plugin.hpp"

#include <algorithm>
#include <vector>

namespace {

using namespace starport::tiles;

/// Gives an idle worker the ready task of which its memory lacks the fewest tiles.
class Nearest final : public Strategy {
 public:
  explicit Nearest(const StrategyContext& context) : context_(context) {}

  std::optional<int> push(const Task& task, double /*now_s*/) override {
    ready_.push_back(task);
    return std::nullopt;
  }
  std::optional<Task> pop(int worker) override {
    if (ready_.empty()) return std::nullopt;
    const int node = context_.platform.worker(worker).node;
    const auto chosen = std::ranges::min_element(ready_, {}, [&](const Task& task) {
      return context_.copies.transfer_cost(node, context_.graph.operands(task));
    });
    const Task task = *chosen;
    ready_.erase(chosen);
    return task;
  }

 private:
  StrategyContext context_;
  std::vector<Task> ready_;
};

/// Gives each worker columns of C, as many to all.
class Columns final : public starport::spmd::PluginPartition {
 public:
  starport::PerWorker<starport::spmd::NodeRectangle> divide(const starport::spmd::Cluster& cluster,
                                                            std::int64_t side) const override {
    const std::int64_t workers = std::ssize(cluster.nodes);
    starport::PerWorker<starport::spmd::NodeRectangle> rectangles;
    for (std::int64_t worker = 0; worker < workers; ++worker) {
      const std::int64_t left = worker * side / workers;
      const std::int64_t right = (worker + 1) * side / workers;
      rectangles.push_back({.row = 0, .column = left, .m = side, .n = right - left});
    }
    return rectangles;
  }
};

}  // namespace

STARPORT_PLUGIN(starport::plugin_entry<Nearest>({"Nearest",
                                                 "an idle worker gets the nearest ready task",
                                                 "heuristics/examples/nearest.cpp",
                                                 {"examples"}}),
                starport::plugin_entry<Columns>({"Columns",
                                                 "as many columns of C for each worker",
                                                 "heuristics/examples/nearest.cpp",
                                                 {"examples"}}))
