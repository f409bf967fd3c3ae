// Functional performance models: speed as a function of problem size (HeteroPar'12, section 3).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace starport {

/// A speed s(x) in units/s for problems of x units of computation (here mostly block updates):
/// linear between given points, constant outside them. The time x / s(x) strictly increases, so
/// that every line through the origin crosses the curve exactly once. An object without points, as
/// the default constructor makes it, only allows add(), points(), empty(), highest_speed() and
/// scaled_by().
class SpeedFunction {
 public:
  /// A given point of the curve: the speed at one problem size.
  struct Point {
    /// Problem size in units of computation; at least 0.
    double size;
    /// Speed in units/s at this size; greater than 0.
    double speed;
    /// Returns the time in seconds of a problem of this size.
    double time_s() const { return size / speed; }
    bool operator==(const Point&) const = default;
  };

  SpeedFunction() = default;
  /// Makes the function through `points`, given in any order; none are allowed. Requires sizes >= 0
  /// and speeds > 0 (not checked). Throws std::invalid_argument when a larger point does not take
  /// longer than a smaller one or a size occurs twice.
  explicit SpeedFunction(std::vector<Point> points);

  /// Returns the index, from 1, of the first element whose time does not exceed that of the element
  /// before it, or nullopt when all times increase, as for fewer than two points. Requires
  /// `ascending` to be sorted by size (not checked).
  static std::optional<std::size_t> first_non_increasing(const std::vector<Point>& ascending);

  /// Adds a measured point (size in units, speed in units/s) and removes the points that contradict
  /// it: the one of the same size, smaller ones with no shorter time, and larger ones with no
  /// longer time. Requires size >= 0 and speed > 0 (not checked). Invalidates references to the
  /// elements of points().
  void add(double size, double speed);

  /// Returns the speed in units/s at a size in units (>= 0), interpolated between the two nearest
  /// points; outside the points, the speed of the first or last one. Requires at least one point;
  /// otherwise the behaviour is undefined.
  double speed(double size) const;
  /// Returns the highest speed of all points in units/s; 0 without points.
  double highest_speed() const;
  /// Returns the time in seconds for a problem of `size` units (>= 0). Requires at least one point;
  /// otherwise the behaviour is undefined.
  double time_s(double size) const { return size / speed(size); }
  /// Returns the size in units that takes 1 / slope seconds: where the line speed = slope * size
  /// crosses the curve. Requires slope > 0 and at least one point (not checked; undefined behaviour
  /// without points).
  double crossing(double slope) const;

  /// Returns the function of a machine that is `factor` (> 0, not checked) times as fast: the same
  /// sizes, all speeds multiplied.
  SpeedFunction scaled_by(double factor) const;

  /// Returns the points by ascending size. The reference is valid as long as this object and until
  /// the next add().
  const std::vector<Point>& points() const { return points_; }
  /// Returns whether the function has no points, so that speed(), time_s() and crossing() must not
  /// be called.
  bool empty() const { return points_.empty(); }

 private:
  std::vector<Point> points_;  ///< ascending in size and in time
};

}  // namespace starport
