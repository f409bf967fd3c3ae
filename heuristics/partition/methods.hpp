// The methods by name.
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <string>
#include <variant>
#include <vector>

namespace starport::partition {

using Square = Partition<2> (*)(const std::vector<double>& speeds);
using Cube = Partition<3> (*)(const std::vector<double>& speeds);

struct Method {
  std::string name;
  std::string summary;  ///< one line
  std::string source;
  std::variant<Square, Cube> divide;
  std::size_t processors = 0;  ///< how many it is for; 0: any number

  std::size_t dimensions() const { return std::holds_alternative<Square>(divide) ? 2 : 3; }
};

const std::vector<Method>& methods();
/// Throws InputError listing them, with the nearest.
const Method& method(const std::string& name);

/// What no partition costs less than: 2 Σ √s_i of areas (squares), 3 Σ v_i^(2/3) of volumes
/// (cubes).
double cost_bound(const std::vector<double>& speeds, std::size_t dimensions);

}  // namespace starport::partition
