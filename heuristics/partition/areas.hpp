// The areas to be assigned by a partition, sorted, with prefix sums.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace starport::partition {

/// A range [begin, end) of indices of sorted areas.
struct AreaRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  /// Returns the areas before k.
  AreaRange before(std::size_t k) const { return {begin, k}; }
  /// Returns the areas from k on.
  AreaRange from(std::size_t k) const { return {k, end}; }
  /// Returns all areas but the last, which is the largest. The range must not be empty.
  AreaRange without_largest() const { return {begin, end - 1}; }
};

/// Sums of consecutive numbers in constant time each.
class PrefixSums {
 public:
  PrefixSums() : sums_{0} {}
  void add(double value) { sums_.push_back(sums_.back() + value); }
  /// Returns the sum of the numbers in `range`.
  double operator()(AreaRange range) const { return sums_[range.end] - sums_[range.begin]; }
  /// Returns the first k in [range.begin, range.end) for which the numbers of `range` before k sum
  /// to at least `sum`; range.end if there is none.
  std::size_t first_reaching(AreaRange range, double sum) const;

 private:
  std::vector<double> sums_;  // sums_[k]: sum of the first k numbers
};

/// Scales the speeds by a power of two, which is exact, such that the largest one is in [1, 2).
/// Throws InputError unless they are finite, not negative, and at least one is positive.
std::vector<double> normalize_speeds(const std::vector<double>& speeds);

/// The areas (or volumes) of the processors' zones, in proportion to their speeds, with a total
/// of 1. They are sorted by (area, processor); processors of speed 0 are left out. Sums are
/// computed from the speeds before dividing by their total, so that sums of integer speeds are
/// exact.
class SortedAreas {
 public:
  /// Throws InputError if normalize_speeds() does.
  explicit SortedAreas(const std::vector<double>& speeds);

  /// Returns the number of areas.
  std::size_t size() const { return areas_.size(); }
  /// Returns the number of processors, including those of speed 0.
  std::size_t processor_count() const { return processor_count_; }
  /// Returns the processor of area k.
  std::size_t processor(std::size_t k) const { return processors_[k]; }
  /// Returns the range of all areas.
  AreaRange all() const { return {0, size()}; }

  /// Returns area k. All areas sum to 1.
  double operator[](std::size_t k) const { return areas_[k]; }
  /// Returns the sum of the areas in `range`.
  double sum(AreaRange range) const { return weights_(range) / total(); }
  /// Returns the fraction of the areas in `whole` that its subrange `part` makes up.
  double share(AreaRange part, AreaRange whole) const { return weights_(part) / weights_(whole); }

  /// Returns the prefix sums of the normalized speeds, in the order of the areas.
  const PrefixSums& weights() const { return weights_; }
  /// Returns the sum of all normalized speeds.
  double total() const { return weights_(all()); }

  /// Returns the k at which to cut a range of two or more areas so that the sums of both parts
  /// differ least; the smaller k on ties.
  std::size_t most_balanced_cut(AreaRange range) const;
  /// Returns the first k in `range` whose area is larger than `area`; range.end if there is none.
  std::size_t first_above(AreaRange range, double area) const;
  /// Returns prefix sums of `function` applied to the areas.
  PrefixSums prefix_sums(const std::function<double(double)>& function) const;

 private:
  std::size_t processor_count_;
  std::vector<std::size_t> processors_;  ///< by area
  std::vector<double> areas_;
  PrefixSums weights_;
};

}  // namespace starport::partition
