// Geometry of partitions of the unit square or cube. The axes x, y and z stand for i, j and k of
// the product C_ij += A_ik B_kj. The cost of a zone is the volume of data that its processor
// receives: the sum of the sizes of the zone's projections (ICPP'18, section 3.1).
#pragma once

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace starport::partition {

/// Returns true if a is less than b by more than rounding errors, that is, by more than 1e-12 * b;
/// false if either is NaN. Both must be at least 0 (not checked). All rules for dividing the unit
/// square or cube compare with it, so that numbers that are equal but for rounding are ties.
inline bool is_less(double a, double b) {
  constexpr double rounding = 1e-12;
  return a < b * (1 - rounding);
}

/// A closed interval [from, to] of coordinates on one axis, where 1 is the side of the unit square
/// or cube; by default [0, 1], that whole side. Coordinates may exceed 1 where another box of
/// volume 1 is divided instead.
struct Interval {
  /// Lower end of the interval: a coordinate on an axis of the unit square or cube, whose sides
  /// have length 1; 0 by default.
  double from = 0;
  /// Upper end of the interval, a coordinate on one axis, where 1 is the side of the unit square or
  /// cube; at least `from` (not checked); 1 by default. May exceed 1 where another box of volume 1
  /// is divided instead.
  double to = 1;

  /// Returns the length of the interval, to - from, where 1 is the side of the unit square or cube.
  double length() const { return to - from; }
  bool operator==(const Interval&) const = default;
};

/// An axis-parallel rectangle (D = 2) or cuboid (D = 3) within the unit square or cube, or within
/// another box of volume 1 that is divided instead; by default the whole unit square or cube. The
/// edges that adjacent boxes of a computed partition have in common are bit-identical.
template <std::size_t D>
struct Box {
  /// Extent of the box along each axis: 0 is x, 1 is y, 2 is z. The side of the unit square or cube
  /// has length 1, and by default the box has this whole side.
  std::array<Interval, D> sides{};

  /// Returns the length of the box along `axis` (0: x, 1: y, 2: z), where 1 is the side of the unit
  /// square or cube. `axis` must be less than D (undefined behaviour otherwise).
  double length(std::size_t axis) const { return sides[axis].length(); }
  /// Returns the size of the face perpendicular to `axis` (0: x, 1: y, 2: z), which must be less
  /// than D (otherwise meaningless): the product of the other sides; in a rectangle, the length of
  /// the other side.
  double face(std::size_t axis) const {
    double product = 1;
    for (std::size_t other = 0; other < D; ++other) {
      if (other != axis) product *= length(other);
    }
    return product;
  }
  /// Returns the volume of the box, or the area of a rectangle, as a fraction of the unit cube or
  /// square.
  double volume() const { return length(0) * face(0); }
  /// Returns the cost of the box as the whole part of one processor, i.e. the amount of data that
  /// the processor receives: the sum of the sizes of the box's projections along all axes, which is
  /// half the perimeter of a rectangle and half the surface of a cuboid. 1 stands for a side of the
  /// unit square or a face of the unit cube.
  double cost() const {
    double sum = 0;
    for (std::size_t axis = 0; axis < D; ++axis) sum += face(axis);
    return sum;
  }
  /// Returns the axes (0: x, 1: y, 2: z) by descending length of the box along them; sides that are
  /// equal but for rounding in the order x, y, z.
  std::array<std::size_t, D> axes_by_length() const {
    std::array<std::size_t, D> axes{};
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    std::stable_sort(axes.begin(), axes.end(),
                     [&](std::size_t a, std::size_t b) { return is_less(length(b), length(a)); });
    return axes;
  }
  bool operator==(const Box&) const = default;
};

/// The part of the unit square or cube, or of another box of volume 1 that is divided instead, that
/// one processor gets: a list of up to two rectangles (D = 2) or three cuboids (D = 3) that do not
/// overlap, in no particular order; empty for a processor of speed 0. Its capacity is D: adding
/// more boxes throws std::bad_alloc.
template <std::size_t D>
using Zone = boost::container::static_vector<Box<D>, D>;

/// A division of the unit square or cube (or of another box of volume 1) into one zone per
/// processor, with areas or volumes in proportion to the speeds; result of the partitioning
/// methods. The zones do not overlap and cover the whole. A plain value that refers to nothing
/// else.
template <std::size_t D>
struct Partition {
  /// The box that is divided; by default the unit square or cube. to_tiles() requires that its
  /// sides begin at 0.
  Box<D> whole{};
  /// Zone (part of the divided box) of each processor, in the order of the speeds; a processor of
  /// speed 0 has an empty zone.
  std::vector<Zone<D>> zones;
  /// Sum of the costs of all zones, i.e. of the data that the processors receive, as computed by
  /// the partitioning method: the sizes of the zones' projections along each axis, where the side
  /// of the unit square (or face of the cube) is 1.
  double cost = 0;
};

/// Numbers along the axes x, y (and z): of tiles of a matrix, {rows, columns} (D = 2), or of tasks
/// of a product, {r, s, t} (D = 3), where C has r x s tiles, A r x t and B t x s.
template <std::size_t D>
using TileCounts = std::array<std::int64_t, D>;

/// Returns the box of volume 1 whose sides, which begin at 0, are in proportion to `counts`, each
/// at least 1 (not checked): exactly the unit square or cube for equal numbers. The cost of a
/// partition of this box is in proportion to its cost counted in tiles.
template <std::size_t D>
Box<D> make_whole(const TileCounts<D>& counts) {
  Box<D> whole;
  if (std::ranges::all_of(counts, [&](std::int64_t count) { return count == counts[0]; })) {
    return whole;
  }
  double log_mean = 0;
  for (const std::int64_t count : counts) log_mean += std::log(static_cast<double>(count)) / D;
  for (std::size_t axis = 0; axis < D; ++axis) {
    whole.sides[axis].to = static_cast<double>(counts[axis]) / std::exp(log_mean);
  }
  return whole;
}

/// Returns the intersection of two boxes. If they do not intersect or only touch, the result has at
/// least one side of length 0, hence volume 0, and its coordinates mean nothing.
template <std::size_t D>
Box<D> intersection(const Box<D>& a, const Box<D>& b) {
  Box<D> common;
  for (std::size_t axis = 0; axis < D; ++axis) {
    Interval& side = common.sides[axis];
    side.from = std::max(a.sides[axis].from, b.sides[axis].from);
    side.to = std::max(side.from, std::min(a.sides[axis].to, b.sides[axis].to));
  }
  return common;
}

/// Returns the total volume (or area) of the boxes of a zone, as a fraction of the unit cube or
/// square; 0 for an empty zone. Overlaps, which zones must not have, would count twice.
template <std::size_t D>
double volume(const Zone<D>& zone) {
  double sum = 0;
  for (const Box<D>& box : zone) sum += box.volume();
  return sum;
}

/// Returns the cost of a zone (the data that its processor receives) computed from its boxes alone:
/// the sum over the axes of the size of the union of the boxes' projections along that axis; 0 for
/// an empty zone. 1 stands for a side of the unit square or a face of the unit cube; the boxes must
/// lie within these (not checked: meaningless otherwise).
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
