// The numbers that definitions are written over: a double, or several doubles at once, each of a
// plan of its own, of one instance or of several.
#pragma once

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace starport {

// All of them are inlined: how vectors would be passed does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

inline double max(double x, double y) { return x < y ? y : x; }
inline double where(bool condition, double x, double otherwise) {
  return condition ? x : otherwise;
}
/// How many a Number holds, and those.
template <class Number>
inline constexpr std::size_t kLanes = sizeof(Number) / sizeof(double);
/// The one in lane n. (A vector may be looked at by its elements.)
template <class Number>
double& lane_of(Number& number, std::size_t n) {
  return reinterpret_cast<double*>(&number)[n];
}
template <class Number>
double lane_of(const Number& number, std::size_t n) {
  return reinterpret_cast<const double*>(&number)[n];
}

/// Calls visit(i, here) for the i below `size` that some lane has chosen at least; `here` is where.
/// Negative: none.
template <class Number, class Visit>
void for_chosen(const Number& chosen, std::size_t size, Visit&& visit) {
  if constexpr (kLanes<Number> == 1) {
    if (chosen >= 0) visit(static_cast<std::size_t>(chosen), true);
  } else {
    Number number = 0;
    for (std::size_t i = 0; i < size; ++i, number = number + 1) visit(i, chosen == number);
  }
}

/// So many numbers, a power of 2, by the processor's vector instructions: an extension of the
/// language that GCC and Clang share. A mask is that of one comparison: GCC 12 takes what is made
/// of two apart, number by number.
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
  /// As in ties.hpp, of finite numbers >= 0.
  friend Mask clearly_less(const Lanes& x, const Lanes& y) {
    return Lanes(kRelativeTolerance) * y < y - x;
  }

  alignas(lanes * sizeof(double)) Doubles all;
};

/// Two vectors at once: while one waits for a result, the processor goes on with the other.
template <class Half>
struct Twice {
  struct Mask {
    decltype(Half(0) < Half(0)) low, high;
  };

  Twice(double x) : low(x), high(x) {}
  Twice(const Half& low, const Half& high) : low(low), high(high) {}
  // One by one: what is copied as a whole, GCC 12 keeps in memory.
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
  friend Mask clearly_less(const Twice& x, const Twice& y) {
    return {clearly_less(x.low, y.low), clearly_less(x.high, y.high)};
  }

  Half low, high;
};

#ifdef __x86_64__
template <class Work>
[[gnu::target("avx2"), gnu::flatten]] void work_by_fours(Work& work) {
  work.template operator()<Lanes<4>>();
}
template <class Work>
[[gnu::target("avx512f,avx512dq,avx512vl"), gnu::flatten]] void work_by_eights(Work& work) {
  work.template operator()<Lanes<8>>();
}
template <class Work>
[[gnu::target("avx512f,avx512dq,avx512vl"), gnu::flatten]] void work_by_sixteens(Work& work) {
  work.template operator()<Twice<Lanes<8>>>();
}
#endif

/// How many doubles are worked on at once: two of the widest vectors that the processor has.
inline std::size_t widest() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    return 16;
  }
  if (__builtin_cpu_supports("avx2")) return 4;
#endif
  return 2;
}

/// Calls work.operator()<Number>(), compiled for the narrowest vectors that hold so many doubles,
/// at most widest().
template <class Work>
void work_at_width(std::size_t lanes, Work&& work) {
#ifdef __x86_64__
  if (lanes > 8) return work_by_sixteens(work);
  if (lanes > 4) return work_by_eights(work);
  if (lanes > 2) return work_by_fours(work);
#endif
  if (lanes > 1) return work.template operator()<Lanes<2>>();
  work.template operator()<double>();
}

/// Calls work.operator()<Number>(first, count) for neighbours among `size` that are all
/// alike(first, other), in vectors of at most `most` doubles.
template <class Alike, class Work>
void for_neighbours(std::size_t size, std::size_t most, Alike&& alike, Work&& work) {
  for (std::size_t first = 0; first < size;) {
    std::size_t end = first + 1;
    while (end < size && alike(first, end)) ++end;
    const std::size_t count = end - first;
    work_at_width(std::min({count, most, widest()}),
                  [&]<class Number>() { work.template operator()<Number>(first, count); });
    first = end;
  }
}

/// Makes `size` plans in the lanes of a planner, step after step: a lane whose plan is over goes on
/// with the next one. `planner.begin(lane, n)` begins the n-th, which stays in its lane until
/// `add(n, chosen)`, called with what planner.choose() has in that lane, says that it is over.
template <class Planner, class Add>
void plan_in_lanes(Planner& planner, std::size_t size, Add&& add) {
  constexpr std::size_t idle = SIZE_MAX;
  std::array<std::size_t, kLanes<decltype(planner.choose())>> plans;
  std::size_t next = 0;
  for (std::size_t lane = 0; lane < plans.size(); ++lane) {
    planner.begin(lane, std::min(next, size - 1));  // in those to spare, any
    plans[lane] = next < size ? next++ : idle;
  }
  for (std::size_t open = next; open > 0;) {
    const auto chosen = planner.choose();
    for (std::size_t lane = 0; lane < plans.size(); ++lane) {
      if (plans[lane] == idle || add(plans[lane], lane_of(chosen, lane))) continue;
      plans[lane] = next < size ? next++ : idle;
      if (plans[lane] != idle) {
        planner.begin(lane, plans[lane]);
      } else {
        --open;
      }
    }
  }
}

}  // namespace starport
