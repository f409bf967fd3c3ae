#include "heuristics/partition/areas.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace starport::partition {

std::vector<double> weights_of(const std::vector<double>& speeds) {
  double largest = 0;
  for (const double speed : speeds) {
    if (!(speed >= 0) || std::isinf(speed)) {
      throw InputError("speeds", "finite numbers, 0 or greater", fmt::format("{}", speed));
    }
    largest = std::max(largest, speed);
  }
  if (largest == 0) throw InputError("speeds", "a processor with a speed above 0", "none");
  const int scale = -std::ilogb(largest);
  std::vector<double> weights;
  for (const double speed : speeds) weights.push_back(std::scalbn(speed, scale));
  return weights;
}

std::size_t PrefixSums::reaching(Group group, double sum) const {
  const auto begin = upto_.begin() + static_cast<std::ptrdiff_t>(group.begin);
  const auto end = upto_.begin() + static_cast<std::ptrdiff_t>(group.end);
  const double before = *begin;
  const auto found =
      std::partition_point(begin, end, [&](double upto) { return upto - before < sum; });
  return static_cast<std::size_t>(found - upto_.begin());
}

SortedAreas::SortedAreas(const std::vector<double>& speeds) : processors_(speeds.size()) {
  const std::vector<double> weights = weights_of(speeds);
  std::vector<std::pair<double, std::size_t>> sorted;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) sorted.emplace_back(weights[i], i);
  }
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [weight, processor] : sorted) {
    processor_.push_back(processor);
    areas_.push_back(weight);
    weights_.add(weight);
  }
  for (double& area : areas_) area /= total();
}

std::size_t SortedAreas::most_balanced(Group group) const {
  const double whole = weights_(group);
  const auto excess = [&](std::size_t k) { return 2 * weights_(group.until(k)) - whole; };
  const std::size_t k =
      std::clamp(weights_.reaching(group, whole / 2), group.begin + 1, group.end - 1);
  return k > group.begin + 1 && -excess(k - 1) <= excess(k) ? k - 1 : k;
}

std::size_t SortedAreas::first_above(Group group, double area) const {
  const auto begin = areas_.begin() + static_cast<std::ptrdiff_t>(group.begin);
  const auto end = areas_.begin() + static_cast<std::ptrdiff_t>(group.end);
  return static_cast<std::size_t>(std::upper_bound(begin, end, area) - areas_.begin());
}

PrefixSums SortedAreas::sums_of(const std::function<double(double)>& function) const {
  PrefixSums sums;
  for (const double area : areas_) sums.add(function(area));
  return sums;
}

}  // namespace starport::partition
