#include "sim/platform/speed_function.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace starport {

SpeedFunction::SpeedFunction(std::vector<Point> points) : points_(std::move(points)) {
  std::sort(points_.begin(), points_.end(),
            [](const Point& a, const Point& b) { return a.size < b.size; });
  if (first_non_increasing(points_)) {
    throw std::invalid_argument("the time of a speed function does not increase");
  }
}

std::optional<std::size_t> SpeedFunction::first_non_increasing(
    const std::vector<Point>& ascending) {
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    if (!(ascending[i].time_s() > ascending[i - 1].time_s())) return i;
  }
  return std::nullopt;
}

void SpeedFunction::add(double size, double speed) {
  const Point added{.size = size, .speed = speed};
  std::erase_if(points_, [&](const Point& point) {
    if (point.size == size) return true;
    return point.size < size ? point.time_s() >= added.time_s() : point.time_s() <= added.time_s();
  });
  const auto above = std::find_if(points_.begin(), points_.end(),
                                  [&](const Point& point) { return point.size > size; });
  points_.insert(above, added);
}

double SpeedFunction::speed(double size) const {
  const auto above = std::partition_point(points_.begin(), points_.end(),
                                          [&](const Point& point) { return point.size < size; });
  if (above == points_.end()) return points_.back().speed;
  if (above == points_.begin() || above->size == size) return above->speed;
  const Point& left = above[-1];
  const Point& right = above[0];
  return left.speed + (right.speed - left.speed) * ((size - left.size) / (right.size - left.size));
}

double SpeedFunction::highest_speed() const {
  double highest = 0;
  for (const Point& point : points_) highest = std::max(highest, point.speed);
  return highest;
}

SpeedFunction SpeedFunction::scaled_by(double factor) const {
  SpeedFunction changed = *this;
  for (Point& point : changed.points_) point.speed *= factor;
  return changed;
}

double SpeedFunction::crossing(double slope) const {
  const auto below = std::partition_point(points_.begin(), points_.end(), [&](const Point& point) {
    return point.speed > slope * point.size;
  });
  if (below == points_.end()) return points_.back().speed / slope;
  if (below == points_.begin()) return points_.front().speed / slope;
  const Point& left = below[-1];
  const Point& right = below[0];
  // On the segment s = a + B x: x = a / (k - B).
  const double rise = (right.speed - left.speed) / (right.size - left.size);
  return (left.speed - rise * left.size) / (slope - rise);
}

}  // namespace starport
