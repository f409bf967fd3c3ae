// The areas to be assigned by a partition, sorted, with prefix sums.
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace starport::partition {

/// A half-open range [begin, end) of indices, from 0, of sorted areas.
struct AreaRange {
  /// First index of the range.
  std::size_t begin = 0;
  /// Index after the last one of the range.
  std::size_t end = 0;

  /// Returns the number of areas in the range.
  std::size_t size() const { return end - begin; }
  /// Returns the part of the range before index k, [begin, k). Requires begin <= k <= end.
  AreaRange before(std::size_t k) const { return {begin, k}; }
  /// Returns the part of the range from index k on, [k, end). Requires begin <= k <= end.
  AreaRange from(std::size_t k) const { return {k, end}; }
  /// Returns the range without its last area, which is the largest. The range must not be empty.
  AreaRange without_largest() const { return {begin, end - 1}; }
};

/// A list of numbers whose sums over consecutive ranges take constant time.
class PrefixSums {
 public:
  /// Creates an empty list.
  PrefixSums() : sums_{0} {}
  /// Appends a number, which must not be negative if first_reaching() is to be used.
  void add(double value) { sums_.push_back(sums_.back() + value); }
  /// Returns the sum of the numbers with indices in `range`, which must be within the list;
  /// otherwise the behaviour is undefined.
  double operator()(AreaRange range) const { return sums_[range.end] - sums_[range.begin]; }
  /// Returns the first k in [range.begin, range.end) such that the numbers with indices in
  /// [range.begin, k) sum to at least `sum`, but for rounding (is_less()); range.end if there is
  /// none. The numbers must not be negative. O(log n).
  std::size_t first_reaching(AreaRange range, double sum) const;

 private:
  std::vector<double> sums_;  // sums_[k]: sum of the first k numbers
};

/// Returns the speeds multiplied by a power of two, which is exact, such that the largest one is in
/// [1, 2). Throws InputError unless they are finite, not negative, and at least one is positive.
std::vector<double> normalize_speeds(const std::vector<double>& speeds);

/// The areas (or volumes) of the processors' zones, in proportion to their speeds, with a total of
/// 1. They are sorted by (area, processor) in ascending order; processors of speed 0 are left out.
/// Area k means the k-th smallest one, from 0. Sums are computed from the speeds before dividing by
/// their total, so that sums of integer speeds are exact. Indices and ranges are not checked.
class SortedAreas {
 public:
  /// Takes one speed per processor, in any unit. Throws InputError unless they are finite, not
  /// negative, and at least one is positive.
  explicit SortedAreas(const std::vector<double>& speeds);

  /// Returns the number of areas, which is the number of processors of positive speed.
  std::size_t size() const { return areas_.size(); }
  /// Returns the number of processors, including those of speed 0.
  std::size_t processor_count() const { return processor_count_; }
  /// Returns the processor of area k: its index, from 0, in the list of speeds.
  std::size_t processor(std::size_t k) const { return processors_[k]; }
  /// Returns the range of all areas, [0, size()).
  AreaRange all() const { return {0, size()}; }

  /// Returns area k, the k-th smallest one from 0, as a fraction of the unit square or cube.
  double operator[](std::size_t k) const { return areas_[k]; }
  /// Returns the sum of the areas in `range`, from 0 to 1; 0 for an empty range.
  double sum(AreaRange range) const { return weights_(range) / total(); }
  /// Returns the sum of the areas in `part` over the sum of those in `whole`, of which `part` is a
  /// subrange. NaN if `whole` is empty.
  double share(AreaRange part, AreaRange whole) const { return weights_(part) / weights_(whole); }

  /// Returns the prefix sums of the normalized speeds (scaled by a power of two), in the order of
  /// the areas. The reference is valid as long as this object.
  const PrefixSums& weights() const { return weights_; }
  /// Returns the sum of all normalized speeds (scaled such that the largest is in [1, 2)).
  double total() const { return weights_(all()); }

  /// Returns the k at which to cut a range of two or more areas, into [begin, k) and [k, end), so
  /// that the sums of both parts differ least; the smaller k on ties. O(log n). With fewer areas
  /// the behaviour is undefined.
  std::size_t most_balanced_cut(AreaRange range) const;
  /// Returns the first k in `range` for which area k is larger than `area` by more than rounding;
  /// range.end if there is none. O(log n).
  std::size_t first_above(AreaRange range, double area) const;
  /// Returns prefix sums of `function` applied to each area, in the order of the areas. O(n).
  PrefixSums prefix_sums(const std::function<double(double)>& function) const;

 private:
  std::size_t processor_count_;
  std::vector<std::size_t> processors_;  ///< by area
  std::vector<double> areas_;
  PrefixSums weights_;
};

}  // namespace starport::partition
