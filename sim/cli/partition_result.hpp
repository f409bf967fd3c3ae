// The result of `starport partition`, as text and as JSON.
#pragma once

#include "heuristics/partition/methods.hpp"
#include "heuristics/partition/to_tiles.hpp"

#include <cmath>
#include <numeric>
#include <optional>
#include <string>

namespace starport::partition {

/// The options of one call of `starport partition`, which divides the unit square or cube among
/// processors in proportion to their speeds, after the command has checked them; an argument of
/// as_text() and as_json(). A plain value.
struct Request {
  /// Method that divides the unit square or cube; an element of methods(), valid until the program
  /// ends, never null.
  const Method* method;
  /// Speed of each processor, greater than 0, in any common unit; not empty; the zones (parts of
  /// the unit square or cube) of the processors have areas or volumes in proportion.
  std::vector<double> speeds;
  /// Number of tiles along each side of the unit square or cube (--tiles), 1 or more; nullopt: the
  /// partition is not rounded to tiles.
  std::optional<std::int64_t> n;
  /// Rule by which the partition of the unit square or cube is rounded to whole tiles: `rounded`
  /// moves each edge to the nearest tile boundary, `precise` gives each processor the number of
  /// tiles in proportion to its speed. Used only with `n`.
  Rounding rounding = Rounding::rounded;
};

/// The partition of the unit square (D = 2) or cube (D = 3) among processors that a method found,
/// and its rounding to whole tiles if --tiles is given. Filled by the command; a plain value that
/// owns its data.
template <std::size_t D>
struct Solution {
  /// The zone (rectangles or cuboids) of each processor, in the order of the speeds, and the cost:
  /// the sum over zones and axes of the sizes of the projections, lengths (D = 2) or areas (D = 3)
  /// where the whole side or face is 1.
  Partition<D> partition;
  /// The processor, from 0, of each tile (D = 3: of each task, one product of tiles), and the
  /// number of tiles of each processor; nullopt without --tiles.
  std::optional<TileAssignment<D>> tiling;
  /// For each processor, the number of tile rows plus tile columns (D = 2) or of tiles of the
  /// matrices A, B and C (D = 3) that its tiles touch, in the order of the speeds; empty without a
  /// tiling.
  std::vector<std::int64_t> projections;
  /// Lower bound on the cost (sum of the sizes of the zones' projections, where the whole side or
  /// face is 1) of any partition of the unit square or cube among processors of these speeds, as
  /// cost_bound() computes it.
  double bound = 0;

  /// Returns the cost of the partition rounded to tiles: the sum over the processors of the tile
  /// rows plus tile columns (D = 2) or of the tiles of A, B and C (D = 3) that their tiles touch; 0
  /// without tiles.
  double tile_cost() const {
    return static_cast<double>(
        std::accumulate(projections.begin(), projections.end(), std::int64_t{0}));
  }
  /// Returns the lower bound on the cost of the exact partition in the units of tile_cost():
  /// n^(D-1) times `bound` for n tiles per side. The cost of the partition rounded to tiles may be
  /// less, since its numbers of tiles may not be exactly in proportion to the speeds. Requires
  /// `tiling` to be set (undefined behaviour otherwise).
  double tile_bound() const {
    return bound * std::pow(tiling->counts[0], static_cast<double>(D - 1));
  }
};

/// Returns the name of a way of rounding a partition to whole tiles, as --rounding takes it:
/// "ROUNDED" (each edge to the nearest tile boundary) or "PRECISE" (numbers of tiles in proportion
/// to the speeds), a string literal.
const char* to_string(Rounding rounding);

/// Formats the partition that a method found as a table for people, with a row per processor (P1,
/// P2, ...), the cost and its lower bound, ending in a newline. Defined for D = 2 and 3. `solution`
/// must be that of `request` (not checked: undefined behaviour otherwise).
template <std::size_t D>
std::string as_text(const Request& request, const Solution<D>& solution);
/// Formats the partition that a method found as one indented JSON object that ends in a newline,
/// with the cost, its lower bound, and the processors, numbered from 1. Defined for D = 2 and 3.
/// `solution` must be that of `request` (not checked: undefined behaviour otherwise).
template <std::size_t D>
std::string as_json(const Request& request, const Solution<D>& solution);

extern template std::string as_text(const Request&, const Solution<2>&);
extern template std::string as_text(const Request&, const Solution<3>&);
extern template std::string as_json(const Request&, const Solution<2>&);
extern template std::string as_json(const Request&, const Solution<3>&);

}  // namespace starport::partition
