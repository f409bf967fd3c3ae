// The division of C into zones for ZoneGrowth.
#include "heuristics/partition/methods.hpp"
#include "heuristics/partition/to_tiles.hpp"
#include "heuristics/tiles/zone_growth.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <numeric>
#include <tuple>
#include <variant>

namespace starport::tiles {
namespace {

/// Replaces speeds that may be equal within their uncertainty by their mean, in groups from the
/// fastest speed downwards.
std::vector<double> equalize(std::vector<double> speeds, double uncertainty) {
  std::vector<std::size_t> order(speeds.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return speeds[a] > speeds[b]; });
  for (auto first = order.begin(); first != order.end();) {
    const double slowest = speeds[*first] * (1 - uncertainty) / (1 + uncertainty);
    const auto last =
        std::find_if(first, order.end(), [&](std::size_t node) { return speeds[node] < slowest; });
    double mean = 0;
    for (auto node = first; node != last; ++node) {
      mean += speeds[*node] / static_cast<double>(last - first);
    }
    for (; first != last; ++first) speeds[*first] = mean;
  }
  return speeds;
}

/// Returns the first or last row (or column) of a zone, whichever is closer to the border of C.
/// `line` returns the row (or column) of a cell.
template <class Line>
std::int32_t outer_end(std::int32_t n, const std::vector<std::int32_t>& zone, Line line) {
  const auto [first, last] = std::minmax_element(
      zone.begin(), zone.end(), [&](std::int32_t a, std::int32_t b) { return line(a) < line(b); });
  return line(*first) <= n - 1 - line(*last) ? line(*first) : line(*last);
}

/// Sorts the cells of a zone by growing squares around its outermost corner.
void order_from_corner(std::int32_t n, std::vector<std::int32_t>& zone) {
  const auto row = [&](std::int32_t cell) { return cell / n; };
  const auto column = [&](std::int32_t cell) { return cell % n; };
  const std::int32_t corner_row = outer_end(n, zone, row);
  const std::int32_t corner_column = outer_end(n, zone, column);
  const auto place = [&](std::int32_t cell) {
    const std::int32_t x = std::abs(row(cell) - corner_row);
    const std::int32_t y = std::abs(column(cell) - corner_column);
    return std::tuple(std::max(x, y), x >= y, x, y);
  };
  std::sort(zone.begin(), zone.end(),
            [&](std::int32_t a, std::int32_t b) { return place(a) < place(b); });
}

}  // namespace

std::vector<std::vector<std::int32_t>> make_corner_zones(std::int32_t n,
                                                         const std::vector<double>& speeds,
                                                         double uncertainty) {
  const auto nrrp = std::get<partition::SquareMethod>(partition::find_method("NRRP").divide);
  const auto owners = partition::round_edges(nrrp(equalize(speeds, uncertainty)), n).owner;
  std::vector<std::vector<std::int32_t>> zones(speeds.size());
  for (std::size_t cell = 0; cell < owners.size(); ++cell) {
    zones[static_cast<std::size_t>(owners[cell])].push_back(static_cast<std::int32_t>(cell));
  }
  for (auto& zone : zones) {
    if (!zone.empty()) order_from_corner(n, zone);
  }
  return zones;
}

}  // namespace starport::tiles
