// The registry of partitioning methods, and the rounding of shares of a total to integers.
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace starport::partition {

/// Divides `total` into integers in proportion to `weights`, each at least `minimum` (0 or more),
/// and returns them in the order of the weights. Rounds the exact shares down, then adjusts the
/// parts with the largest rounding errors by one; the lower index wins ties. O((p + p * minimum)
/// log p) for p parts. Throws InputError unless total >= p * minimum, the weights are finite and
/// not negative, and at least one is positive. `total` must not be negative.
std::vector<std::int64_t> apportion(std::int64_t total, const std::vector<double>& weights,
                                    std::int64_t minimum = 0);

/// Function that divides the unit square into one zone per speed, with areas in proportion to the
/// speeds. Throws InputError unless the speeds are finite, not negative, and at least one is
/// positive.
using SquareMethod = Partition<2> (*)(const std::vector<double>& speeds);
/// Function that divides the unit cube into one zone per speed, with volumes in proportion to the
/// speeds. Throws InputError unless the speeds are finite, not negative, and at least one is
/// positive.
using CubeMethod = Partition<3> (*)(const std::vector<double>& speeds);

/// A registered method of partitioning the unit square or cube among processors.
struct Method {
  /// Name by which users select the method, such as "NRRP".
  std::string name;
  /// Description in one line, without a full stop or newline.
  std::string summary;
  /// Authors, place and year of the paper.
  std::string source;
  /// Function that computes the partition.
  std::variant<SquareMethod, CubeMethod> divide;
  /// Required number of processors of positive speed; 0: any.
  std::size_t processors = 0;

  /// Returns 2 if the method divides the unit square, 3 if it divides the unit cube.
  std::size_t dimensions() const { return std::holds_alternative<SquareMethod>(divide) ? 2 : 3; }
};

/// Returns all partitioning methods, in the order in which they are listed to users. The list is
/// constant and valid until the program ends.
const std::vector<Method>& methods();
/// Returns the partitioning method called exactly `name`; the reference is valid until the program
/// ends. Throws InputError, for the place `--method`, with a suggestion and the list of names if
/// there is none.
const Method& find_method(const std::string& name);

/// Returns a lower bound on the cost of any partition, which square or cubic zones would attain: 2
/// Σ √s_i for areas s_i if `dimensions` is 2, 3 Σ v_i^(2/3) for volumes v_i if it is 3. Areas and
/// volumes are in proportion to the speeds and sum to 1. Throws InputError unless the speeds are
/// finite, not negative, and at least one is positive.
double cost_bound(const std::vector<double>& speeds, std::size_t dimensions);

}  // namespace starport::partition
