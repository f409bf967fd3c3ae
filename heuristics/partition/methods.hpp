// The registry of partitioning methods, and the rounding of shares of a total to integers.
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace starport::partition {

/// Divides `total` into integers in proportion to `weights`, each at least `minimum`, and returns
/// them in the order of the weights; they sum to `total`. Rounds the exact shares down, or up to
/// `minimum`, then changes the part with the largest rounding error by 1 until the sum is right;
/// the lower index wins ties. O((p + p * minimum) log p) for p parts. Throws InputError if there
/// are no weights, one is negative, NaN or infinite, none is positive, or total < p * minimum.
/// `total` and `minimum` must be 0 or more; otherwise the behaviour is undefined.
std::vector<std::int64_t> apportion(std::int64_t total, const std::vector<double>& weights,
                                    std::int64_t minimum = 0);

/// Function that divides `whole`, a rectangle (D = 2) or cuboid (D = 3) of volume 1 with sides that
/// begin at 0 (not checked), such as the unit square or cube, into one zone per speed, in the order
/// of the speeds, with areas or volumes in proportion to them; a speed of 0 gets an empty zone.
/// Throws InputError unless the speeds are finite, not negative, at least one is positive, and as
/// many are positive as the method requires (Method::processors).
template <std::size_t D>
using Divide = Partition<D> (*)(const std::vector<double>& speeds, const Box<D>& whole);

/// A method of partitioning the unit square (2D) or cube (3D) among processors that users can
/// choose by name: its name, its texts for users, and its function. An element of the static list
/// methods().
struct Method {
  /// Name by which users select the method of partitioning, such as "NRRP". Case matters. In the
  /// list methods() the names are distinct and not empty.
  std::string name;
  /// Description of the partitioning method in one line, without a full stop or newline.
  std::string summary;
  /// Origin of the method, for users: authors, place and year of the paper, possibly with "after"
  /// before them; "all of these" for the method "portfolio".
  std::string source;
  /// Function that divides the unit square (Divide<2>) or cube (Divide<3>), or another box of
  /// volume 1 whose sides begin at 0, into one zone per speed, with areas or volumes in proportion
  /// to the speeds; never null in the list methods(). Throws InputError unless the speeds are
  /// finite and not negative, and the number of positive ones is `processors` or, if that is 0, at
  /// least 1.
  std::variant<Divide<2>, Divide<3>> divide;
  /// Number of processors of positive speed that the method requires; 0: any number of at least 1.
  /// With another number, `divide` throws InputError.
  std::size_t processors = 0;

  /// Returns 2 if the partitioning method divides the unit square, 3 if it divides the unit cube.
  std::size_t dimensions() const { return std::holds_alternative<Divide<2>>(divide) ? 2 : 3; }
};

/// Returns all methods of partitioning the unit square or cube among processors, in the order in
/// which they are listed to users. The list is never empty, constant, and valid until the program
/// ends.
const std::vector<Method>& methods();
/// Returns the partitioning method whose name is exactly `name` (case matters); the reference is
/// valid until the program ends. Throws InputError if there is none; the error names the option
/// `--method`, suggests the nearest name and lists all.
const Method& find_method(const std::string& name);

/// Returns a lower bound on the cost (sum over the processors of the sizes of their zones'
/// projections) of any partition of the unit square or cube, which square or cubic zones would
/// attain: 2 Σ √s_i for areas s_i if `dimensions` is 2, 3 Σ v_i^(2/3) for volumes v_i if it is 3.
/// Areas and volumes are in proportion to the speeds and sum to 1. `dimensions` must be 2 or 3 (not
/// checked). Throws InputError unless the speeds are finite, not negative, and at least one is
/// positive.
double cost_bound(const std::vector<double>& speeds, std::size_t dimensions);

}  // namespace starport::partition
