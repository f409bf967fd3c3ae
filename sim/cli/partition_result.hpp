// The result of `starport partition`, as text and as JSON.
#pragma once

#include "heuristics/partition/methods.hpp"
#include "heuristics/partition/to_tiles.hpp"

#include <cmath>
#include <numeric>
#include <optional>
#include <string>

namespace starport::partition {

/// The options of one call of `starport partition`.
struct Request {
  const Method* method;
  std::vector<double> speeds;
  std::optional<std::int64_t> n;  ///< --tiles: number of tiles along each side
  Rounding rounding = Rounding::rounded;
};

/// The partition of a method, and in whole tiles if --tiles is given.
template <std::size_t D>
struct Solution {
  Partition<D> partition;
  std::optional<TileAssignment<D>> tiling;
  std::vector<std::int64_t> projections;  ///< of each processor's tiles; empty without a tiling
  double bound = 0;  ///< lower bound on the cost of any partition of the unit square or cube

  /// Returns the cost of the tiling: the sum of all projections, in tiles.
  double tile_cost() const {
    return static_cast<double>(
        std::accumulate(projections.begin(), projections.end(), std::int64_t{0}));
  }
  /// Returns the lower bound on tile_cost(): n^(D-1) times `bound`.
  double tile_bound() const { return bound * std::pow(tiling->n, static_cast<double>(D - 1)); }
};

/// Returns "ROUNDED" or "PRECISE", as --rounding takes it.
const char* to_string(Rounding rounding);

/// Formats the solution as a table for people.
template <std::size_t D>
std::string as_text(const Request& request, const Solution<D>& solution);
/// Formats the solution as one JSON object.
template <std::size_t D>
std::string as_json(const Request& request, const Solution<D>& solution);

extern template std::string as_text(const Request&, const Solution<2>&);
extern template std::string as_text(const Request&, const Solution<3>&);
extern template std::string as_json(const Request&, const Solution<2>&);
extern template std::string as_json(const Request&, const Solution<3>&);

}  // namespace starport::partition
