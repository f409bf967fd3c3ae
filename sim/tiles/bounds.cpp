#include "sim/tiles/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace starport::tiles {
namespace {

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

/// Returns the numbers of tiles of the three matrices, in ascending order.
std::array<double, 3> sort_matrices(const ProductSize& size) {
  const auto r = static_cast<double>(size.r);
  const auto s = static_cast<double>(size.s);
  const auto t = static_cast<double>(size.t);
  std::array<double, 3> tiles{r * t, t * s, r * s};
  std::ranges::sort(tiles);
  return tiles;
}

/// Returns an upper bound on the number of tasks whose operands are among `received` tiles: the
/// root of the largest product of three numbers of that sum, each at most the size of its matrix.
double max_tasks_with(double received, const std::array<double, 3>& matrices) {
  const double third = received / 3;
  if (third <= matrices[0]) return std::pow(third, 1.5);
  const double half = std::min((received - matrices[0]) / 2, matrices[1]);
  const double rest = std::min(received - matrices[0] - half, matrices[2]);
  return std::sqrt(matrices[0] * half * rest);
}

/// GPUs into which all tiles come through one shared bandwidth.
struct Group {
  std::vector<std::size_t> nodes{};
  double tile_s = 0;             ///< at the full bandwidth
  bool carries_results = false;  ///< tiles that return to main memory use the bandwidth, too
};

/// Returns the groups of GPUs behind shared bandwidths, by increasing size. Of two groups one
/// contains the other or they have no GPU in common, since buses form trees.
std::vector<Group> find_groups(const Platform& platform) {
  std::vector<Group> groups;
  for (std::size_t line = 0; line < platform.shared_lines.size(); ++line) {
    Group group{.tile_s = platform.shared_lines[line].tile_s};
    const auto uses_line = [&](const Route& route) {
      return std::ranges::find(route.lines, static_cast<std::int32_t>(line)) != route.lines.end();
    };
    for (int node = 1; node < platform.nodes(); ++node) {
      if (!uses_line(platform.route(kHub, node))) continue;
      group.nodes.push_back(static_cast<std::size_t>(node));
      group.carries_results = uses_line(platform.route(node, kHub));
    }
    if (!group.nodes.empty()) groups.push_back(std::move(group));
  }
  std::ranges::stable_sort(groups, {}, [](const Group& group) { return group.nodes.size(); });
  return groups;
}

/// Returns the least sum of the rows and columns of C that a share of it spans, in units of the
/// geometric mean of the numbers of rows and columns.
double min_lines(double share, const ProductSize& size) {
  const double shorter = std::sqrt(static_cast<double>(std::min(size.r, size.s)) /
                                   static_cast<double>(std::max(size.r, size.s)));
  if (std::sqrt(share) <= shorter) return 2 * std::sqrt(share);
  return shorter + share / shorter;
}

/// Returns the shortest time in which a tile can come to a GPU, without latency.
double fastest_arrival_s(const Platform& platform, int node) {
  double tile_s = platform.link(node).in_s;
  for (int from = 0; from < platform.nodes() && !platform.routes.empty(); ++from) {
    if (from != node) tile_s = std::min(tile_s, platform.route(from, node).tile_s);
  }
  return tile_s;
}

/// Upper bounds on the number of tasks executed within some time.
class TaskBound {
 public:
  TaskBound(const Platform& platform, const std::vector<double>& speeds,
            const std::array<double, 3>& matrices)
      : speeds_(speeds),
        matrices_(matrices),
        arrivals_s_(speeds.size()),
        groups_(find_groups(platform)) {
    for (int node = 1; node < platform.nodes(); ++node) {
      arrivals_s_[static_cast<std::size_t>(node)] = fastest_arrival_s(platform, node);
    }
  }

  double max_tasks_within(double time_s) const {
    std::vector<double> tasks(speeds_.size());
    tasks[kHub] = speeds_[kHub] * time_s;
    for (std::size_t node = 1; node < tasks.size(); ++node) {
      tasks[node] =
          std::min(speeds_[node] * time_s, max_tasks_with(time_s / arrivals_s_[node], matrices_));
    }
    // The tasks of a group are counted at its first node.
    for (const Group& group : groups_) {
      double together = 0;
      for (const std::size_t node : group.nodes) together += std::exchange(tasks[node], 0);
      const double received = time_s / group.tile_s;
      double moved = max_tasks_with(received, matrices_);
      // The root of the largest a b c with a + b + 2 c = received.
      if (group.carries_results)
        moved = std::min(moved, std::pow(received / 3, 1.5) / std::sqrt(2));
      tasks[group.nodes.front()] = std::min(together, moved);
    }
    return sum(tasks);
  }

 private:
  const std::vector<double>& speeds_;
  const std::array<double, 3>& matrices_;
  std::vector<double> arrivals_s_;  ///< by node
  std::vector<Group> groups_;
};

}  // namespace

Bounds compute_bounds(const Platform& platform, const ProductSize& size) {
  Platform with_overhead = platform;
  for (Worker& worker : with_overhead.workers) worker.update_s += platform.task_overhead_s;
  const std::vector<double> speeds = node_speeds(with_overhead);
  const double total = sum(speeds);
  const auto tasks = static_cast<double>(size.updates());
  const auto cells = static_cast<double>(size.cells());
  const double lengths = static_cast<double>(size.t) / std::sqrt(cells);
  const std::array<double, 3> matrices = sort_matrices(size);
  Bounds bounds{.area_s = platform.start_up_s + tasks / total};

  double low_s = tasks / total;
  double high_s = low_s;
  const TaskBound bound(platform, speeds, matrices);
  const auto is_enough = [&](double time_s) {
    return bound.max_tasks_within(time_s) >= tasks * (1 - 1e-12);
  };
  while (!is_enough(high_s)) high_s *= 2;
  for (int step = 0; step < 100 && low_s < high_s; ++step) {
    const double middle_s = (low_s + high_s) / 2;
    (is_enough(middle_s) ? high_s : low_s) = middle_s;
  }
  bounds.makespan_s = platform.start_up_s + low_s;

  for (int node = 1; node < platform.nodes(); ++node) {
    const double share = speeds[static_cast<std::size_t>(node)] / total;
    double tiles = cells * (min_lines(share, size) * lengths + 2 * share);
    if (const auto memory = platform.link(node).memory_tiles; memory && *memory > 0) {
      const auto m = static_cast<double>(*memory);
      tiles = std::max(tiles, 2 * share * tasks / std::sqrt(m) - 2 * m);
    }
    bounds.volume_tiles += tiles;
  }
  return bounds;
}

}  // namespace starport::tiles
