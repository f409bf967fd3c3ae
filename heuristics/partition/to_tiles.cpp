#include "heuristics/partition/to_tiles.hpp"

#include "heuristics/partition/areas.hpp"

#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace starport::partition {
namespace {

constexpr std::int32_t kUnassigned = -1;

/// A box of tiles, [from, to) along each axis.
template <std::size_t D>
struct TileBox {
  std::array<std::int64_t, D> from{};
  std::array<std::int64_t, D> to{};
};

/// The numbering of the tiles, the last axis fastest.
template <std::size_t D>
class Grid {
 public:
  explicit Grid(const TileCounts<D>& counts) : counts_(counts) {
    stride_[D - 1] = 1;
    for (std::size_t axis = D - 1; axis > 0; --axis) {
      stride_[axis - 1] = stride_[axis] * counts[axis];
    }
  }
  std::int64_t size() const { return stride_[0] * counts_[0]; }
  std::int64_t stride(std::size_t axis) const { return stride_[axis]; }

  std::array<std::int64_t, D> coordinates(std::int64_t tile) const {
    std::array<std::int64_t, D> position;
    for (std::size_t axis = 0; axis < D; ++axis) {
      position[axis] = tile / stride_[axis];
      tile %= stride_[axis];
    }
    return position;
  }
  /// Calls visit(tile) for each tile of a box, in order.
  template <class Visit>
  void visit_tiles(const TileBox<D>& box, Visit visit) const {
    visit_tiles(box, 0, 0, visit);
  }
  /// Calls visit(tile) for a tile and its neighbours, in order.
  template <class Visit>
  void visit_neighbourhood(std::int64_t tile, Visit visit) const {
    TileBox<D> box;
    const auto position = coordinates(tile);
    for (std::size_t axis = 0; axis < D; ++axis) {
      box.from[axis] = std::max<std::int64_t>(0, position[axis] - 1);
      box.to[axis] = std::min(counts_[axis], position[axis] + 2);
    }
    visit_tiles(box, visit);
  }

 private:
  template <class Visit>
  void visit_tiles(const TileBox<D>& box, std::size_t axis, std::int64_t before,
                   Visit& visit) const {
    for (std::int64_t at = box.from[axis]; at < box.to[axis]; ++at) {
      const std::int64_t tile = before + at * stride_[axis];
      if (axis + 1 < D) {
        visit_tiles(box, axis + 1, tile, visit);
      } else {
        visit(tile);
      }
    }
  }

  TileCounts<D> counts_;
  std::array<std::int64_t, D> stride_{};
};

/// Returns the tiles of a box of the partition, whose edges, in tiles, `low` and `high` round.
template <std::size_t D, class Low, class High>
TileBox<D> to_tile_box(const Partition<D>& partition, const TileCounts<D>& counts,
                       const Box<D>& box, Low low, High high) {
  TileBox<D> tiles;
  for (std::size_t axis = 0; axis < D; ++axis) {
    const double per_unit = static_cast<double>(counts[axis]) / partition.whole.length(axis);
    tiles.from[axis] = static_cast<std::int64_t>(low(box.sides[axis].from * per_unit));
    tiles.to[axis] = static_cast<std::int64_t>(high(box.sides[axis].to * per_unit));
  }
  return tiles;
}

/// Returns the number of tiles of each processor k, Round(total S_k) - Round(total S_{k-1}), where
/// S_k is the sum of the first k relative speeds. Halves are rounded up.
std::vector<std::int64_t> exact_counts(const std::vector<double>& speeds, std::int64_t total) {
  std::vector<double> sums{0};
  for (const double weight : normalize_speeds(speeds)) sums.push_back(sums.back() + weight);
  std::vector<std::int64_t> counts;
  std::int64_t before = 0;
  for (std::size_t k = 1; k < sums.size(); ++k) {
    const auto round_edges = static_cast<std::int64_t>(
        std::floor(static_cast<double>(total) * (sums[k] / sums.back()) + 0.5));
    counts.push_back(round_edges - before);
    before = round_edges;
  }
  return counts;
}

/// The second pass of PRECISE, which assigns the tiles that lie in no box as a whole. `missing` is
/// the number of tiles that each processor still lacks.
template <std::size_t D>
class RemainderAssigner {
 public:
  RemainderAssigner(TileAssignment<D>& assignment, const Grid<D>& grid,
                    std::vector<std::int64_t> missing)
      : assignment_(assignment), grid_(grid), missing_(std::move(missing)) {
    for (std::size_t p = 0; p < missing_.size(); ++p) {
      if (missing_[p] > 0) waiting_.emplace(missing_[p], static_cast<std::int32_t>(p));
    }
  }
  void assign() {
    for (std::int64_t tile = 0; tile < grid_.size(); ++tile) {
      std::int32_t& owner = assignment_.owner[static_cast<std::size_t>(tile)];
      if (owner != kUnassigned) continue;
      const Waiting next = find_neighbour(tile).value_or(*waiting_.begin());
      owner = next.second;
      waiting_.erase(next);
      if (--missing_[static_cast<std::size_t>(owner)] > 0) waiting_.emplace(next.first - 1, owner);
    }
  }

 private:
  using Waiting = std::pair<std::int64_t, std::int32_t>;  ///< missing tiles, processor

  /// Returns the owner of an adjacent tile that lacks the fewest tiles, if one lacks any.
  std::optional<Waiting> find_neighbour(std::int64_t tile) const {
    std::optional<Waiting> least;
    grid_.visit_neighbourhood(tile, [&](std::int64_t near) {
      const std::int32_t owner = assignment_.owner[static_cast<std::size_t>(near)];
      if (owner == kUnassigned) return;
      const Waiting candidate{missing_[static_cast<std::size_t>(owner)], owner};
      if (candidate.first > 0 && (!least || candidate < *least)) least = candidate;
    });
    return least;
  }

  TileAssignment<D>& assignment_;
  const Grid<D>& grid_;
  std::vector<std::int64_t> missing_;
  std::set<Waiting> waiting_;
};

template <std::size_t D>
TileAssignment<D> make_unassigned(const Grid<D>& grid, const TileCounts<D>& counts) {
  return {.counts = counts,
          .owner = std::vector<std::int32_t>(static_cast<std::size_t>(grid.size()), kUnassigned),
          .tiles = {}};
}

}  // namespace

template <std::size_t D>
TileAssignment<D> round_edges(const Partition<D>& partition, const TileCounts<D>& counts) {
  const Grid<D> grid(counts);
  TileAssignment<D> assignment = make_unassigned(grid, counts);
  assignment.tiles.resize(partition.zones.size(), 0);
  const auto nearest = [](double edge) { return std::floor(edge + 0.5); };
  for (std::size_t p = 0; p < partition.zones.size(); ++p) {
    for (const Box<D>& box : partition.zones[p]) {
      grid.visit_tiles(
          to_tile_box(partition, counts, box, nearest, nearest), [&](std::int64_t tile) {
            assignment.owner[static_cast<std::size_t>(tile)] = static_cast<std::int32_t>(p);
            ++assignment.tiles[p];
          });
    }
  }
  return assignment;
}

template <std::size_t D>
TileAssignment<D> round_precisely(const Partition<D>& partition, const std::vector<double>& speeds,
                                  const TileCounts<D>& counts) {
  const Grid<D> grid(counts);
  TileAssignment<D> assignment = make_unassigned(grid, counts);
  assignment.tiles = exact_counts(speeds, grid.size());
  std::vector<std::int64_t> missing = assignment.tiles;
  const auto low = [](double edge) { return std::ceil(edge - 1e-9); };
  const auto high = [](double edge) { return std::floor(edge + 1e-9); };
  for (std::size_t p = 0; p < partition.zones.size(); ++p) {
    for (const Box<D>& box : partition.zones[p]) {
      grid.visit_tiles(to_tile_box(partition, counts, box, low, high), [&](std::int64_t tile) {
        // Because of the tolerance, a box may contain one tile more than its processor should get.
        if (missing[p] == 0) return;
        assignment.owner[static_cast<std::size_t>(tile)] = static_cast<std::int32_t>(p);
        --missing[p];
      });
    }
  }
  RemainderAssigner<D>(assignment, grid, std::move(missing)).assign();
  return assignment;
}

template <std::size_t D>
std::vector<std::int64_t> count_projections(const TileAssignment<D>& assignment) {
  const Grid<D> grid(assignment.counts);
  std::vector<std::int64_t> counts(assignment.tiles.size(), 0);
  std::vector<std::int64_t> last_line(assignment.tiles.size());
  for (std::size_t axis = 0; axis < D; ++axis) {
    // Count the lines along the axis in which a processor has a tile.
    std::fill(last_line.begin(), last_line.end(), -1);
    TileBox<D> lines;
    lines.to = assignment.counts;
    lines.to[axis] = 1;
    grid.visit_tiles(lines, [&](std::int64_t first) {
      for (std::int64_t at = 0; at < assignment.counts[axis]; ++at) {
        const auto owner = static_cast<std::size_t>(
            assignment.owner[static_cast<std::size_t>(first + at * grid.stride(axis))]);
        counts[owner] += last_line[owner] == first ? 0 : 1;
        last_line[owner] = first;
      }
    });
  }
  return counts;
}

template TileAssignment<2> round_edges(const Partition<2>&, const TileCounts<2>&);
template TileAssignment<3> round_edges(const Partition<3>&, const TileCounts<3>&);
template TileAssignment<2> round_precisely(const Partition<2>&, const std::vector<double>&,
                                           const TileCounts<2>&);
template TileAssignment<3> round_precisely(const Partition<3>&, const std::vector<double>&,
                                           const TileCounts<3>&);
template std::vector<std::int64_t> count_projections(const TileAssignment<2>&);
template std::vector<std::int64_t> count_projections(const TileAssignment<3>&);

}  // namespace starport::partition
