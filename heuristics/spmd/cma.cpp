#include "heuristics/spmd/cma.hpp"

#include "heuristics/partition/apportion.hpp"
#include "heuristics/partition/areas.hpp"
#include "heuristics/partition/column_based.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace starport::spmd {
namespace {

using Column = std::vector<std::int64_t>;  // nodes

double weight(std::int64_t w) { return static_cast<double>(std::max<std::int64_t>(w, 1)); }

/// Groups of the nodes in ascending order, by the column-based program with at most `side` nodes in
/// a column: each takes a row or more. Where it wants more columns than C has, as it may for a
/// handful of blocks, each of those is a node column, of equally many nodes but for one.
std::vector<partition::AreaRange> node_groups(std::int64_t side, const partition::SortedAreas& areas) {
  const auto columns = static_cast<std::size_t>(side);
  std::vector<partition::AreaRange> groups = partition::find_columns(areas, columns);
  if (groups.size() <= columns) return groups;
  groups.clear();
  for (std::size_t c = 0; c < columns; ++c) {
    groups.push_back({c * areas.size() / columns, (c + 1) * areas.size() / columns});
  }
  return groups;
}

/// The largest node of a column is on top.
std::vector<Column> node_columns(std::int64_t side, const PerWorker<std::int64_t>& w) {
  std::vector<double> weights;
  for (const std::int64_t blocks : w) weights.push_back(weight(blocks));
  const partition::SortedAreas areas(weights);
  std::vector<Column> columns;
  for (const partition::AreaRange& group : node_groups(side, areas)) {
    Column& column = columns.emplace_back();
    for (std::size_t k = group.begin; k < group.end; ++k) {
      column.push_back(static_cast<std::int64_t>(areas.processor(k)));
    }
    std::sort(column.begin(), column.end(),
              [&](std::int64_t a, std::int64_t b) { return w[a] != w[b] ? w[a] > w[b] : a < b; });
  }
  return columns;
}

std::vector<std::int64_t> heights(std::int64_t side, const Column& column,
                                  const PerWorker<std::int64_t>& w) {
  std::vector<double> weights;
  for (const std::int64_t i : column) weights.push_back(weight(w[i]));
  return partition::apportion(side, weights, 1);
}

std::vector<std::int64_t> widths(std::int64_t side, const std::vector<Column>& columns,
                                 const PerWorker<std::int64_t>& w) {
  std::vector<double> weights;
  for (const Column& column : columns) {
    double& sum = weights.emplace_back(0);
    for (const std::int64_t i : column) sum += weight(w[i]);
  }
  return partition::apportion(side, weights, 1);
}

}  // namespace

Arrangement cma(std::int64_t side, const PerWorker<std::int64_t>& w) {
  const auto nodes = static_cast<std::int64_t>(w.size());
  if (nodes > side * side) {
    throw NotApplicable(fmt::format("{} workers, and C has only {} blocks", nodes, side * side));
  }
  Arrangement arrangement{.side = side, .rectangles = {}, .columns = node_columns(side, w)};
  arrangement.rectangles.resize(w.size());
  const std::vector<std::int64_t> n = widths(side, arrangement.columns, w);
  std::int64_t left = 0;
  for (std::size_t c = 0; c < arrangement.columns.size(); ++c) {
    const Column& column = arrangement.columns[c];
    const std::vector<std::int64_t> m = heights(side, column, w);
    std::int64_t top = 0;
    for (std::size_t k = 0; k < column.size(); ++k) {
      arrangement.rectangles[column[k]] = {.row = top, .column = left, .m = m[k], .n = n[c]};
      top += m[k];
    }
    left += n[c];
  }
  return arrangement;
}

}  // namespace starport::spmd
