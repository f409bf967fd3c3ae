// The numbers that definitions are written over: a double, or several doubles at once, each with a
// plan of its own.
#pragma once

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace starport {

inline double max(double x, double y) { return std::max(x, y); }
inline double where(bool condition, double x, double otherwise) {
  return condition ? x : otherwise;
}
inline double lane(double x, std::size_t) { return x; }
/// How many a Number holds.
template <class Number>
inline constexpr std::size_t kLanes = sizeof(Number) / sizeof(double);

/// Two numbers, by the vector instructions that every x86-64 has: an extension of the language that
/// GCC and Clang share.
struct Pair {
  using Lanes [[gnu::vector_size(2 * sizeof(double))]] = double;
  using Mask [[gnu::vector_size(2 * sizeof(double))]] = std::int64_t;

  Pair(double x) : lanes{x, x} {}
  Pair(double x, double y) : lanes{x, y} {}
  Pair(Lanes both) : lanes(both) {}

  friend Pair operator+(const Pair& x, const Pair& y) { return x.lanes + y.lanes; }
  friend Pair operator-(const Pair& x, const Pair& y) { return x.lanes - y.lanes; }
  friend Pair operator*(const Pair& x, const Pair& y) { return x.lanes * y.lanes; }
  friend Pair operator/(const Pair& x, const Pair& y) { return x.lanes / y.lanes; }
  friend Mask operator==(const Pair& x, const Pair& y) { return x.lanes == y.lanes; }
  friend Pair max(const Pair& x, const Pair& y) { return x.lanes < y.lanes ? y.lanes : x.lanes; }
  friend Pair where(const Mask& condition, const Pair& x, const Pair& otherwise) {
    return condition ? x.lanes : otherwise.lanes;
  }
  friend double lane(const Pair& x, std::size_t n) { return x.lanes[n]; }

  Lanes lanes;
};

/// As in ties.hpp, of numbers >= 0.
inline Pair::Mask clearly_less(const Pair& x, const Pair& y) {
  const Pair infinity(std::numeric_limits<double>::infinity());
  const Pair::Mask far = (y - x).lanes > (Pair(kRelativeTolerance) * y).lanes;
  return (x.lanes < y.lanes) & (far | (y == infinity));
}

}  // namespace starport
