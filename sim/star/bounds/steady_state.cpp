#include "sim/star/bounds/steady_state.hpp"

#include "sim/star/heuristic.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace starport {
namespace {

constexpr std::size_t kMostMasterLimits = 2;

double side(const Worker& worker) {
  return static_cast<double>(kOptimizedOverlapped.side(worker.m_blocks));
}

/// A limit of the master: sum over the workers of
/// (y_i if it counts sent blocks + z_i if it counts received blocks) * c_i <= capacity.
struct MasterLimit {
  const char* name;
  bool counts_sent;
  bool counts_received;
  double shared_c_s;  ///< replaces every c_i; 0: each worker's own c_i
  double capacity;
};

/// Returns at most kMostMasterLimits limits. On many ports the links have limits of their own.
std::vector<MasterLimit> master_limits(const Port& port, bool count_c) {
  switch (port.kind) {
    case Port::Kind::one:
      return {{"port", true, count_c, 0, 1}};
    case Port::Kind::two:
      return {{"send port", true, false, 0, 1}, {"receive port", false, true, 0, 1}};
    case Port::Kind::multi:
      break;
  }
  std::vector<MasterLimit> limits;
  if (port.max_transfers > 0) {
    limits.push_back({"transfers at once", true, true, 0, static_cast<double>(port.max_transfers)});
  }
  if (port.c_s > 0) limits.push_back({"bandwidth", true, true, port.c_s, 1});
  return limits;
}

enum class OwnLimit : std::uint8_t { computation, send_link, receive_link };

/// A usable worker as a variable of the program: x_i, with y_i = sent * x_i and
/// z_i = received * x_i.
struct Variable {
  std::size_t worker;
  double sent;      ///< blocks per update
  double received;  ///< blocks per update
  double most_x;    ///< what the worker's own limits allow, updates/s
  OwnLimit tightest;
  std::array<double, kMostMasterLimits> cost_s;  ///< share of each master's limit per update/s

  /// True if the worker alone would exhaust a limit of the master before one of its own, whose
  /// price is then 0.
  bool limited_by_master() const {
    return std::any_of(cost_s.begin(), cost_s.end(),
                       [this](double cost) { return cost * most_x > 1; });
  }
};

Variable make_variable(std::size_t i, const Platform& platform, const Problem& problem,
                       bool count_c, const std::vector<MasterLimit>& limits) {
  const Worker& worker = platform.workers[i];
  const auto t = static_cast<double>(problem.t);
  Variable variable{.worker = i,
                    .sent = 2 / side(worker) + (count_c ? 1 / t : 0),
                    .received = 1 / t,
                    .most_x = 1 / worker.w_s,
                    .tightest = OwnLimit::computation,
                    .cost_s = {}};
  if (platform.port.kind == Port::Kind::multi) {
    for (const auto& [x, limit] :
         {std::pair(1 / (variable.sent * worker.c_s), OwnLimit::send_link),
          std::pair(1 / (variable.received * worker.c_s), OwnLimit::receive_link)}) {
      if (x >= variable.most_x) continue;
      variable.most_x = x;
      variable.tightest = limit;
    }
  }
  for (std::size_t r = 0; r < limits.size(); ++r) {
    const MasterLimit& limit = limits[r];
    const double c_s = limit.shared_c_s > 0 ? limit.shared_c_s : worker.c_s;
    const double sent_s = 2 * c_s / side(worker) + (count_c ? c_s / t : 0);
    variable.cost_s[r] =
        ((limit.counts_sent ? sent_s : 0) + (limit.counts_received ? c_s / t : 0)) / limit.capacity;
  }
  return variable;
}

/// Optimum of the relaxed program in which the master's second limit has a price instead.
struct Relaxation {
  double second_price = 0;  ///< given, updates/s
  double first_price = 0;   ///< dual price of the first limit, updates/s
  double throughput = 0;    ///< sum x, updates/s
  double second_use = 0;    ///< share of the second limit in use; above 1 if it is exceeded
  std::vector<double> x;    ///< by variable, updates/s

  /// Value of the Lagrangian of this solution at another price: linear, never above the dual
  /// function, which it touches at `second_price`.
  double value_at(double price) const { return throughput + price * (1 - second_use); }
};

/// Maximises sum x_i (1 - price * cost_i,2) under the first limit alone: a fractional knapsack,
/// filled by non-decreasing cost per profit (Dantzig 1957).
Relaxation relax(const std::vector<Variable>& variables, double second_price) {
  struct Item {
    std::size_t index;
    double profit;
    double cost_per_profit_s;
  };
  std::vector<Item> items;
  items.reserve(variables.size());
  for (std::size_t j = 0; j < variables.size(); ++j) {
    const double profit = 1 - second_price * variables[j].cost_s[1];
    if (profit > 0) items.push_back({j, profit, variables[j].cost_s[0] / profit});
  }
  std::stable_sort(items.begin(), items.end(), [](const Item& first, const Item& second) {
    return first.cost_per_profit_s < second.cost_per_profit_s;
  });
  Relaxation result{.second_price = second_price, .x = std::vector<double>(variables.size())};
  double first_left = 1;
  for (const Item& item : items) {
    const Variable& variable = variables[item.index];
    const double cost_s = variable.cost_s[0];
    const double x = std::min(variable.most_x, first_left / cost_s);  // infinite without a limit
    result.x[item.index] = x;
    result.throughput += x;
    result.second_use += x * variable.cost_s[1];
    if (x < variable.most_x) {
      result.first_price = item.profit / cost_s;
      break;
    }
    first_left = std::max(0.0, first_left - x * cost_s);
  }
  return result;
}

/// Maximises sum x_i under both limits. The dual function of the second limit's price is convex and
/// piecewise linear; `low` and `high` are relaxations on either side of its minimum, each with a
/// line below the function. Where the two lines meet on the function, a convex combination of the
/// two solutions uses exactly the second limit and is optimal.
Relaxation solve(const std::vector<Variable>& variables) {
  constexpr double tolerance = 1e-15;
  constexpr int bisect_every = 3;  // else lines of nearly equal slopes could take very many steps
  Relaxation low = relax(variables, 0);
  if (low.second_use <= 1) return low;
  Relaxation high{.x = std::vector<double>(variables.size())};  // nobody works
  for (const Variable& variable : variables) {
    high.second_price = std::max(high.second_price, 1 / variable.cost_s[1]);
  }
  Relaxation best = high;  // its prices
  for (int step = 1;; ++step) {
    const bool bisect = step % bisect_every == 0;
    const double price =
        bisect ? (low.second_price + high.second_price) / 2
               : (low.throughput - high.throughput) / (low.second_use - high.second_use);
    if (!(price > low.second_price && price < high.second_price)) {
      if (bisect) break;
      continue;
    }
    Relaxation middle = relax(variables, price);
    const double value = low.value_at(price);
    if (!bisect && (middle.value_at(price) <= value * (1 + tolerance) ||
                    middle.second_use == low.second_use || middle.second_use == high.second_use)) {
      best = std::move(middle);
      break;
    }
    best = middle;
    (middle.second_use > 1 ? low : high) = std::move(middle);
  }
  const double share = (1 - high.second_use) / (low.second_use - high.second_use);  // of `low`
  best.throughput = 0;
  for (std::size_t j = 0; j < variables.size(); ++j) {
    best.x[j] = share * low.x[j] + (1 - share) * high.x[j];
    best.throughput += best.x[j];
  }
  return best;
}

}  // namespace

SteadyState steady_state(const Platform& platform, const Problem& problem, bool count_c) {
  SteadyState state(platform.workers.size());
  const std::vector<MasterLimit> limits = master_limits(platform.port, count_c);
  for (const MasterLimit& limit : limits) state.master.push_back({.name = limit.name});
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    if (side(platform.workers[i]) == 0) continue;
    variables.push_back(make_variable(i, platform, problem, count_c, limits));
  }
  const Relaxation optimum = solve(variables);
  state.throughput_updates_per_s = optimum.throughput;
  const std::array<double, kMostMasterLimits> prices{optimum.first_price, optimum.second_price};
  for (std::size_t r = 0; r < limits.size(); ++r) state.master[r].price_updates_per_s = prices[r];
  for (std::size_t j = 0; j < variables.size(); ++j) {
    const Variable& variable = variables[j];
    const std::size_t i = variable.worker;
    const double x = optimum.x[j];
    state.x_updates_per_s[i] = x;
    state.y_blocks_per_s[i] = x * variable.sent;
    state.z_blocks_per_s[i] = x * variable.received;
    for (std::size_t r = 0; r < limits.size(); ++r) state.master[r].use += x * variable.cost_s[r];
    if (variable.limited_by_master()) continue;
    // The reduced cost of x_i at its upper bound.
    const double profit = 1 - prices[0] * variable.cost_s[0] - prices[1] * variable.cost_s[1];
    const double price = std::max(0.0, profit) * variable.most_x;
    (variable.tightest == OwnLimit::computation ? state.computation_price
     : variable.tightest == OwnLimit::send_link ? state.send_link_price
                                                : state.receive_link_price)[i] = price;
  }
  return state;
}

std::vector<std::size_t> bandwidth_centric_order(const Platform& platform) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    if (side(platform.workers[i]) > 0) order.push_back(i);
  }
  const auto port_per_update_s = [&](std::size_t i) {
    return 2 * platform.workers[i].c_s / side(platform.workers[i]);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return port_per_update_s(i) < port_per_update_s(j);
  });
  return order;
}

}  // namespace starport
