// The areas to be assigned by a partition, sorted, with prefix sums.
#pragma once

#include "heuristics/partition/geometry.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace starport::partition {

/// A half-open range [begin, end) of indices, from 0, into the areas of a SortedAreas object (the
/// parts of the unit square or cube that processors are to get, ascending) or the numbers of a
/// PrefixSums list; empty by default. Requires begin <= end (not checked).
struct AreaRange {
  /// First index, from 0, of the range [begin, end) of areas or numbers; 0 by default.
  std::size_t begin = 0;
  /// Index after the last one of the range [begin, end); the range is empty if it equals `begin`,
  /// as by default.
  std::size_t end = 0;

  /// Returns the number of indices in the range [begin, end), end - begin. Requires begin <= end;
  /// otherwise the result wraps around.
  std::size_t size() const { return end - begin; }
  /// Returns the part of the range before index k, [begin, k); k counts from 0 in the whole list,
  /// not from `begin`. Requires begin <= k <= end (not checked).
  AreaRange before(std::size_t k) const { return {begin, k}; }
  /// Returns the part of the range from index k on, [k, end); k counts from 0 in the whole list,
  /// not from `begin`. Requires begin <= k <= end (not checked).
  AreaRange from(std::size_t k) const { return {k, end}; }
  /// Returns the range of indices without the last one, which is that of the largest area, as areas
  /// are sorted in ascending order. Requires a range that is not empty (not checked; the result is
  /// invalid otherwise).
  AreaRange without_largest() const { return {begin, end - 1}; }
};

/// A list of doubles that only grows, indexed from 0, for which the sum over any range [begin, end)
/// of indices (AreaRange) takes constant time. Stores the running sums, not the numbers, so that
/// sums of a range are exact up to rounding only.
class PrefixSums {
 public:
  /// Creates an empty list of numbers.
  PrefixSums() : sums_{0} {}
  /// Appends a finite number to the list; it must not be negative if first_reaching(), a binary
  /// search, is to be used. Neither is checked.
  void add(double value) { sums_.push_back(sums_.back() + value); }
  /// Returns the sum of the numbers of the list with indices in `range`, up to rounding; 0 for an
  /// empty range. Requires range.begin <= range.end <= the number of numbers added; otherwise the
  /// behaviour is undefined.
  double operator()(AreaRange range) const { return sums_[range.end] - sums_[range.begin]; }
  /// Returns the first k in [range.begin, range.end) such that the numbers with indices in
  /// [range.begin, k) sum to at least `sum`, with a relative tolerance of 1e-12 (is_less());
  /// range.begin if `sum` is 0 or less, range.end if there is no such k. O(log n). The numbers must
  /// not be negative, and `range` must be within the list; otherwise the behaviour is undefined.
  std::size_t first_reaching(AreaRange range, double sum) const;

 private:
  std::vector<double> sums_;  // sums_[k]: sum of the first k numbers
};

/// Returns the speeds (of processors, in any common unit), in their order, multiplied by the power
/// of two that brings the largest one into [1, 2). This is exact, except that a speed smaller than
/// the largest by a factor of more than about 2^1022 loses digits or becomes 0. Throws InputError
/// unless the speeds are finite, not negative, and at least one is positive (an empty list is
/// refused).
std::vector<double> normalize_speeds(const std::vector<double>& speeds);

/// The areas of the unit square (or volumes of the unit cube) that processors are to get, one for
/// each processor of positive speed: in proportion to the speeds, with a total of 1, in ascending
/// order, equal ones by processor. Area k is the k-th smallest one, from 0. Owns all its data. Sums
/// of areas are computed from sums of speeds, which are exact for integer speeds (up to 2^53).
/// Indices and ranges are not checked: beyond size(), the behaviour is undefined.
class SortedAreas {
 public:
  /// Computes an area for each of the processors 0, 1, ... of positive speed, in proportion to the
  /// speeds (one per processor, in any common unit) and 1 in total, and sorts the areas in
  /// ascending order; a processor of speed 0 gets none. `speeds` is not kept. Throws InputError
  /// unless the speeds are finite, not negative, and at least one is positive.
  explicit SortedAreas(const std::vector<double>& speeds);

  /// Returns the number of areas (one per processor of positive speed); at least 1.
  std::size_t size() const { return areas_.size(); }
  /// Returns the number of processors, including those of speed 0: the length of the list of speeds
  /// given to the constructor; at least 1.
  std::size_t processor_count() const { return processor_count_; }
  /// Returns the processor that is to get area k, the k-th smallest one from 0: its index, from 0,
  /// in the list of speeds. Requires k < size(); otherwise the behaviour is undefined.
  std::size_t processor(std::size_t k) const { return processors_[k]; }
  /// Returns the range of the indices of all areas, [0, size()).
  AreaRange all() const { return {0, size()}; }

  /// Returns area k, the k-th smallest one from 0, as a fraction of the unit square or cube.
  /// Requires k < size(); otherwise the behaviour is undefined.
  double operator[](std::size_t k) const { return areas_[k]; }
  /// Returns the sum of the areas (fractions of the unit square or cube, ascending) with indices in
  /// `range`, from 0 to 1; 0 for an empty range. Requires range.begin <= range.end <= size();
  /// otherwise the behaviour is undefined.
  double sum(AreaRange range) const { return weights_(range) / total(); }
  /// Returns the sum of the areas with indices in `part` divided by the sum of those with indices
  /// in `whole`, from 0 to 1; NaN if `whole` is empty. `part` must be a subrange of `whole`, and
  /// `whole` of all(); beyond all() the behaviour is undefined.
  double share(AreaRange part, AreaRange whole) const { return weights_(part) / weights_(whole); }

  /// Returns the list, with its prefix sums, of the speeds of the processors that have an area,
  /// i.e. without speeds of 0, in the order of the areas: index k is that of area k. They are
  /// scaled by the power of two that brings the largest one into [1, 2) (normalize_speeds()). The
  /// reference is valid as long as this object.
  const PrefixSums& weights() const { return weights_; }
  /// Returns the sum of the normalized speeds of all processors (scaled by a power of two such that
  /// the largest is in [1, 2)); at least 1. Not the sum of the areas, which is 1.
  double total() const { return weights_(all()); }

  /// Returns the index k at which to cut a range of two or more areas into [begin, k) and [k, end)
  /// such that the sums of the areas of both parts differ least; begin < k < end; the smaller k on
  /// ties up to rounding. O(log n). With fewer than two areas or beyond all() the behaviour is
  /// undefined.
  std::size_t most_balanced_cut(AreaRange range) const;
  /// Returns the first index k in `range` for which area k (the k-th smallest one, from 0) is
  /// larger than `area` by more than rounding (a relative 1e-12); range.end if there is none. O(log
  /// n). `area` is a fraction of the unit square or cube. `range` must be within all(); otherwise
  /// the behaviour is undefined.
  std::size_t first_above(AreaRange range, double area) const;
  /// Returns a list, with its prefix sums, of function(area) for all areas; number k is that of
  /// area k, the k-th smallest one from 0. Calls `function` once per area, in ascending order, and
  /// does not keep it; its exceptions pass through. O(n). The result does not refer to this object.
  PrefixSums prefix_sums(const std::function<double(double)>& function) const;

 private:
  std::size_t processor_count_;
  std::vector<std::size_t> processors_;  ///< index, from 0, in the list of speeds of the processor
                                         ///< of each area
  std::vector<double> areas_;
  PrefixSums weights_;
};

}  // namespace starport::partition
