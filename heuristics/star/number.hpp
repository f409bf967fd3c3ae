// The numbers that definitions are written over: a double, or several doubles at once, each with a
// plan of its own.
#pragma once

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace starport {

inline double max(double x, double y) { return std::max(x, y); }
inline double where(bool condition, double x, double otherwise) {
  return condition ? x : otherwise;
}
/// Those that a Number holds.
template <class Number>
using DoublesOf = std::array<double, sizeof(Number) / sizeof(double)>;

// All of them are inlined: how vectors would be passed does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

/// So many numbers, a power of 2, by the processor's vector instructions: an extension of the
/// language that GCC and Clang share.
template <std::size_t lanes>
struct Lanes {
  typedef double Doubles __attribute__((vector_size(lanes * sizeof(double))));
  typedef std::int64_t Mask __attribute__((vector_size(lanes * sizeof(double))));

  Lanes(double x) : all(x - Doubles{}) {}
  Lanes(const Doubles& doubles) : all(doubles) {}

  friend Lanes operator+(const Lanes& x, const Lanes& y) { return x.all + y.all; }
  friend Lanes operator-(const Lanes& x, const Lanes& y) { return x.all - y.all; }
  friend Lanes operator*(const Lanes& x, const Lanes& y) { return x.all * y.all; }
  friend Lanes operator/(const Lanes& x, const Lanes& y) { return x.all / y.all; }
  friend Mask operator==(const Lanes& x, const Lanes& y) { return x.all == y.all; }
  friend Mask operator<(const Lanes& x, const Lanes& y) { return x.all < y.all; }
  friend Lanes max(const Lanes& x, const Lanes& y) { return x.all < y.all ? y.all : x.all; }
  friend Lanes where(const Mask& condition, const Lanes& x, const Lanes& otherwise) {
    return condition ? x.all : otherwise.all;
  }
  /// As in ties.hpp, of numbers >= 0.
  friend Mask clearly_less(const Lanes& x, const Lanes& y) {
    const Lanes infinity(std::numeric_limits<double>::infinity());
    return (x < y) & ((Lanes(kRelativeTolerance) * y < y - x) | (y == infinity));
  }

  alignas(lanes * sizeof(double)) Doubles all;
};

}  // namespace starport
