#include "heuristics/spmd/cma.hpp"

#include "heuristics/partition/areas.hpp"
#include "heuristics/partition/column_based.hpp"
#include "heuristics/partition/methods.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace starport::spmd {
namespace {

using Column = std::vector<std::int64_t>;  ///< nodes of a column, from the top

// A node without a share gets a block all the same.
double weight(std::int64_t w) { return static_cast<double>(std::max<std::int64_t>(w, 1)); }

/// Divides the nodes, in ascending order of their areas, into columns of at most `side` nodes. If
/// the optimal arrangement has more columns than C has blocks per side, which may happen for few
/// blocks, distributes the nodes evenly over `side` columns.
std::vector<partition::AreaRange> divide_into_columns(std::int64_t side,
                                                      const partition::SortedAreas& areas) {
  const auto columns = static_cast<std::size_t>(side);
  std::vector<partition::AreaRange> ranges = partition::find_columns(areas, columns);
  if (ranges.size() <= columns) return ranges;
  ranges.clear();
  for (std::size_t c = 0; c < columns; ++c) {
    ranges.push_back({c * areas.size() / columns, (c + 1) * areas.size() / columns});
  }
  return ranges;
}

/// Returns the nodes of each column from left to right, each column from its largest node down.
std::vector<Column> arrange_columns(std::int64_t side, const PerWorker<std::int64_t>& w) {
  std::vector<double> weights;
  for (const std::int64_t blocks : w) weights.push_back(weight(blocks));
  const partition::SortedAreas areas(weights);
  std::vector<Column> columns;
  for (const partition::AreaRange& range : divide_into_columns(side, areas)) {
    Column& column = columns.emplace_back();
    for (std::size_t k = range.begin; k < range.end; ++k) {
      column.push_back(static_cast<std::int64_t>(areas.processor(k)));
    }
    std::sort(column.begin(), column.end(),
              [&](std::int64_t a, std::int64_t b) { return w[a] != w[b] ? w[a] > w[b] : a < b; });
  }
  return columns;
}

/// Returns the heights in blocks of the nodes of a column.
std::vector<std::int64_t> column_heights(std::int64_t side, const Column& column,
                                         const PerWorker<std::int64_t>& w) {
  std::vector<double> weights;
  for (const std::int64_t i : column) weights.push_back(weight(w[i]));
  return partition::apportion(side, weights, 1);
}

/// Returns the widths in blocks of the columns.
std::vector<std::int64_t> column_widths(std::int64_t side, const std::vector<Column>& columns,
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
    throw NotApplicable(
        fmt::format("there are more workers ({}) than blocks of C ({})", nodes, side * side));
  }
  Arrangement arrangement{.side = side, .rectangles = {}, .columns = arrange_columns(side, w)};
  arrangement.rectangles.resize(w.size());
  const std::vector<std::int64_t> n = column_widths(side, arrangement.columns, w);
  std::int64_t left = 0;
  for (std::size_t c = 0; c < arrangement.columns.size(); ++c) {
    const Column& column = arrangement.columns[c];
    const std::vector<std::int64_t> m = column_heights(side, column, w);
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
