#include "sim/tiles/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace starport::tiles {
namespace {

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

/// Returns an upper bound on the number of tasks executed within `time_s`. `square` is n², the
/// number of tiles of a matrix.
double max_tasks_within(const Platform& platform, const std::vector<double>& speeds, double time_s,
                        double square) {
  double tasks = speeds[kHub] * time_s;
  for (int node = 1; node < platform.nodes(); ++node) {
    const double projection = std::min(time_s / platform.link(node).in_s / 3, square);
    tasks += std::min(speeds[static_cast<std::size_t>(node)] * time_s, std::pow(projection, 1.5));
  }
  return tasks;
}

}  // namespace

Bounds compute_bounds(const Platform& platform, std::int64_t n) {
  const std::vector<double> speeds = node_speeds(platform);
  const double total = sum(speeds);
  const auto side = static_cast<double>(n);
  const double square = side * side;
  const double tasks = square * side;
  Bounds bounds{.area_s = platform.start_up_s + tasks / total};

  double low_s = tasks / total;
  double high_s = low_s;
  const auto is_enough = [&](double time_s) {
    return max_tasks_within(platform, speeds, time_s, square) >= tasks * (1 - 1e-12);
  };
  while (!is_enough(high_s)) high_s *= 2;
  for (int step = 0; step < 100 && low_s < high_s; ++step) {
    const double middle_s = (low_s + high_s) / 2;
    (is_enough(middle_s) ? high_s : low_s) = middle_s;
  }
  bounds.makespan_s = platform.start_up_s + low_s;

  for (int node = 1; node < platform.nodes(); ++node) {
    const double share = speeds[static_cast<std::size_t>(node)] / total;
    double tiles = square * (2 * std::sqrt(share) + 2 * share);
    if (const auto memory = platform.link(node).memory_tiles; memory && *memory > 0) {
      const auto m = static_cast<double>(*memory);
      tiles = std::max(tiles, 2 * share * tasks / std::sqrt(m) - 2 * m);
    }
    bounds.volume_tiles += tiles;
  }
  return bounds;
}

}  // namespace starport::tiles
