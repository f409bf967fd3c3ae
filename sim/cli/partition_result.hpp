// The result of `starport partition`, as text and as JSON.
#pragma once

#include "heuristics/partition/methods.hpp"
#include "heuristics/partition/to_tiles.hpp"

#include <cmath>
#include <numeric>
#include <optional>
#include <string>

namespace starport::partition {

/// The options of one call of `starport partition`, checked by the command; the argument of
/// as_text() and as_json(). A plain value.
struct Request {
  /// Method that divides the unit square or cube; an element of methods(), valid until the program
  /// ends, never null.
  const Method* method;
  /// Speed of each processor, in any common unit; zones have areas or volumes in proportion.
  std::vector<double> speeds;
  /// Number of tiles along each side (--tiles), 1 or more; nullopt: the partition is not rounded to
  /// tiles.
  std::optional<std::int64_t> n;
  /// Method of rounding the partition to whole tiles; used only with `n`.
  Rounding rounding = Rounding::rounded;
};

/// The partition of the unit square (D = 2) or cube (D = 3) among processors that a method found,
/// and its rounding to whole tiles if --tiles is given. Filled by the command; a plain value that
/// owns its data.
template <std::size_t D>
struct Solution {
  /// The zone of each processor, in the order of the speeds, and the cost.
  Partition<D> partition;
  /// The processor of each tile and the tiles of each processor; nullopt without --tiles.
  std::optional<TileAssignment<D>> tiling;
  /// For each processor, the number of tile rows plus tile columns (D = 2) or of tiles of A, B and
  /// C (D = 3) that its tiles touch; empty without a tiling.
  std::vector<std::int64_t> projections;
  /// Lower bound on the cost (sum of the sizes of the zones' projections) of any partition of the
  /// unit square or cube in these shares, as cost_bound() computes it.
  double bound = 0;

  /// Returns the cost of the tiling, the sum of all projections, in tiles; 0 without a tiling.
  double tile_cost() const {
    return static_cast<double>(
        std::accumulate(projections.begin(), projections.end(), std::int64_t{0}));
  }
  /// Returns the lower bound on tile_cost(), in tiles: n^(D-1) times `bound`, for n tiles per side.
  /// Requires a tiling (undefined behaviour otherwise).
  double tile_bound() const { return bound * std::pow(tiling->n, static_cast<double>(D - 1)); }
};

/// Returns the name of a rounding as --rounding takes it: "ROUNDED" or "PRECISE", a string literal.
const char* to_string(Rounding rounding);

/// Formats the solution as a table for people, with a row per processor (P1, P2, ...) and the cost,
/// ending in a newline. `request` must be the one that was solved: as many zones, and with a tiling
/// projections, as speeds, and `n` set if there is a tiling (not checked: undefined behaviour).
template <std::size_t D>
std::string as_text(const Request& request, const Solution<D>& solution);
/// Formats the solution as one indented JSON object that ends in a newline; processors are numbered
/// from 1. `request` must be the one that was solved: as many zones, and with a tiling projections,
/// as speeds, and `n` set if there is a tiling (not checked: undefined behaviour).
template <std::size_t D>
std::string as_json(const Request& request, const Solution<D>& solution);

extern template std::string as_text(const Request&, const Solution<2>&);
extern template std::string as_text(const Request&, const Solution<3>&);
extern template std::string as_json(const Request&, const Solution<2>&);
extern template std::string as_json(const Request&, const Solution<3>&);

}  // namespace starport::partition
