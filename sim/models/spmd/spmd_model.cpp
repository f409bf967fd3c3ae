#include "sim/models/spmd/spmd_model.hpp"

#include "sim/files/error.hpp"
#include "sim/files/text.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"
#include "sim/spmd/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace starport::spmd {

Value of_balanced_speed(const RecordContext& row) {
  const double share = row[kSpeed] / row[kBalancedSpeed];
  return share == share ? Value(share) : Value();
}

const FigureList& spmd_figures() {
  static const FigureList figures = merge_figures(
      common_figures(),
      {&kEnrolledWorkers, &kSpeed, &kImbalance, &kPasses, &kMeasuring, &kHalfPerimeterRatio,
       &kCommunication, &kHubTransfers, &kCommunicationShare, &kWaitingShare, &kElementsMoved,
       &kElementsOfC, &kEndToEndMakespan, &kRelativeCost, &kBalancedSpeed, &kOfBalancedSpeed});
  return figures;
}

std::int64_t side_of(const Problem& problem) {
  if (problem.r != problem.s || problem.r != problem.t) {
    throw NotApplicable(fmt::format("it multiplies square matrices, here of {} x {} by {} x {}",
                                    problem.r, problem.t, problem.t, problem.s));
  }
  constexpr std::int64_t max_side = std::int64_t{1} << 26;  // counts of elements fit in 63 bits
  if (problem.r > max_side / problem.block_size) {
    throw NotApplicable(fmt::format("it multiplies matrices of at most {} elements a side, here {}",
                                    max_side, problem.r * problem.block_size));
  }
  return problem.r;
}

const FigureList& SpmdModel::figures() const { return spmd_figures(); }

std::optional<InputError> SpmdModel::find_obstacle(const Case& instance, const RunOptions& options,
                                                   std::span<const NamedAlgorithm>) const {
  if (options.engine == EngineKind::simgrid && !simulators_.product) {
    return InputError("--engine", "analytic: this program has no SimGrid", "simgrid");
  }
  try {
    make_cluster(instance.file, instance.problem.block_size);
  } catch (const InputError& error) {
    return error;
  }
  return std::nullopt;
}

Figures SpmdModel::bounds(const Case& instance, const Noise& noise) const {
  if (!noise.is_none()) return {};  // factors below 1 beat it
  try {
    const Cluster cluster = make_cluster(instance.file, instance.problem.block_size);
    const double flops = balanced_speed_flops(cluster, side_of(instance.problem));
    return {{&kBalancedSpeed, flops / kTera}};
  } catch (const NotApplicable&) {
    return {};  // as every row will say
  }
}

Division division_of(const ProductPlan& plan) {
  const Arrangement& arrangement = plan.partitioning.partition.arrangement;
  const auto share = [&](std::int64_t blocks) {
    return static_cast<double>(blocks) / static_cast<double>(arrangement.side);
  };
  Division division{
      .parts = {},
      .about = fmt::format("{} in {}, half-perimeters {}",
                           format_count(std::ssize(arrangement.rectangles), "worker"),
                           format_count(std::ssize(arrangement.columns), "node column"),
                           format_count(arrangement.half_perimeters(), "block"))};
  for (const NodeRectangle& r : arrangement.rectangles) {
    division.parts.push_back({.worker = static_cast<std::int64_t>(division.parts.size()),
                              .left = share(r.column),
                              .right = share(r.column + r.n),
                              .top = share(r.row),
                              .bottom = share(r.row + r.m)});
  }
  return division;
}

Division division_of(const PairPlan& plan) {
  const BulkPlan& bulk = plan.bulk;
  const std::int64_t fast = plan.problem.fast_worker;
  const double cut = 1 - static_cast<double>(bulk.cut) / static_cast<double>(plan.problem.N);
  const double top = bulk.shape == Shape::square_corner ? cut : 0;
  Division division{.parts = {{fast, 0, cut, 0, 1}}, .about = {}};
  if (bulk.shape == Shape::sequential) {
    division.about = fmt::format("all of it on worker {}", fast + 1);
    return division;
  }
  if (top > 0) division.parts.push_back({fast, cut, 1, 0, top});
  division.parts.push_back({1 - fast, cut, 1, top, 1});
  division.about =
      fmt::format("worker {} has {} {}, of {}", 2 - fast,
                  top > 0 ? "a square of side" : "the last columns,", bulk.cut, plan.problem.N);
  return division;
}

double half_perimeter_ratio(const Division& division) {
  struct Extent {
    double left = 1, right = 0, top = 1, bottom = 0, area = 0;
  };
  std::map<std::int64_t, Extent> extents;
  for (const Division::Part& part : division.parts) {
    if (part.right <= part.left || part.bottom <= part.top) continue;  // the worker is idle
    Extent& extent = extents[part.worker];
    extent.left = std::min(extent.left, part.left);
    extent.right = std::max(extent.right, part.right);
    extent.top = std::min(extent.top, part.top);
    extent.bottom = std::max(extent.bottom, part.bottom);
    extent.area += (part.right - part.left) * (part.bottom - part.top);
  }
  double half_perimeters = 0;
  double roots = 0;
  for (const auto& [worker, extent] : extents) {
    half_perimeters += extent.right - extent.left + extent.bottom - extent.top;
    roots += std::sqrt(extent.area);
  }
  return half_perimeters / (2 * roots);
}

}  // namespace starport::spmd
