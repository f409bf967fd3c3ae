// Functional performance models: speed as a function of size (HeteroPar'12, section 3).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace starport {

/// Points (x, s), x in units of computation, s in units/s; linear between the points, constant
/// outside. The time x / s(x) strictly increases, so that every line through the origin crosses the
/// curve once.
class SpeedFunction {
 public:
  struct Point {
    double size;
    double speed;  ///< units/s; > 0
    double time_s() const { return size / speed; }
    bool operator==(const Point&) const = default;
  };

  SpeedFunction() = default;
  /// The points in any order. They must keep the invariant: see first_fault.
  explicit SpeedFunction(std::vector<Point> points);

  /// The first point, in ascending size, whose time does not exceed that of the point before.
  static std::optional<std::size_t> first_fault(const std::vector<Point>& ascending);

  /// A measure. Points that contradict it go: those of its size, those below that take as long,
  /// those above that take no longer.
  void add(double size, double speed);

  /// The functions below need a point.
  double speed(double size) const;
  double highest_speed() const;
  double time_s(double size) const { return size / speed(size); }
  /// The size at which the line speed = slope * size crosses the curve; slope > 0.
  double crossing(double slope) const;

  /// On a machine so many times as fast.
  SpeedFunction faster(double times) const;

  const std::vector<Point>& points() const { return points_; }
  bool empty() const { return points_.empty(); }

 private:
  std::vector<Point> points_;  ///< ascending in size and in time
};

}  // namespace starport
