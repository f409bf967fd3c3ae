#include "heuristics/partition/areas.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace starport::partition {

std::vector<double> normalize_speeds(const std::vector<double>& speeds) {
  double largest = 0;
  for (const double speed : speeds) {
    if (!(speed >= 0) || std::isinf(speed)) {
      throw InputError("speeds", "finite numbers, 0 or greater", fmt::format("{}", speed));
    }
    largest = std::max(largest, speed);
  }
  if (largest == 0) throw InputError("speeds", "at least one positive speed", "none");
  const int scale = -std::ilogb(largest);
  std::vector<double> weights;
  for (const double speed : speeds) weights.push_back(std::scalbn(speed, scale));
  return weights;
}

std::size_t PrefixSums::first_reaching(AreaRange range, double sum) const {
  const auto begin = sums_.begin() + static_cast<std::ptrdiff_t>(range.begin);
  const auto end = sums_.begin() + static_cast<std::ptrdiff_t>(range.end);
  const double before = *begin;
  const auto found = std::partition_point(
      begin, end, [&](double sum_before) { return is_less(sum_before - before, sum); });
  return static_cast<std::size_t>(found - sums_.begin());
}

SortedAreas::SortedAreas(const std::vector<double>& speeds) : processor_count_(speeds.size()) {
  const std::vector<double> weights = normalize_speeds(speeds);
  std::vector<std::pair<double, std::size_t>> sorted;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) sorted.emplace_back(weights[i], i);
  }
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [weight, processor] : sorted) {
    processors_.push_back(processor);
    areas_.push_back(weight);
    weights_.add(weight);
  }
  for (double& area : areas_) area /= total();
}

std::size_t SortedAreas::most_balanced_cut(AreaRange range) const {
  const double whole = weights_(range);
  const auto excess = [&](std::size_t k) { return 2 * weights_(range.before(k)) - whole; };
  const std::size_t k =
      std::clamp(weights_.first_reaching(range, whole / 2), range.begin + 1, range.end - 1);
  constexpr double rounding = 1e-12;
  return k > range.begin + 1 && -excess(k - 1) <= excess(k) + rounding * whole ? k - 1 : k;
}

std::size_t SortedAreas::first_above(AreaRange range, double area) const {
  const auto begin = areas_.begin() + static_cast<std::ptrdiff_t>(range.begin);
  const auto end = areas_.begin() + static_cast<std::ptrdiff_t>(range.end);
  return static_cast<std::size_t>(std::upper_bound(begin, end, area, is_less) - areas_.begin());
}

PrefixSums SortedAreas::prefix_sums(const std::function<double(double)>& function) const {
  PrefixSums sums;
  for (const double area : areas_) sums.add(function(area));
  return sums;
}

}  // namespace starport::partition
