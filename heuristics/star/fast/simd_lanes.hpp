// Vectors of doubles ("lanes") in the processor's SIMD registers, on which several plans are
// computed at once, one in each lane. Uses the vector extension that GCC and Clang share.
#pragma once

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starport::fast {

// Everything is inlined, so it does not matter how vectors would be passed to functions.
#pragma GCC diagnostic ignored "-Wpsabi"

/// Number of lanes (doubles) of a vector type: Lanes<n> or Twice<Lanes<n>>.
template <class Vector>
inline constexpr std::size_t kLanes = sizeof(Vector) / sizeof(double);
/// Returns a reference to the element in lane `n`, from 0 (not checked), of a Lanes or Twice
/// vector. Valid as long as the vector. (The compilers' vector extension allows this aliasing.)
template <class Vector>
double& lane_of(Vector& vector, std::size_t n) {
  return reinterpret_cast<double*>(&vector)[n];
}
/// Returns the element in lane `n`, from 0 (not checked), of a Lanes or Twice vector.
template <class Vector>
double lane_of(const Vector& vector, std::size_t n) {
  return reinterpret_cast<const double*>(&vector)[n];
}

/// A vector of `lanes` doubles (a power of 2) with arithmetic and comparisons lane by lane. A
/// comparison returns a mask of 64-bit integers: all bits set where it holds, 0 elsewhere. Each
/// condition is a single comparison because GCC 12 compiles a combination of masks element by
/// element.
template <std::size_t lanes>
struct Lanes {
  /// The compilers' vector type of `lanes` doubles.
  typedef double Doubles __attribute__((vector_size(lanes * sizeof(double))));
  /// Result of a comparison: in each lane, all bits set if it holds, otherwise 0.
  typedef std::int64_t Mask __attribute__((vector_size(lanes * sizeof(double))));

  /// Sets all lanes to `x`.
  Lanes(double x) : values(x - Doubles{}) {}
  /// Copies a vector of the compilers' type.
  Lanes(const Doubles& doubles) : values(doubles) {}

  friend Lanes operator+(const Lanes& x, const Lanes& y) { return x.values + y.values; }
  friend Lanes operator-(const Lanes& x, const Lanes& y) { return x.values - y.values; }
  friend Lanes operator*(const Lanes& x, const Lanes& y) { return x.values * y.values; }
  friend Lanes operator/(const Lanes& x, const Lanes& y) { return x.values / y.values; }
  friend Mask operator==(const Lanes& x, const Lanes& y) { return x.values == y.values; }
  friend Mask operator<(const Lanes& x, const Lanes& y) { return x.values < y.values; }
  /// Returns the larger number of each lane.
  friend Lanes max(const Lanes& x, const Lanes& y) {
    return x.values < y.values ? y.values : x.values;
  }
  /// Returns in each lane the number of `x` where the condition holds, and that of `otherwise`
  /// elsewhere.
  friend Lanes where(const Mask& condition, const Lanes& x, const Lanes& otherwise) {
    return condition ? x.values : otherwise.values;
  }
  /// Returns in which lanes x < y by more than a relative tolerance of 1e-9 of y. Numbers must be
  /// finite and >= 0.
  friend Mask clearly_less(const Lanes& x, const Lanes& y) {
    return Lanes(kRelativeTolerance) * y < y - x;
  }

  /// The numbers of all lanes.
  alignas(lanes * sizeof(double)) Doubles values;
};

/// Two vectors of type `Half` used as one with twice as many lanes, so that the processor computes
/// one while the other waits for a result. Has the same operations as Lanes; a mask holds the masks
/// of both halves.
template <class Half>
struct Twice {
  /// Result of a comparison: the masks of both halves.
  struct Mask {
    decltype(Half(0) < Half(0)) low, high;
  };

  /// Sets all lanes to `x`.
  Twice(double x) : low(x), high(x) {}
  /// Combines two vectors: the lanes of `first`, then those of `second`.
  Twice(const Half& first, const Half& second) : low(first), high(second) {}
  // Copies half by half: GCC 12 keeps an object that is copied as a whole in memory.
  Twice(const Twice& other) : low(other.low), high(other.high) {}
  Twice& operator=(const Twice& other) {
    low = other.low;
    high = other.high;
    return *this;
  }

  friend Twice operator+(const Twice& x, const Twice& y) {
    return {x.low + y.low, x.high + y.high};
  }
  friend Twice operator-(const Twice& x, const Twice& y) {
    return {x.low - y.low, x.high - y.high};
  }
  friend Twice operator*(const Twice& x, const Twice& y) {
    return {x.low * y.low, x.high * y.high};
  }
  friend Mask operator==(const Twice& x, const Twice& y) {
    return {x.low == y.low, x.high == y.high};
  }
  friend Mask operator<(const Twice& x, const Twice& y) { return {x.low < y.low, x.high < y.high}; }
  friend Twice max(const Twice& x, const Twice& y) {
    return {max(x.low, y.low), max(x.high, y.high)};
  }
  friend Twice where(const Mask& condition, const Twice& x, const Twice& otherwise) {
    return {where(condition.low, x.low, otherwise.low),
            where(condition.high, x.high, otherwise.high)};
  }
  /// Returns in which lanes x < y by more than a relative tolerance of 1e-9 of y. Numbers must be
  /// finite and >= 0.
  friend Mask clearly_less(const Twice& x, const Twice& y) {
    return {clearly_less(x.low, y.low), clearly_less(x.high, y.high)};
  }

  /// The first and the second half of the lanes.
  Half low, high;
};

#ifdef __x86_64__
/// Calls work.operator()<Lanes<4>>(), compiled for AVX2, which the processor must have. Used by
/// call_with_lanes().
template <class Work>
[[gnu::target("avx2"), gnu::flatten]] void call_with_4_lanes(Work& work) {
  work.template operator()<Lanes<4>>();
}
/// Calls work.operator()<Lanes<8>>(), compiled for AVX-512 (F, DQ, VL), which the processor must
/// have. Used by call_with_lanes().
template <class Work>
[[gnu::target("avx512f,avx512dq,avx512vl"), gnu::flatten]] void call_with_8_lanes(Work& work) {
  work.template operator()<Lanes<8>>();
}
/// Calls work.operator()<Twice<Lanes<8>>>(), compiled for AVX-512 (F, DQ, VL), which the processor
/// must have. Used by call_with_lanes().
template <class Work>
[[gnu::target("avx512f,avx512dq,avx512vl"), gnu::flatten]] void call_with_16_lanes(Work& work) {
  work.template operator()<Twice<Lanes<8>>>();
}
#endif

/// Returns the largest number of lanes worth using on this processor: 16 with AVX-512 (two vectors
/// of 8), 4 with AVX2, 2 otherwise.
inline std::size_t widest_vector() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return 16;
  }
  if (__builtin_cpu_supports("avx2")) return 4;
#endif
  return 2;
}

/// Calls work.operator()<Vector>(), compiled for the processor's narrowest vector type that has at
/// least `lanes` lanes (2, 4, 8 or 16). `lanes` must not exceed widest_vector(); otherwise the
/// program may end with an illegal instruction, or the vector has fewer lanes.
template <class Work>
void call_with_lanes(std::size_t lanes, Work&& work) {
#ifdef __x86_64__
  if (lanes > 8) return call_with_16_lanes(work);
  if (lanes > 4) return call_with_8_lanes(work);
  if (lanes > 2) return call_with_4_lanes(work);
#endif
  work.template operator()<Lanes<2>>();
}

}  // namespace starport::fast
