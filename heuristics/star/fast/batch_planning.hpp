// Plans of several instances computed at once, one in each lane of the processor's SIMD vectors.
// Uses the vector extension that GCC and Clang share.
#pragma once

#include "heuristics/star/planning.hpp"
#include "sim/platform/ties.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport::fast {

// Everything is inlined, so it does not matter how vectors would be passed to functions.
#pragma GCC diagnostic ignored "-Wpsabi"

/// Number of lanes, i.e. of doubles in a SIMD vector of type `Vector`: Lanes<n> (n) or
/// Twice<Lanes<n>> (2 n).
template <class Vector>
inline constexpr std::size_t kLanes = sizeof(Vector) / sizeof(double);
/// Returns a reference to the double in lane `n`, from 0, of a Lanes or Twice vector; undefined
/// behaviour for n >= kLanes<Vector>. Valid as long as the vector. (The compilers' vector extension
/// allows this aliasing.)
template <class Vector>
double& lane_of(Vector& vector, std::size_t n) {
  return reinterpret_cast<double*>(&vector)[n];
}
/// Returns the double in lane `n`, from 0, of a Lanes or Twice vector; undefined behaviour for n >=
/// kLanes<Vector>.
template <class Vector>
double lane_of(const Vector& vector, std::size_t n) {
  return reinterpret_cast<const double*>(&vector)[n];
}

/// A value type: a SIMD vector of `lanes` doubles (a power of 2) with arithmetic and comparisons
/// lane by lane. A comparison returns a mask of 64-bit integers: all bits set where it holds, 0
/// elsewhere. Combinations of masks are slow: GCC 12 compiles them element by element. To be used
/// in code called by call_with_lanes().
template <std::size_t lanes>
struct Lanes {
  /// The compilers' SIMD vector type of `lanes` doubles.
  typedef double Doubles __attribute__((vector_size(lanes * sizeof(double))));
  /// Result of comparing two vectors: in each lane (one double), all bits set if the comparison
  /// holds there, otherwise 0.
  typedef std::int64_t Mask __attribute__((vector_size(lanes * sizeof(double))));

  /// Creates a SIMD vector with `x` in all lanes; doubles convert implicitly.
  Lanes(double x) : values(x - Doubles{}) {}
  /// Creates a SIMD vector from one of the compilers' type, which converts implicitly.
  Lanes(const Doubles& doubles) : values(doubles) {}

  friend Lanes operator+(const Lanes& x, const Lanes& y) { return x.values + y.values; }
  friend Lanes operator-(const Lanes& x, const Lanes& y) { return x.values - y.values; }
  friend Lanes operator*(const Lanes& x, const Lanes& y) { return x.values * y.values; }
  friend Lanes operator/(const Lanes& x, const Lanes& y) { return x.values / y.values; }
  friend Mask operator==(const Lanes& x, const Lanes& y) { return x.values == y.values; }
  friend Mask operator<(const Lanes& x, const Lanes& y) { return x.values < y.values; }
  /// Returns, lane by lane, the larger number of `x` and `y`.
  friend Lanes max(const Lanes& x, const Lanes& y) {
    return x.values < y.values ? y.values : x.values;
  }
  /// Returns a vector with the number of `x` in the lanes where `condition` is set, and that of
  /// `otherwise` elsewhere.
  friend Lanes where(const Mask& condition, const Lanes& x, const Lanes& otherwise) {
    return condition ? x.values : otherwise.values;
  }
  /// Returns a mask of the SIMD lanes in which x < y by more than a relative tolerance of 1e-9 of
  /// y. All numbers must be finite and >= 0 (not checked).
  friend Mask clearly_less(const Lanes& x, const Lanes& y) {
    return Lanes(kRelativeTolerance) * y < y - x;
  }

  /// The numbers of all lanes, as a vector of the compilers' type.
  alignas(lanes * sizeof(double)) Doubles values;
};

/// A value type: two vectors of type `Half`, such as Lanes<8>, used as one with twice as many
/// lanes, so that the processor computes one while the other waits for a result. Has the operations
/// of Lanes except division; a mask holds the masks of both halves.
template <class Half>
struct Twice {
  /// Result of comparing two Twice vectors lane by lane: the masks of the lower and of the upper
  /// half of the lanes, as comparisons of `Half` return them (all bits of a lane set where the
  /// comparison holds, otherwise 0).
  struct Mask {
    decltype(Half(0) < Half(0)) low, high;
  };

  /// Creates a double-width SIMD vector with `x` in all lanes; doubles convert implicitly.
  Twice(double x) : low(x), high(x) {}
  /// Creates a double-width SIMD vector: the lanes of `first`, then those of `second`.
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
  /// Returns a mask of the SIMD lanes in which x < y by more than a relative tolerance of 1e-9 of
  /// y. All numbers must be finite and >= 0 (not checked).
  friend Mask clearly_less(const Twice& x, const Twice& y) {
    return {clearly_less(x.low, y.low), clearly_less(x.high, y.high)};
  }

  /// The first and the second half of the lanes, each a SIMD vector.
  Half low, high;
};

#ifdef __x86_64__
/// Calls work.operator()<Lanes<4>>(), whose template argument is a SIMD vector type of 4 doubles,
/// compiled for AVX2, which the processor must have (otherwise an illegal instruction ends the
/// program). Exceptions of `work` pass through. Exists on x86-64 only.
template <class Work>
[[gnu::target("avx2"), gnu::flatten]] void call_with_4_lanes(Work& work) {
  work.template operator()<Lanes<4>>();
}
/// Calls work.operator()<Lanes<8>>(), whose template argument is a SIMD vector type of 8 doubles,
/// compiled for AVX-512 (F, DQ, VL), which the processor must have (otherwise an illegal
/// instruction ends the program). Exceptions of `work` pass through. Exists on x86-64 only.
template <class Work>
[[gnu::target("avx512f,avx512dq,avx512vl"), gnu::flatten]] void call_with_8_lanes(Work& work) {
  work.template operator()<Lanes<8>>();
}
/// Calls work.operator()<Twice<Lanes<8>>>(), whose template argument is a SIMD vector type of 16
/// doubles, compiled for AVX-512 (F, DQ, VL), which the processor must have (otherwise an illegal
/// instruction ends the program). Exceptions of `work` pass through. Exists on x86-64 only.
template <class Work>
[[gnu::target("avx512f,avx512dq,avx512vl"), gnu::flatten]] void call_with_16_lanes(Work& work) {
  work.template operator()<Twice<Lanes<8>>>();
}
#endif

/// Returns the largest number of SIMD lanes (doubles computed at once) worth using on this
/// processor: 16 with AVX-512 (two vectors of 8), 4 with AVX2, 2 otherwise.
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

/// Calls work.operator()<Vector>() once, compiled for the narrowest SIMD vector type with at least
/// `lanes` lanes: Lanes<2>, Lanes<4>, Lanes<8> or Twice<Lanes<8>>; always Lanes<2> on other
/// processors than x86-64. `lanes` must not exceed widest_vector(); otherwise an illegal
/// instruction may end the program, or the vector has fewer lanes. Exceptions of `work` pass
/// through.
template <class Work>
void call_with_lanes(std::size_t lanes, Work&& work) {
#ifdef __x86_64__
  if (lanes > 8) return call_with_16_lanes(work);
  if (lanes > 4) return call_with_8_lanes(work);
  if (lanes > 2) return call_with_4_lanes(work);
#endif
  work.template operator()<Lanes<2>>();
}

/// Calls visit(i, mask) for each i in [0, size), in ascending order, where `mask` (the result of a
/// comparison of Vectors) tells in which lanes `chosen` equals i. `chosen` holds one index per lane
/// as a double; one outside the range, such as -1, matches no i.
template <class Vector, class Visit>
void for_each_chosen(const Vector& chosen, std::size_t size, Visit&& visit) {
  Vector index = 0;
  for (std::size_t i = 0; i < size; ++i, index = index + 1) visit(i, chosen == index);
}

/// State of several plans of steps (messages with blocks of A and B for one update) at once, each
/// in one lane of the SIMD vectors: for each plan what a PlanningClock holds, the planned state of
/// all workers and the end of the last communication. All plans have the same number of workers.
/// Dates are in seconds since the start of each plan, or the origin that rebase() sets. `Vector` is
/// Lanes or Twice.
template <class Vector>
struct VectorPlanningClock {
  /// Planned state of the i-th worker of each plan, by the simplified dates of CoarsePlannedWorker:
  /// a step (blocks of A and B for one update) is received no earlier than the end of the previous
  /// update. Times are in seconds (dates: from the start of the plan or the origin set by
  /// rebase()), one per SIMD lane, i.e. per plan.
  struct Worker {
    /// Returns the dates, in seconds and one per lane (plan), at which the worker would have
    /// received its next step (blocks of A and B for one update) if the port were free from
    /// `from_s` on: the end of the transfer or, if later, of the worker's previous update.
    Vector step_end_s(const Vector& from_s) const { return max(from_s + communication_s, ready_s); }
    /// Returns the dates, in seconds and one per lane (plan), at which the worker would have
    /// received a second step (blocks of A and B for one update) if it received the next one at
    /// `end_s` and the second were sent at once: the end of that transfer or, if later, of the
    /// update between.
    Vector second_step_end_s(const Vector& end_s) const {
      return end_s + max(later_s, computation_s);
    }

    /// Number of block updates of a step of the worker, one per lane, i.e. per plan.
    Vector updates{0};
    /// Transfer time of the worker's next step (blocks of A and B), in seconds, one per lane, i.e.
    /// per plan; with that of a chunk of C if this is its first step and the plan counts C.
    Vector communication_s{0};
    /// Transfer time of each step (blocks of A and B) of the worker after its next one, without C,
    /// in seconds, one per lane, i.e. per plan.
    Vector later_s{0};
    /// Computation time of a step on the worker, in seconds, one per lane, i.e. per plan.
    Vector computation_s{0};
    /// Date at which all work planned on the worker ends, in seconds from the start of the plan or
    /// the origin set by rebase(), one per lane, i.e. per plan.
    Vector ready_s{0};
  };

  /// Creates empty plans of steps, one per lane of `Vector`, for `p` workers each, with all costs
  /// 0. Call start() for each lane before using it.
  explicit VectorPlanningClock(std::size_t p) : workers(p) {}

  /// Starts a new plan in SIMD lane `lane`, from 0 to kLanes<Vector> - 1, for workers with these
  /// costs of steps, at most as many as the constructor was given (neither is checked: undefined
  /// behaviour); with fewer, the other workers keep their state. `costs` is not kept. `counts_c`:
  /// the first step of a worker also moves its chunk of C.
  void start(std::size_t lane, const std::vector<StepCosts>& costs, bool counts_c) {
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const CoarsePlannedWorker worker(costs[i], counts_c);
      lane_of(workers[i].updates, lane) = worker.updates;
      lane_of(workers[i].communication_s, lane) = worker.communication_s;
      lane_of(workers[i].later_s, lane) = worker.later_s;
      lane_of(workers[i].computation_s, lane) = worker.computation_s;
      lane_of(workers[i].ready_s, lane) = 0;
    }
    lane_of(communication_end_s, lane) = 0;
  }
  /// Moves the origin of time of each plan: subtracts from all dates in a lane the number (seconds)
  /// in that lane of `origin_s`.
  void rebase(const Vector& origin_s) {
    for (Worker& worker : workers) worker.ready_s = worker.ready_s - origin_s;
    communication_end_s = communication_end_s - origin_s;
  }

  /// Planned state of each worker, in the order of the costs given to start(), for all plans.
  std::vector<Worker> workers;
  /// Date at which the last planned communication of each plan ends, in seconds from the start of
  /// the plan or the origin set by rebase(), one per lane; 0 before the first.
  Vector communication_end_s{0};
};

/// Cuts the indices [0, size) into maximal ranges in which is_alike(first, other) holds for the
/// first index and each other one, and calls work.operator()<Vector>(first, count) for each range
/// in ascending order, to compute its elements in SIMD lanes. `Vector` (Lanes or Twice) has at
/// least min(count, max_lanes, widest_vector()) lanes, at least 2, as few as possible. Does nothing
/// if `size` is 0. `max_lanes` must be at least 1. Exceptions of both functions pass through.
template <class IsAlike, class Work>
void for_each_alike_range(std::size_t size, std::size_t max_lanes, IsAlike&& is_alike,
                          Work&& work) {
  for (std::size_t first = 0; first < size;) {
    std::size_t end = first + 1;
    while (end < size && is_alike(first, end)) ++end;
    const std::size_t count = end - first;
    call_with_lanes(std::min({count, max_lanes, widest_vector()}),
                    [&]<class Vector>() { work.template operator()<Vector>(first, count); });
    first = end;
  }
}

/// Makes `size` plans, numbered from 0, step by step in the SIMD lanes of `planner`, one plan per
/// lane at a time; a lane whose plan is complete continues with the next plan. planner.start(lane,
/// n) starts plan n in a lane (from 0); then add(n, chosen) is called with the lane's element (a
/// double) of each planner.choose() until it returns false, which ends plan n. Spare lanes compute
/// a plan whose results are not used. `size` must not be 0 (undefined behaviour), and `add` must
/// return false at some time for each plan; otherwise this does not end. Exceptions of both pass
/// through.
template <class Planner, class Add>
void plan_in_lanes(Planner& planner, std::size_t size, Add&& add) {
  constexpr std::size_t idle = SIZE_MAX;
  std::array<std::size_t, kLanes<decltype(planner.choose())>> plans;
  std::size_t next = 0;
  for (std::size_t lane = 0; lane < plans.size(); ++lane) {
    planner.start(lane, std::min(next, size - 1));  // spare lanes compute any plan
    plans[lane] = next < size ? next++ : idle;
  }
  for (std::size_t open = next; open > 0;) {
    const auto chosen = planner.choose();
    for (std::size_t lane = 0; lane < plans.size(); ++lane) {
      if (plans[lane] == idle || add(plans[lane], lane_of(chosen, lane))) continue;
      plans[lane] = next < size ? next++ : idle;
      if (plans[lane] != idle) {
        planner.start(lane, plans[lane]);
      } else {
        --open;
      }
    }
  }
}

}  // namespace starport::fast
