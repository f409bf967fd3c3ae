#include "heuristics/partition/to_tiles.hpp"

#include "heuristics/partition/areas.hpp"

#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace starport::partition {
namespace {

constexpr std::int32_t kNobody = -1;

/// Tiles [from, to) along each axis.
template <std::size_t D>
struct TileBox {
  std::array<std::int64_t, D> from{};
  std::array<std::int64_t, D> to{};
};

template <std::size_t D>
class Grid {
 public:
  explicit Grid(std::int64_t n) : n_(n) {
    stride_[D - 1] = 1;
    for (std::size_t axis = D - 1; axis > 0; --axis) stride_[axis - 1] = stride_[axis] * n;
  }
  std::int64_t size() const { return stride_[0] * n_; }
  std::int64_t stride(std::size_t axis) const { return stride_[axis]; }

  std::array<std::int64_t, D> coordinates(std::int64_t tile) const {
    std::array<std::int64_t, D> at;
    for (std::size_t axis = 0; axis < D; ++axis) {
      at[axis] = tile / stride_[axis];
      tile %= stride_[axis];
    }
    return at;
  }
  /// visit(tile) for each tile of a box, in order.
  template <class Visit>
  void each(const TileBox<D>& box, Visit visit) const {
    each(box, 0, 0, visit);
  }
  /// visit(tile) for the tiles around one, itself included.
  template <class Visit>
  void each_around(std::int64_t tile, Visit visit) const {
    TileBox<D> box;
    const auto at = coordinates(tile);
    for (std::size_t axis = 0; axis < D; ++axis) {
      box.from[axis] = std::max<std::int64_t>(0, at[axis] - 1);
      box.to[axis] = std::min(n_, at[axis] + 2);
    }
    each(box, visit);
  }

 private:
  template <class Visit>
  void each(const TileBox<D>& box, std::size_t axis, std::int64_t before, Visit& visit) const {
    for (std::int64_t at = box.from[axis]; at < box.to[axis]; ++at) {
      const std::int64_t tile = before + at * stride_[axis];
      if (axis + 1 < D) {
        each(box, axis + 1, tile, visit);
      } else {
        visit(tile);
      }
    }
  }

  std::int64_t n_;
  std::array<std::int64_t, D> stride_{};
};

template <std::size_t D, class Low, class High>
TileBox<D> tile_box(const Box<D>& box, Low low, High high) {
  TileBox<D> tiles;
  for (std::size_t axis = 0; axis < D; ++axis) {
    tiles.from[axis] = static_cast<std::int64_t>(low(box.sides[axis].from));
    tiles.to[axis] = static_cast<std::int64_t>(high(box.sides[axis].to));
  }
  return tiles;
}

/// Round(total S_k) - Round(total S_{k-1}), S the sums of the first speeds over that of all, halves
/// up.
std::vector<std::int64_t> exact_counts(const std::vector<double>& speeds, std::int64_t total) {
  std::vector<double> upto{0};
  for (const double weight : weights_of(speeds)) upto.push_back(upto.back() + weight);
  std::vector<std::int64_t> counts;
  std::int64_t before = 0;
  for (std::size_t k = 1; k < upto.size(); ++k) {
    const auto rounded = static_cast<std::int64_t>(
        std::floor(static_cast<double>(total) * (upto[k] / upto.back()) + 0.5));
    counts.push_back(rounded - before);
    before = rounded;
  }
  return counts;
}

/// The second pass of PRECISE: the tiles that no inner box holds.
template <std::size_t D>
class Rest {
 public:
  Rest(Tiling<D>& tiling, const Grid<D>& grid, std::vector<std::int64_t> left)
      : tiling_(tiling), grid_(grid), left_(std::move(left)) {
    for (std::size_t p = 0; p < left_.size(); ++p) {
      if (left_[p] > 0) waiting_.emplace(left_[p], static_cast<std::int32_t>(p));
    }
  }
  void assign() {
    for (std::int64_t tile = 0; tile < grid_.size(); ++tile) {
      std::int32_t& owner = tiling_.owner[static_cast<std::size_t>(tile)];
      if (owner != kNobody) continue;
      const Waiting next = neighbour(tile).value_or(*waiting_.begin());
      owner = next.second;
      waiting_.erase(next);
      if (--left_[static_cast<std::size_t>(owner)] > 0) waiting_.emplace(next.first - 1, owner);
    }
  }

 private:
  using Waiting = std::pair<std::int64_t, std::int32_t>;  // tiles left, processor

  std::optional<Waiting> neighbour(std::int64_t tile) const {
    std::optional<Waiting> least;
    grid_.each_around(tile, [&](std::int64_t near) {
      const std::int32_t owner = tiling_.owner[static_cast<std::size_t>(near)];
      if (owner == kNobody) return;
      const Waiting one{left_[static_cast<std::size_t>(owner)], owner};
      if (one.first > 0 && (!least || one < *least)) least = one;
    });
    return least;
  }

  Tiling<D>& tiling_;
  const Grid<D>& grid_;
  std::vector<std::int64_t> left_;
  std::set<Waiting> waiting_;
};

template <std::size_t D>
Tiling<D> empty_tiling(const Grid<D>& grid, std::int64_t n) {
  return {.n = n,
          .owner = std::vector<std::int32_t>(static_cast<std::size_t>(grid.size()), kNobody),
          .tiles = {}};
}

}  // namespace

template <std::size_t D>
Tiling<D> rounded(const Partition<D>& partition, std::int64_t n) {
  const Grid<D> grid(n);
  Tiling<D> tiling = empty_tiling(grid, n);
  tiling.tiles.resize(partition.zones.size(), 0);
  const auto nearest = [n](double edge) { return std::floor(edge * static_cast<double>(n) + 0.5); };
  for (std::size_t p = 0; p < partition.zones.size(); ++p) {
    for (const Box<D>& box : partition.zones[p]) {
      grid.each(tile_box(box, nearest, nearest), [&](std::int64_t tile) {
        tiling.owner[static_cast<std::size_t>(tile)] = static_cast<std::int32_t>(p);
        ++tiling.tiles[p];
      });
    }
  }
  return tiling;
}

template <std::size_t D>
Tiling<D> precise(const Partition<D>& partition, const std::vector<double>& speeds,
                  std::int64_t n) {
  const Grid<D> grid(n);
  Tiling<D> tiling = empty_tiling(grid, n);
  tiling.tiles = exact_counts(speeds, grid.size());
  std::vector<std::int64_t> left = tiling.tiles;
  const auto scaled = [n](double edge) { return edge * static_cast<double>(n); };
  const auto low = [&](double edge) { return std::ceil(scaled(edge) - 1e-9); };
  const auto high = [&](double edge) { return std::floor(scaled(edge) + 1e-9); };
  for (std::size_t p = 0; p < partition.zones.size(); ++p) {
    for (const Box<D>& box : partition.zones[p]) {
      grid.each(tile_box(box, low, high), [&](std::int64_t tile) {
        // By the tolerance, a box may hold a tile more than its processor is to have.
        if (left[p] == 0) return;
        tiling.owner[static_cast<std::size_t>(tile)] = static_cast<std::int32_t>(p);
        --left[p];
      });
    }
  }
  Rest<D>(tiling, grid, std::move(left)).assign();
  return tiling;
}

template <std::size_t D>
std::vector<std::int64_t> projections(const Tiling<D>& tiling) {
  const Grid<D> grid(tiling.n);
  std::vector<std::int64_t> counts(tiling.tiles.size(), 0);
  std::vector<std::int64_t> last_line(tiling.tiles.size());
  for (std::size_t axis = 0; axis < D; ++axis) {
    // All lines along the axis: a processor takes part in those where it has a tile.
    std::fill(last_line.begin(), last_line.end(), -1);
    TileBox<D> lines;
    lines.to.fill(tiling.n);
    lines.to[axis] = 1;
    grid.each(lines, [&](std::int64_t first) {
      for (std::int64_t at = 0; at < tiling.n; ++at) {
        const auto owner = static_cast<std::size_t>(
            tiling.owner[static_cast<std::size_t>(first + at * grid.stride(axis))]);
        counts[owner] += last_line[owner] == first ? 0 : 1;
        last_line[owner] = first;
      }
    });
  }
  return counts;
}

template Tiling<2> rounded(const Partition<2>&, std::int64_t);
template Tiling<3> rounded(const Partition<3>&, std::int64_t);
template Tiling<2> precise(const Partition<2>&, const std::vector<double>&, std::int64_t);
template Tiling<3> precise(const Partition<3>&, const std::vector<double>&, std::int64_t);
template std::vector<std::int64_t> projections(const Tiling<2>&);
template std::vector<std::int64_t> projections(const Tiling<3>&);

}  // namespace starport::partition
