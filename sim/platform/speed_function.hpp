// Functional performance models: speed as a function of problem size (HeteroPar'12, section 3).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace starport {

/// A speed s(x) in units/s for problems of x units of computation: linear between given points,
/// constant outside them. The time x / s(x) strictly increases, so that every line through the
/// origin crosses the curve exactly once.
class SpeedFunction {
 public:
  /// A point of the curve.
  struct Point {
    double size;
    double speed;  ///< units/s; > 0
    double time_s() const { return size / speed; }
    bool operator==(const Point&) const = default;
  };

  SpeedFunction() = default;
  /// Makes the function through some points, in any order. Throws std::invalid_argument when the
  /// time does not increase with the size (see first_non_increasing).
  explicit SpeedFunction(std::vector<Point> points);

  /// Returns the index of the first point whose time does not exceed that of the point before it,
  /// or nullopt. `ascending` is sorted by size.
  static std::optional<std::size_t> first_non_increasing(const std::vector<Point>& ascending);

  /// Adds a measured point and removes the points that contradict it: that of the same size,
  /// smaller ones with no shorter time, and larger ones with no longer time.
  void add(double size, double speed);

  /// Returns the speed at a size in units/s. Requires at least one point.
  double speed(double size) const;
  /// Returns the highest speed of all points in units/s; 0 without points.
  double highest_speed() const;
  /// Returns the time in seconds for a problem of `size` units. Requires at least one point.
  double time_s(double size) const { return size / speed(size); }
  /// Returns the size at which the line speed = slope * size, slope > 0, crosses the curve: the
  /// size that takes 1 / slope seconds. Requires at least one point.
  double crossing(double slope) const;

  /// Returns the function of a machine that is `factor` times as fast.
  SpeedFunction scaled_by(double factor) const;

  const std::vector<Point>& points() const { return points_; }
  bool empty() const { return points_.empty(); }

 private:
  std::vector<Point> points_;  ///< ascending in size and in time
};

}  // namespace starport
