#include "sim/cli/partition_result.hpp"

#include "heuristics/partition/areas.hpp"
#include "sim/files/json.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace starport::partition {
namespace {

/// Returns the heading of the projections: those of squares are rows and columns, those of cubes
/// tiles of A, B and C.
const char* projections_of_tiles(std::size_t dimensions) {
  return dimensions == 2 ? "rows + columns" : "tiles of A, B and C";
}

template <std::size_t D>
std::string text_of(const Zone<D>& zone) {
  std::string text;
  for (const Box<D>& box : zone) {
    text += text.empty() ? "" : " + ";
    for (std::size_t axis = 0; axis < D; ++axis) {
      text += fmt::format("{}[{:.4g}, {:.4g}]", axis == 0 ? "" : " x ", box.sides[axis].from,
                          box.sides[axis].to);
    }
  }
  return text.empty() ? "-" : text;
}

template <std::size_t D>
std::string processor_table(const Request& request, const Solution<D>& solution) {
  std::vector<std::vector<std::string>> rows{{"processor", "speed", D == 2 ? "area" : "volume"}};
  if (solution.tiling) {
    rows.front().insert(rows.front().end(), {"tiles", projections_of_tiles(D)});
  }
  rows.front().push_back(D == 2 ? "rectangles, i x j" : "cuboids, i x j x k");
  for (std::size_t p = 0; p < request.speeds.size(); ++p) {
    const Zone<D>& zone = solution.partition.zones[p];
    rows.push_back({fmt::format("P{}", p + 1), fmt::format("{:.6g}", request.speeds[p]),
                    fmt::format("{:.6f}", volume(zone))});
    if (solution.tiling) {
      rows.back().push_back(fmt::format("{}", solution.tiling->tiles[p]));
      rows.back().push_back(fmt::format("{}", solution.projections[p]));
    }
    rows.back().push_back(text_of(zone));
  }
  return align(rows, 2);
}

/// Returns the largest ratio of a processor's tiles to its exact share of them; 1 is balanced.
template <std::size_t D>
double imbalance(const Request& request, const TileAssignment<D>& tiling) {
  const double all = static_cast<double>(tiling.owner.size());
  const std::vector<double> weights = normalize_speeds(request.speeds);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double worst = 0;
  for (std::size_t p = 0; p < tiling.tiles.size(); ++p) {
    const double share = all * (weights[p] / sum);
    worst = std::max(worst, static_cast<double>(tiling.tiles[p]) / share);
  }
  return worst;
}

template <std::size_t D>
std::string tiles_line(const Request& request, const Solution<D>& solution) {
  return fmt::format(
      "{} tiles a side, {}: {} {:.0f}, {:.6f} times the bound {:.2f}; the largest load is {:.4f} "
      "times its share\n",
      *request.n, to_string(request.rounding), projections_of_tiles(D), solution.tile_cost(),
      solution.tile_cost() / solution.tile_bound(), solution.tile_bound(),
      imbalance(request, *solution.tiling));
}

template <std::size_t D>
nlohmann::ordered_json processor_json(const Request& request, const Solution<D>& solution,
                                      std::size_t p) {
  constexpr std::array<const char*, 3> axes{"i", "j", "k"};
  const Zone<D>& zone = solution.partition.zones[p];
  nlohmann::ordered_json boxes = nlohmann::ordered_json::array();
  for (const Box<D>& box : zone) {
    nlohmann::ordered_json one;
    for (std::size_t axis = 0; axis < D; ++axis) {
      one[axes[axis]] = {box.sides[axis].from, box.sides[axis].to};
    }
    boxes.push_back(std::move(one));
  }
  nlohmann::ordered_json json{{"processor", p + 1},
                              {"speed", request.speeds[p]},
                              {D == 2 ? "area" : "volume", volume(zone)},
                              {"cost", projection_cost(zone)}};
  if (solution.tiling) {
    json["tiles"] = solution.tiling->tiles[p];
    json["tile_cost"] = solution.projections[p];
  }
  json[D == 2 ? "rectangles" : "cuboids"] = std::move(boxes);
  return json;
}

}  // namespace

const char* to_string(Rounding rounding) {
  return rounding == Rounding::rounded ? "ROUNDED" : "PRECISE";
}

template <std::size_t D>
std::string as_text(const Request& request, const Solution<D>& solution) {
  const Method& method = *request.method;
  return fmt::format("{}: {} ({})\n{}cost {:.6f} ({}), bound {:.6f}, ratio {:.6f}\n", method.name,
                     method.summary, method.source, processor_table(request, solution),
                     solution.partition.cost,
                     D == 2 ? "the sum of the half-perimeters" : "the sum of the projections",
                     solution.bound, solution.partition.cost / solution.bound) +
         (solution.tiling ? tiles_line(request, solution) : "");
}

template <std::size_t D>
std::string as_json(const Request& request, const Solution<D>& solution) {
  nlohmann::ordered_json json{{"method", request.method->name},
                              {"dimensions", D},
                              {"cost", solution.partition.cost},
                              {"bound", solution.bound},
                              {"ratio", solution.partition.cost / solution.bound}};
  if (solution.tiling) {
    json["tiles"] = {{"n", *request.n},
                     {"rounding", to_string(request.rounding)},
                     {"cost", solution.tile_cost()},
                     {"bound", solution.tile_bound()},
                     {"ratio", solution.tile_cost() / solution.tile_bound()},
                     {"largest_load", imbalance(request, *solution.tiling)}};
  }
  json["processors"] = nlohmann::ordered_json::array();
  for (std::size_t p = 0; p < request.speeds.size(); ++p) {
    json["processors"].push_back(processor_json(request, solution, p));
  }
  return to_indented_json(json);
}

template std::string as_text(const Request&, const Solution<2>&);
template std::string as_text(const Request&, const Solution<3>&);
template std::string as_json(const Request&, const Solution<2>&);
template std::string as_json(const Request&, const Solution<3>&);

}  // namespace starport::partition
