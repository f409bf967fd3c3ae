// Functional performance models: speed as a function of problem size (HeteroPar'12, section 3).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace starport {

/// A speed s(x) in units/s for problems of x units of computation (here mostly block updates):
/// linear between given points, constant outside them. The time x / s(x) strictly increases, so
/// that every line through the origin with a positive slope crosses the curve exactly once: the
/// constructor throws std::invalid_argument for points that break this, and add() removes the
/// points that contradict the new one. In an object without points, as the default constructor
/// makes it, speed(), time_s() and crossing() are undefined behaviour.
class SpeedFunction {
 public:
  /// One given point of a SpeedFunction: a problem size, and the speed at that size.
  struct Point {
    /// Size of the problem in units of computation, which the user of the function chooses (here
    /// mostly block updates or blocks of C); at least 0. `speed` is in the same units per second.
    double size;
    /// Speed in units of computation (those of `size`) per second at this size; greater than 0.
    double speed;
    /// Returns the time in seconds of a problem of size `size` at speed `speed`: size / speed.
    double time_s() const { return size / speed; }
    bool operator==(const Point&) const = default;
  };

  SpeedFunction() = default;
  /// Makes the speed function through `points`, given in any order; an empty list is allowed.
  /// Requires sizes >= 0, each once, and speeds > 0 (not checked). Throws std::invalid_argument
  /// when a larger problem does not take longer than a smaller one.
  explicit SpeedFunction(std::vector<Point> points);

  /// Returns the index (at least 1, counted from 0) of the first element whose time size / speed
  /// does not exceed that of the element before it, or nullopt when all times increase, as for
  /// fewer than two points. Requires `ascending` to be sorted by size (not checked).
  static std::optional<std::size_t> first_non_increasing(const std::vector<Point>& ascending);

  /// Adds a measured point (problem size in units of computation, speed in units/s) and removes the
  /// points that contradict it: the one of the same size, smaller ones with no shorter time, and
  /// larger ones with no longer time. Requires size >= 0 and speed > 0 (not checked). Invalidates
  /// references to the elements of points().
  void add(double size, double speed);

  /// Returns the speed in units/s for a problem of `size` units of computation (>= 0, not checked):
  /// interpolated linearly between points, constant below the first and above the last. Requires at
  /// least one point; otherwise the behaviour is undefined.
  double speed(double size) const;
  /// Returns the highest speed of all points, in units of computation per second; 0 without points.
  double highest_speed() const;
  /// Returns the time in seconds, size / speed(size), for a problem of `size` units of computation
  /// (>= 0, not checked); 0 for size 0. Requires at least one point; otherwise the behaviour is
  /// undefined.
  double time_s(double size) const { return size / speed(size); }
  /// Returns the problem size, in units of computation, that takes 1 / slope seconds: where the
  /// line speed = slope * size crosses the curve. Requires slope > 0 and at least one point (not
  /// checked: undefined behaviour without points).
  double crossing(double slope) const;

  /// Returns the speed function of a machine that is `factor` (> 0, not checked) times as fast: the
  /// same sizes, all speeds multiplied by `factor`.
  SpeedFunction scaled_by(double factor) const;

  /// Returns the given points (problem size, speed) by ascending size. The reference is valid as
  /// long as this object and until the next add().
  const std::vector<Point>& points() const { return points_; }
  /// Returns whether the function has no points, so that speed(), time_s() and crossing() must not
  /// be called.
  bool empty() const { return points_.empty(); }

 private:
  std::vector<Point> points_;  ///< ascending in size and in time
};

}  // namespace starport
