#include "sim/models/tiles/tile_division.hpp"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace starport::tiles {

Division division_of(const Platform& platform, const Allocation& allocation,
                     const WorkerNames& names) {
  std::vector<std::int64_t> first_worker(static_cast<std::size_t>(platform.nodes()));
  std::vector<std::int64_t> tiles(first_worker.size());
  for (std::size_t w = platform.workers.size(); w-- > 0;) {
    const Worker& worker = platform.workers[w];
    first_worker[static_cast<std::size_t>(worker.node)] = worker.number;
  }
  Division division;
  const std::int32_t n = allocation.n;
  const auto share = [n](std::int32_t edge) { return static_cast<double>(edge) / n; };
  std::map<std::array<std::int32_t, 3>, std::size_t> above;  // node, left, right: its part
  for (std::int32_t row = 0; row < n; ++row) {
    std::map<std::array<std::int32_t, 3>, std::size_t> runs;
    for (std::int32_t left = 0, right = 0; left < n; left = right) {
      const int node = allocation.node(row, left, 0);
      while (right < n && allocation.node(row, right, 0) == node) ++right;
      const auto known = above.find({node, left, right});
      const std::size_t part = known == above.end() ? division.parts.size() : known->second;
      if (known == above.end()) {
        division.parts.push_back({.worker = first_worker[static_cast<std::size_t>(node)],
                                  .left = share(left),
                                  .right = share(right),
                                  .top = share(row),
                                  .bottom = 0});
      }
      division.parts[part].bottom = share(row + 1);
      tiles[static_cast<std::size_t>(node)] += right - left;
      runs[{node, left, right}] = part;
    }
    above = std::move(runs);
  }
  for (std::size_t m = 0; m < tiles.size(); ++m) {
    division.about +=
        fmt::format("{}{} {}", m > 0 ? ", " : "", tiles[m],
                    m > 0 ? names[static_cast<std::size_t>(first_worker[m])] : "main memory");
  }
  division.about += fmt::format(" of {} tiles", n * n);
  return division;
}

}  // namespace starport::tiles
