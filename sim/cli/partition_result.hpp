// What `starport partition` finds, as text and as JSON.
#pragma once

#include "heuristics/partition/methods.hpp"
#include "heuristics/partition/to_tiles.hpp"

#include <cmath>
#include <numeric>
#include <optional>
#include <string>

namespace starport::partition {

/// What the command line asks for.
struct Request {
  const Method* method;
  std::vector<double> speeds;
  std::optional<std::int64_t> n;  ///< tiles a side
  Rounding rounding = Rounding::rounded;
};

/// A method's partition with all that is told of it.
template <std::size_t D>
struct Solution {
  Partition<D> partition;
  std::optional<TileAssignment<D>> tiling;
  std::vector<std::int64_t> count_projections;  ///< of the tiles
  double bound = 0;

  double tile_cost() const {
    return static_cast<double>(
        std::accumulate(count_projections.begin(), count_projections.end(), std::int64_t{0}));
  }
  /// The same for whole tiles: n^(D-1) times that of the unit square or cube.
  double tile_bound() const { return bound * std::pow(tiling->n, static_cast<double>(D - 1)); }
};

/// ROUNDED or PRECISE.
const char* name_of(Rounding rounding);

template <std::size_t D>
std::string as_text(const Request& request, const Solution<D>& solution);
template <std::size_t D>
std::string as_json(const Request& request, const Solution<D>& solution);

extern template std::string as_text(const Request&, const Solution<2>&);
extern template std::string as_text(const Request&, const Solution<3>&);
extern template std::string as_json(const Request&, const Solution<2>&);
extern template std::string as_json(const Request&, const Solution<3>&);

}  // namespace starport::partition
