// Random speeds of all kinds, and what must hold of every partition of them: for the tests, and for
// the survey of experiments/partition.
#pragma once

#include "heuristics/partition/areas.hpp"
#include "heuristics/partition/geometry.hpp"
#include "sim/platform/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace starport::test {

inline constexpr std::int64_t kFamilies = 10;

/// Families by number: uniform; spread over six decades; geometric; one huge; equal; nearly equal;
/// tiny ones; two values; small integers; one that is a fraction of the rest.
inline std::vector<double> random_speeds(Random& random, std::int64_t family, std::int64_t count) {
  const double base = random.real(0, 1);
  std::vector<double> speeds;
  for (std::int64_t i = 0; i < count; ++i) {
    const double u = random.real(0, 1);
    const auto at = static_cast<double>(i);
    switch (family) {
      case 0:
        speeds.push_back(0.01 + u);
        break;
      case 1:
        speeds.push_back(std::pow(10.0, 6 * u));
        break;
      case 2:
        speeds.push_back(std::pow(0.2 + 0.79 * base, at));
        break;
      case 3:
        speeds.push_back(i == 0 ? std::pow(10.0, 6 * base) : 0.5 + u);
        break;
      case 4:
        speeds.push_back(1);
        break;
      case 5:
        speeds.push_back(1 + 1e-9 * u);
        break;
      case 6:
        speeds.push_back(u < base ? 1e-9 * (1 + u) : 1 + u);
        break;
      case 7:
        speeds.push_back(u < base ? 1 : 1 + std::floor(100 * base * base));
        break;
      case 8:
        speeds.push_back(static_cast<double>(1 + i * i % 9));
        break;
      default:
        speeds.push_back(i == 0 ? base * at + base * static_cast<double>(4 * count)
                                : 0.9 + 0.1 * u);
    }
  }
  return speeds;
}

/// Whether the boxes of all zones cover the square (cube) exactly once: the cells between all edges
/// are counted, so that there is no rounding.
template <std::size_t D>
bool tiles_exactly(const partition::Partition<D>& partition) {
  std::array<std::vector<double>, D> edges;
  for (std::vector<double>& along : edges) along = {0, 1};
  for (const auto& zone : partition.zones) {
    for (const auto& box : zone) {
      for (std::size_t axis = 0; axis < D; ++axis) {
        edges[axis].push_back(box.sides[axis].from);
        edges[axis].push_back(box.sides[axis].to);
      }
    }
  }
  std::size_t cells = 1;
  for (std::vector<double>& along : edges) {
    std::sort(along.begin(), along.end());
    along.erase(std::unique(along.begin(), along.end()), along.end());
    if (along.front() != 0 || along.back() != 1) return false;
    cells *= along.size() - 1;
  }
  std::vector<int> covered(cells, 0);
  const auto at = [&](std::size_t axis, double edge) {
    return static_cast<std::size_t>(std::lower_bound(edges[axis].begin(), edges[axis].end(), edge) -
                                    edges[axis].begin());
  };
  for (const auto& zone : partition.zones) {
    for (const auto& box : zone) {
      const std::size_t first_layer = D == 3 ? at(D - 1, box.sides[D - 1].from) : 0;
      const std::size_t last_layer = D == 3 ? at(D - 1, box.sides[D - 1].to) : 1;
      for (std::size_t z = first_layer; z < last_layer; ++z) {
        for (std::size_t y = at(1, box.sides[1].from); y < at(1, box.sides[1].to); ++y) {
          for (std::size_t x = at(0, box.sides[0].from); x < at(0, box.sides[0].to); ++x) {
            ++covered[(z * (edges[1].size() - 1) + y) * (edges[0].size() - 1) + x];
          }
        }
      }
    }
  }
  return std::all_of(covered.begin(), covered.end(), [](int times) { return times == 1; });
}

/// What is wrong with a partition; nothing if it is right.
template <std::size_t D>
std::string fault(const partition::Partition<D>& partition, const std::vector<double>& speeds) {
  const std::vector<double> weights = partition::normalize_speeds(speeds);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (partition.zones.size() != speeds.size()) return "not a zone for each processor";
  double cost = 0;
  for (std::size_t p = 0; p < speeds.size(); ++p) {
    const double error = partition::volume(partition.zones[p]) - weights[p] / sum;
    if (!(std::abs(error) < 1e-9)) return fmt::format("P{} off by {}", p + 1, error);
    for (const auto& box : partition.zones[p]) {
      for (const auto& side : box.sides) {
        if (!(side.from <= side.to)) return fmt::format("P{} has a negative side", p + 1);
      }
    }
    cost += partition::projection_cost(partition.zones[p]);
  }
  if (!(std::abs(cost - partition.cost) < 1e-9 * cost)) {
    return fmt::format("cost {}, measured {}", partition.cost, cost);
  }
  return tiles_exactly(partition) ? "" : "not a tiling";
}

/// Result of draw_ratios(): statistics over random areas a1 > a2 (fractions of the unit square, a1
/// + a2 = 1) of two processors. A ratio is the cost of the straight-line or square-corner partition
/// divided by the bound 2 (√a1 + √a2); it is 1 or more (HCW'06, section 3.3).
struct TwoProcessorRatios {
  /// Number of random pairs of areas a1 > a2 of two processors that the statistics cover: those
  /// drawn with 3 < a1 / a2 <= max_ratio.
  std::int64_t draws = 0;
  /// Mean of the ratio of the cost of the straight-line partition, which is 3, to the lower bound 2
  /// (√a1 + √a2), over the random pairs of areas a1 and a2 = 1 - a1 that count: those with 3 < a1 /
  /// a2 <= max_ratio. NaN if there are none (`draws` is 0).
  double mean_line = 0;
  /// Mean of the ratio of the cost of the square-corner partition, which is 2 + 2 √a2, to the lower
  /// bound 2 (√a1 + √a2), over the random pairs of areas a1 and a2 = 1 - a1 that count: those with
  /// 3 < a1 / a2 <= max_ratio. NaN if there are none (`draws` is 0).
  double mean_corner = 0;
  /// Smallest ratio of the cost of the straight-line partition, which is 3, to the lower bound 2
  /// (√a1 + √a2), over the random pairs of areas a1 and a2 = 1 - a1 that count: those with 3 < a1 /
  /// a2 <= max_ratio. Infinity if there are none (`draws` is 0).
  double min_line = 0;
  /// Smallest ratio of the cost of the square-corner partition, which is 2 + 2 √a2, to the lower
  /// bound 2 (√a1 + √a2), over the random pairs of areas a1 and a2 = 1 - a1 that count: those with
  /// 3 < a1 / a2 <= max_ratio. Infinity if there are none (`draws` is 0).
  double min_corner = 0;
};

/// Draws `draws` pairs of areas a2 = min(u, v) / (u + v) and a1 = 1 - a2 with u and v uniform in
/// (0, 1), and returns, over those with 3 < a1 / a2 <= max_ratio, the means and minima of the costs
/// of the straight-line and square-corner partitions, each divided by the lower bound 2 (√a1 +
/// √a2). If there are none, e.g. as draws <= 0 or max_ratio <= 3, the means are NaN and the minima
/// infinity. `max_ratio` may be infinite. The same seed gives the same result. Takes time in
/// proportion to `draws`. With this rule the averages of HCW'06 are reproduced.
inline TwoProcessorRatios draw_ratios(std::int64_t draws, std::uint64_t seed, double max_ratio) {
  Random random(seed);
  TwoProcessorRatios ratios;
  ratios.min_line = ratios.min_corner = std::numeric_limits<double>::infinity();
  for (std::int64_t draw = 0; draw < draws; ++draw) {
    const double u = random.real(0, 1);
    const double v = random.real(0, 1);
    if (u == 0 || v == 0) continue;
    const double a2 = std::min(u, v) / (u + v);
    const double a1 = std::max(u, v) / (u + v);
    if (a1 <= 3 * a2 || a1 > max_ratio * a2) continue;
    const double bound = 2 * (std::sqrt(a1) + std::sqrt(a2));
    const double line = 3 / bound;
    const double corner = (2 + 2 * std::sqrt(a2)) / bound;
    ++ratios.draws;
    ratios.mean_line += line;
    ratios.mean_corner += corner;
    ratios.min_line = std::min(ratios.min_line, line);
    ratios.min_corner = std::min(ratios.min_corner, corner);
  }
  ratios.mean_line /= static_cast<double>(ratios.draws);
  ratios.mean_corner /= static_cast<double>(ratios.draws);
  return ratios;
}

}  // namespace starport::test
