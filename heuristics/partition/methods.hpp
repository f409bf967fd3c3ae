// The registry of partitioning methods.
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <string>
#include <variant>
#include <vector>

namespace starport::partition {

/// Computes a partition of the unit square.
using SquareMethod = Partition<2> (*)(const std::vector<double>& speeds);
/// Computes a partition of the unit cube.
using CubeMethod = Partition<3> (*)(const std::vector<double>& speeds);

/// A registered partitioning method.
struct Method {
  std::string name;
  std::string summary;  ///< one line
  std::string source;   ///< paper
  std::variant<SquareMethod, CubeMethod> divide;
  std::size_t processors = 0;  ///< required number of processors of positive speed; 0: any

  /// Returns 2 for the square, 3 for the cube.
  std::size_t dimensions() const { return std::holds_alternative<SquareMethod>(divide) ? 2 : 3; }
};

/// Returns all methods, in the order in which they are listed.
const std::vector<Method>& methods();
/// Returns the method called `name`. Throws InputError with a suggestion if there is none.
const Method& find_method(const std::string& name);

/// Returns a lower bound on the cost of any partition, which square or cubic zones would attain: 2
/// Σ √s_i for areas s_i (2 dimensions), 3 Σ v_i^(2/3) for volumes v_i (3 dimensions).
double cost_bound(const std::vector<double>& speeds, std::size_t dimensions);

}  // namespace starport::partition
