// Zones of the unit square or cube, one for each processor. A zone's cost is what the processor has
// to receive: the sum of the zone's projections (ICPP'18, section 3.1). x is i, y is j, z is k of
// the product C_ij += A_ik B_kj.
#pragma once

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <vector>

namespace starport::partition {

struct Interval {
  double from = 0;
  double to = 1;

  double length() const { return to - from; }
  bool operator==(const Interval&) const = default;
};

/// A rectangle or a cuboid by its edges: neighbours share the very same doubles.
template <std::size_t D>
struct Box {
  std::array<Interval, D> sides{};

  double length(std::size_t axis) const { return sides[axis].length(); }
  /// Of the face across an axis: in a rectangle the length of the other side.
  double face(std::size_t axis) const {
    double product = 1;
    for (std::size_t other = 0; other < D; ++other) {
      if (other != axis) product *= length(other);
    }
    return product;
  }
  double volume() const { return length(0) * face(0); }
  /// As a zone: half the perimeter, or half the surface.
  double cost() const {
    double sum = 0;
    for (std::size_t axis = 0; axis < D; ++axis) sum += face(axis);
    return sum;
  }
  /// The longest first; of equal ones x before y before z.
  std::array<std::size_t, D> axes_by_length() const {
    std::array<std::size_t, D> axes{};
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    std::stable_sort(axes.begin(), axes.end(), [&](std::size_t one, std::size_t other) {
      return length(one) > length(other);
    });
    return axes;
  }
  bool operator==(const Box&) const = default;
};

using Rectangle = Box<2>;
using Cuboid = Box<3>;

/// At most two rectangles, or three cuboids, that do not overlap.
template <std::size_t D>
using Zone = boost::container::static_vector<Box<D>, D>;

template <std::size_t D>
struct Partition {
  std::vector<Zone<D>> zones;  ///< by processor; empty where the speed is 0
  double cost = 0;             ///< as the method counts it
};

/// What two boxes share; sides of length 0 where they share nothing.
template <std::size_t D>
Box<D> intersection(const Box<D>& one, const Box<D>& other) {
  Box<D> common;
  for (std::size_t axis = 0; axis < D; ++axis) {
    Interval& side = common.sides[axis];
    side.from = std::max(one.sides[axis].from, other.sides[axis].from);
    side.to = std::max(side.from, std::min(one.sides[axis].to, other.sides[axis].to));
  }
  return common;
}

template <std::size_t D>
double volume(const Zone<D>& zone) {
  double sum = 0;
  for (const Box<D>& box : zone) sum += box.volume();
  return sum;
}

/// The projections of a zone, measured: of the boxes' shadows along each axis the union, by
/// inclusion and exclusion. It knows nothing of how the zone was made.
template <std::size_t D>
double projection_cost(const Zone<D>& zone) {
  double sum = 0;
  for (std::size_t axis = 0; axis < D; ++axis) {
    for (unsigned chosen = 1; chosen < 1U << zone.size(); ++chosen) {
      Box<D> common{};
      double sign = -1;
      for (std::size_t i = 0; i < zone.size(); ++i) {
        if ((chosen >> i & 1U) == 0) continue;
        Box<D> shadow = zone[i];
        shadow.sides[axis] = {};
        common = intersection(common, shadow);
        sign = -sign;
      }
      sum += sign * common.face(axis);
    }
  }
  return sum;
}

}  // namespace starport::partition
