// A few numbers at once, by the vector instructions that every x86-64 has: a language extension
// that GCC and Clang share.
#pragma once

#include "sim/platform/ties.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace starport {

/// Up to how many workers a scan of a number for each was seen to be faster than structures that
/// follow the changes (experiments/benchmark/README.md).
inline constexpr std::size_t kFewWorkers = 64;

inline constexpr std::size_t kLanes = 2;
using Lanes [[gnu::vector_size(kLanes * sizeof(double))]] = double;

inline Lanes in_all_lanes(double x) { return Lanes{x, x}; }
inline Lanes least(Lanes x, Lanes y) { return x < y ? x : y; }
inline Lanes largest(Lanes x, Lanes y) { return x > y ? x : y; }
/// The same but for one lane. (To write a lane alone would delay who reads all of them next; which
/// one it is no processor predicts.)
inline Lanes replaced(Lanes lanes, std::size_t lane, double x) {
  using Mask [[gnu::vector_size(sizeof(Lanes))]] = std::int64_t;
  static constexpr Mask only[kLanes] = {{-1, 0}, {0, -1}};
  return only[lane] ? in_all_lanes(x) : lanes;
}

/// Numbers >= 0, or infinity for none, of which the least is looked for by a scan: for few.
class LaneNumbers {
 public:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  explicit LaneNumbers(std::size_t size)
      : size_(size), all_((size + kLanes - 1) / kLanes, Number{in_all_lanes(kNone)}) {}

  std::size_t size() const { return size_; }
  double operator[](std::size_t i) const { return all_[i / kLanes].lanes[i % kLanes]; }
  void set(std::size_t i, double x) {
    Lanes& lanes = all_[i / kLanes].lanes;
    lanes = replaced(lanes, i % kLanes, x);
  }

  /// By groups of kLanes: what fills up the last one must stay infinite.
  std::size_t groups() const { return all_.size(); }
  Lanes& group(std::size_t n) { return all_[n].lanes; }
  Lanes group(std::size_t n) const { return all_[n].lanes; }

  /// The index that a scan keeps when only a number clearly less (ties.hpp) replaces the best so
  /// far; size() when all are infinite.
  std::size_t first_of_least() const {
    Lanes minima = in_all_lanes(kNone);
    for (const Number& number : all_) minima = least(number.lanes, minima);
    const double minimum = std::min(minima[0], minima[1]);
    if (minimum == kNone) return size_;
    // The first near the least, if none lies between 1/2 and 3 tolerances from it.
    const Lanes near = in_all_lanes(minimum * (1 + kRelativeTolerance / 2));
    const Lanes far = in_all_lanes(minimum * (1 + 3 * kRelativeTolerance));
    Lanes first = in_all_lanes(kNone);
    Lanes index{0, 1};
    auto between = near < near;  // none
    for (const Number& number : all_) {
      const auto is_near = number.lanes <= near;
      between |= (number.lanes <= far) ^ is_near;
      first = least(is_near ? index : in_all_lanes(kNone), first);
      index += in_all_lanes(kLanes);
    }
    if ((between[0] | between[1]) == 0)
      return static_cast<std::size_t>(std::min(first[0], first[1]));
    return scan();
  }

 private:
  struct Number {
    Lanes lanes;
  };

  std::size_t scan() const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < size_; ++i) {
      if (clearly_less((*this)[i], (*this)[best])) best = i;
    }
    return best;
  }

  std::size_t size_;
  std::vector<Number> all_;
};

}  // namespace starport
