#include "heuristics/spmd/balance.hpp"

#include "heuristics/spmd/cpm.hpp"
#include "heuristics/spmd/gpa.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace starport::spmd {
namespace {

/// What rounding may add to an imbalance that is the tolerance.
constexpr double kRounding = 1e-12;

using Shares = PerWorker<std::int64_t>;

Balance measured(const Shares& shares, int passes, const Kernels& run) {
  return {.shares = shares,
          .measure = run(shares),
          .passes = passes,
          .cost_s = 0,
          .ending = Ending::cap};
}

bool balanced(const Balance& balance, const Passes& passes) {
  return balance.imbalance() <= passes.tolerance + kRounding;
}

void learn(PerWorker<SpeedFunction>& models, const Measure& measure) {
  for (std::size_t i = 0; i < models.size(); ++i) {
    const auto x = static_cast<double>(measure.sizes[i]);
    if (x > 0) models[i].add(x, x / measure.times_s[i]);
  }
}

Balance balance_by_functions(std::int64_t n, const Passes& passes, PerWorker<SpeedFunction> models,
                             const Kernels& run) {
  std::set<Shares> tried;
  Shares next = even_shares(n, models.size());
  Balance best;
  for (int pass = 1;; ++pass) {
    Balance now = measured(next, pass, run);
    if (balanced(now, passes)) {
      now.ending = Ending::balanced;
      return now;
    }
    learn(models, now.measure);
    tried.insert(std::move(next));
    if (pass == 1 || now.slowest_s() < best.slowest_s()) best = std::move(now);
    best.passes = pass;
    if (pass == passes.most) return best;
    next = gpa(n, models);
    if (tried.contains(next)) {
      best.ending = Ending::repeated;
      return best;
    }
  }
}

Balance balance_by_constants(std::int64_t n, const Passes& passes, std::size_t elements,
                             const Kernels& run) {
  Shares before;
  Balance now = measured(even_shares(n, elements), 1, run);
  for (int pass = 1;; ++pass) {
    now.passes = pass;
    if (balanced(now, passes)) {
      now.ending = Ending::balanced;
      return now;
    }
    Shares next = cpm(n, now.measure);
    if (next == now.shares) {
      now.ending = Ending::repeated;
      return now;
    }
    const bool back = next == before;
    before = std::move(now.shares);
    now = measured(next, pass, run);
    if (pass < passes.most) continue;
    now.ending = back ? Ending::two_cycle : Ending::cap;
    return now;
  }
}

}  // namespace

const char* to_string(Strategy strategy) {
  switch (strategy) {
    case Strategy::functional:
      return "FPM";
    case Strategy::multiple_cpm:
      return "multiple-CPM";
    case Strategy::single_cpm:
      return "single-CPM";
    case Strategy::homogeneous:
      break;
  }
  return "homogeneous";
}

double Balance::slowest_s() const {
  return *std::max_element(measure.times_s.begin(), measure.times_s.end());
}

double Balance::imbalance() const {
  double fastest_s = 0;
  for (const double t : measure.times_s) {
    if (t > 0 && (fastest_s == 0 || t < fastest_s)) fastest_s = t;
  }
  return fastest_s > 0 ? slowest_s() / fastest_s - 1 : 0;
}

Balance balance(std::int64_t n, Strategy strategy, const Passes& passes,
                PerWorker<SpeedFunction> models, const Kernels& run) {
  double cost_s = 0;
  const auto counted = [&](const Shares& shares) {
    Measure measure = run(shares);
    cost_s += measure.cost_s;
    return measure;
  };
  const std::size_t elements = models.size();
  Balance found;
  switch (strategy) {
    case Strategy::functional:
      found = balance_by_functions(n, passes, std::move(models), counted);
      break;
    case Strategy::multiple_cpm:
      found = balance_by_constants(n, passes, elements, counted);
      break;
    case Strategy::single_cpm:
      found =
          balance_by_constants(n, {.tolerance = passes.tolerance, .most = 1}, elements, counted);
      break;
    case Strategy::homogeneous:
      found = measured(even_shares(n, elements), 1, counted);
      break;
  }
  found.cost_s = cost_s;
  return found;
}

}  // namespace starport::spmd
