#include "heuristics/partition/apportion.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <queue>
#include <utility>

namespace starport::partition {
namespace {

void check(std::int64_t n, const std::vector<double>& weights, std::int64_t least) {
  for (const double weight : weights) {
    if (!(weight >= 0) || std::isinf(weight)) {
      throw InputError("weights", "finite numbers, 0 or greater", fmt::format("{}", weight));
    }
  }
  const auto parts = static_cast<std::int64_t>(weights.size());
  if (parts == 0) throw InputError("parts", "at least 1", "0");
  if (least > 0 && n / least < parts) {
    throw InputError("parts", fmt::format("1 to {} of them", n / least), fmt::format("{}", parts));
  }
}

/// Indices by a gap, the largest first, then the lowest index.
using Gaps = std::priority_queue<std::pair<double, std::int64_t>>;

}  // namespace

std::vector<std::int64_t> apportion(std::int64_t n, const std::vector<double>& weights,
                                    std::int64_t least) {
  check(n, weights, least);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(sum > 0)) throw InputError("weights", "one above 0", "none");
  std::vector<double> quota;
  std::vector<std::int64_t> parts;
  std::int64_t left = n;
  for (const double weight : weights) {
    quota.push_back(static_cast<double>(n) * weight / sum);
    parts.push_back(std::max(least, static_cast<std::int64_t>(std::floor(quota.back() + 1e-9))));
    left -= parts.back();
  }
  const std::int64_t step = left > 0 ? 1 : -1;
  const auto gap = [&](std::size_t i) {
    return static_cast<double>(step) * (quota[i] - static_cast<double>(parts[i]));
  };
  const auto may_change = [&](std::size_t i) { return step > 0 || parts[i] > least; };
  Gaps gaps;
  const auto enter = [&](std::size_t i) {
    if (may_change(i)) gaps.emplace(gap(i), -static_cast<std::int64_t>(i));
  };
  for (std::size_t i = 0; i < parts.size() && left != 0; ++i) enter(i);
  for (; left != 0; left -= step) {
    const auto i = static_cast<std::size_t>(-gaps.top().second);
    gaps.pop();
    parts[i] += step;
    enter(i);
  }
  return parts;
}

}  // namespace starport::partition
