#include "heuristics/spmd/balance.hpp"

#include "heuristics/partition/methods.hpp"
#include "heuristics/spmd/gpa.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace starport::spmd {
namespace {

// Slack for the rounding of an imbalance that equals the tolerance.
constexpr double kRounding = 1e-12;

using Shares = PerWorker<std::int64_t>;

/// Divides n units in proportion to the weights, at least one each if n suffices.
PerWorker<std::int64_t> divide(std::int64_t n, const std::vector<double>& weights) {
  const std::int64_t minimum = n >= static_cast<std::int64_t>(weights.size()) ? 1 : 0;
  const std::vector<std::int64_t> shares = partition::apportion(n, weights, minimum);
  PerWorker<std::int64_t> result;
  result.assign(shares.begin(), shares.end());
  return result;
}

PerWorker<std::int64_t> divide_evenly(std::int64_t n, std::size_t elements) {
  return divide(n, std::vector<double>(elements, 1));
}

BalanceResult measure_shares(const Shares& shares, int passes, const MeasureShares& run) {
  return {.shares = shares,
          .measurement = run(shares),
          .passes = passes,
          .cost_s = 0,
          .ending = Ending::cap};
}

bool is_balanced(const BalanceResult& result, const PassLimits& limits) {
  return result.imbalance() <= limits.tolerance + kRounding;
}

/// Adds the measured speeds to the models.
void update_models(PerWorker<SpeedFunction>& models, const Measurement& measurement) {
  for (std::size_t i = 0; i < models.size(); ++i) {
    const auto x = static_cast<double>(measurement.sizes[i]);
    if (x > 0) models[i].add(x, x / measurement.times_s[i]);
  }
}

/// Balances with functional performance models (FPM).
BalanceResult balance_by_functions(std::int64_t n, const PassLimits& limits,
                                   PerWorker<SpeedFunction> models, const MeasureShares& run) {
  std::set<Shares> tried;
  Shares next = divide_evenly(n, models.size());
  BalanceResult best;
  for (int pass = 1;; ++pass) {
    BalanceResult current = measure_shares(next, pass, run);
    if (is_balanced(current, limits)) {
      current.ending = Ending::balanced;
      return current;
    }
    update_models(models, current.measurement);
    tried.insert(std::move(next));
    if (pass == 1 || current.slowest_s() < best.slowest_s()) best = std::move(current);
    best.passes = pass;
    if (pass == limits.max_passes) return best;
    next = gpa(n, models);
    if (tried.contains(next)) {
      best.ending = Ending::repeated;
      return best;
    }
  }
}

/// Balances with constant performance models (CPM).
BalanceResult balance_by_constants(std::int64_t n, const PassLimits& limits, std::size_t elements,
                                   const MeasureShares& run) {
  Shares before;
  BalanceResult current = measure_shares(divide_evenly(n, elements), 1, run);
  for (int pass = 1;; ++pass) {
    current.passes = pass;
    if (is_balanced(current, limits)) {
      current.ending = Ending::balanced;
      return current;
    }
    Shares next = divide_by_last_speeds(n, current.measurement);
    if (next == current.shares) {
      current.ending = Ending::repeated;
      return current;
    }
    const bool is_cycle = next == before;
    before = std::move(current.shares);
    current = measure_shares(next, pass, run);
    if (pass < limits.max_passes) continue;
    current.ending = is_cycle ? Ending::two_cycle : Ending::cap;
    return current;
  }
}

}  // namespace

PerWorker<std::int64_t> divide_by_last_speeds(std::int64_t n, const Measurement& measurement) {
  std::vector<double> speeds;
  for (std::size_t i = 0; i < measurement.sizes.size(); ++i) {
    const double t = measurement.times_s[i];
    speeds.push_back(t > 0 ? static_cast<double>(measurement.sizes[i]) / t : 0);
  }
  return divide(n, speeds);
}

const char* to_string(BalancingStrategy strategy) {
  switch (strategy) {
    case BalancingStrategy::functional:
      return "FPM";
    case BalancingStrategy::multiple_cpm:
      return "multiple-CPM";
    case BalancingStrategy::single_cpm:
      return "single-CPM";
    case BalancingStrategy::homogeneous:
      break;
  }
  return "homogeneous";
}

double BalanceResult::slowest_s() const {
  return *std::max_element(measurement.times_s.begin(), measurement.times_s.end());
}

double BalanceResult::imbalance() const {
  double fastest_s = 0;
  for (const double t : measurement.times_s) {
    if (t > 0 && (fastest_s == 0 || t < fastest_s)) fastest_s = t;
  }
  return fastest_s > 0 ? slowest_s() / fastest_s - 1 : 0;
}

BalanceResult balance_load(std::int64_t n, BalancingStrategy strategy, const PassLimits& limits,
                           PerWorker<SpeedFunction> models, const MeasureShares& run) {
  double cost_s = 0;
  const auto run_and_count = [&](const Shares& shares) {
    Measurement measurement = run(shares);
    cost_s += measurement.cost_s;
    return measurement;
  };
  const std::size_t elements = models.size();
  BalanceResult result;
  switch (strategy) {
    case BalancingStrategy::functional:
      result = balance_by_functions(n, limits, std::move(models), run_and_count);
      break;
    case BalancingStrategy::multiple_cpm:
      result = balance_by_constants(n, limits, elements, run_and_count);
      break;
    case BalancingStrategy::single_cpm:
      result = balance_by_constants(n, {.tolerance = limits.tolerance, .max_passes = 1}, elements,
                                    run_and_count);
      break;
    case BalancingStrategy::homogeneous:
      result = measure_shares(divide_evenly(n, elements), 1, run_and_count);
      break;
  }
  result.cost_s = cost_s;
  return result;
}

}  // namespace starport::spmd
