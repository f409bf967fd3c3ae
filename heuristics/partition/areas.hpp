// The areas that a partition gives out, sorted, with their sums.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace starport::partition {

/// Sorted areas [begin, end).
struct Group {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  Group until(std::size_t k) const { return {begin, k}; }
  Group from(std::size_t k) const { return {k, end}; }
  /// All but the largest.
  Group rest() const { return {begin, end - 1}; }
};

/// Sums of consecutive numbers, each in constant time.
class PrefixSums {
 public:
  PrefixSums() : upto_{0} {}
  void add(double value) { upto_.push_back(upto_.back() + value); }
  double operator()(Group group) const { return upto_[group.end] - upto_[group.begin]; }
  /// The first k in [group.begin, group.end) whose group.until(k) comes to `sum`, else group.end.
  std::size_t reaching(Group group, double sum) const;

 private:
  std::vector<double> upto_;  // upto_[k]: of the first k
};

/// The speeds times a power of two, which rounds nothing, so that their sum is no more than a few
/// times their number. Throws InputError unless they are finite, not negative, and one of them
/// positive.
std::vector<double> weights_of(const std::vector<double>& speeds);

/// Areas (or volumes) in proportion to the speeds, ascending by (area, processor); processors of
/// speed 0 are left out. Sums are taken before the division by the total, so that for integer
/// speeds equal sums are equal.
class SortedAreas {
 public:
  /// Throws InputError as weights_of() does.
  explicit SortedAreas(const std::vector<double>& speeds);

  std::size_t size() const { return areas_.size(); }
  std::size_t processors() const { return processors_; }  ///< those of speed 0 too
  std::size_t processor(std::size_t k) const { return processor_[k]; }
  Group all() const { return {0, size()}; }

  double operator[](std::size_t k) const { return areas_[k]; }  ///< they sum up to 1
  double sum(Group group) const { return weights_(group) / total(); }
  /// The share of a group in another that it is part of.
  double share(Group part, Group whole) const { return weights_(part) / weights_(whole); }

  /// In the unit of the speeds, up to a power of two.
  const PrefixSums& weights() const { return weights_; }
  double total() const { return weights_(all()); }

  /// Where to cut a group of two or more so that both parts come closest; the smaller one on ties.
  std::size_t most_balanced(Group group) const;
  /// The first of the group above a size, else group.end.
  std::size_t first_above(Group group, double area) const;
  /// Sums of a function of the areas.
  PrefixSums sums_of(const std::function<double(double)>& function) const;

 private:
  std::size_t processors_;
  std::vector<std::size_t> processor_;
  std::vector<double> areas_;
  PrefixSums weights_;
};

}  // namespace starport::partition
