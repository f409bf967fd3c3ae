#include "heuristics/partition/apportion.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <queue>
#include <utility>

namespace starport::partition {
namespace {

/// Throws InputError if apportion() cannot handle its arguments.
void check_arguments(std::int64_t total, const std::vector<double>& weights, std::int64_t minimum) {
  for (const double weight : weights) {
    if (!(weight >= 0) || std::isinf(weight)) {
      throw InputError("weights", "finite numbers, 0 or greater", fmt::format("{}", weight));
    }
  }
  const auto parts = static_cast<std::int64_t>(weights.size());
  if (parts == 0) throw InputError("parts", "at least 1", "0");
  if (minimum > 0 && total / minimum < parts) {
    throw InputError("parts", fmt::format("1 to {} of them", total / minimum),
                     fmt::format("{}", parts));
  }
}

/// Pairs of a rounding error and a negated index: the largest error first, the lowest index on
/// ties.
using ErrorQueue = std::priority_queue<std::pair<double, std::int64_t>>;

}  // namespace

std::vector<std::int64_t> apportion(std::int64_t total, const std::vector<double>& weights,
                                    std::int64_t minimum) {
  check_arguments(total, weights, minimum);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(sum > 0)) throw InputError("weights", "at least one positive weight", "none");
  std::vector<double> quota;
  std::vector<std::int64_t> parts;
  std::int64_t left = total;
  for (const double weight : weights) {
    quota.push_back(static_cast<double>(total) * weight / sum);
    parts.push_back(std::max(minimum, static_cast<std::int64_t>(std::floor(quota.back() + 1e-9))));
    left -= parts.back();
  }
  const std::int64_t step = left > 0 ? 1 : -1;
  const auto error = [&](std::size_t i) {
    return static_cast<double>(step) * (quota[i] - static_cast<double>(parts[i]));
  };
  const auto can_change = [&](std::size_t i) { return step > 0 || parts[i] > minimum; };
  ErrorQueue errors;
  const auto enqueue = [&](std::size_t i) {
    if (can_change(i)) errors.emplace(error(i), -static_cast<std::int64_t>(i));
  };
  for (std::size_t i = 0; i < parts.size() && left != 0; ++i) enqueue(i);
  for (; left != 0; left -= step) {
    const auto i = static_cast<std::size_t>(-errors.top().second);
    errors.pop();
    parts[i] += step;
    enqueue(i);
  }
  return parts;
}

}  // namespace starport::partition
