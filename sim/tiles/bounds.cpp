#include "sim/tiles/bounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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

/// Returns an upper bound on the number of tasks executed within `time_s`.
double max_tasks_within(const Platform& platform, const std::vector<double>& speeds, double time_s,
                        const std::array<double, 3>& matrices) {
  double tasks = speeds[kHub] * time_s;
  for (int node = 1; node < platform.nodes(); ++node) {
    tasks += std::min(speeds[static_cast<std::size_t>(node)] * time_s,
                      max_tasks_with(time_s / platform.link(node).in_s, matrices));
  }
  return tasks;
}

/// Returns the least sum of the rows and columns of C that a share of it spans, in units of the
/// geometric mean of the numbers of rows and columns.
double min_lines(double share, const ProductSize& size) {
  const double shorter = std::sqrt(static_cast<double>(std::min(size.r, size.s)) /
                                   static_cast<double>(std::max(size.r, size.s)));
  if (std::sqrt(share) <= shorter) return 2 * std::sqrt(share);
  return shorter + share / shorter;
}

}  // namespace

Bounds compute_bounds(const Platform& platform, const ProductSize& size) {
  const std::vector<double> speeds = node_speeds(platform);
  const double total = sum(speeds);
  const auto tasks = static_cast<double>(size.updates());
  const auto cells = static_cast<double>(size.cells());
  const double lengths = static_cast<double>(size.t) / std::sqrt(cells);
  const std::array<double, 3> matrices = sort_matrices(size);
  Bounds bounds{.area_s = platform.start_up_s + tasks / total};

  double low_s = tasks / total;
  double high_s = low_s;
  const auto is_enough = [&](double time_s) {
    return max_tasks_within(platform, speeds, time_s, matrices) >= tasks * (1 - 1e-12);
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
