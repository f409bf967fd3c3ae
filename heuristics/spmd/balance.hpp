// Iterative load balancing: measure, update the speed models, divide again (HeteroPar'12, steps 3
// to 6 of the IDPA and 4 to 8 of the INPA). The elements to balance are nodes or the devices of a
// node.
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/platform/speed_function.hpp"
#include "sim/spmd/partition.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace starport::spmd {

/// The four strategies for dividing work, among nodes and among devices (HeteroPar'12, section 4).
enum class BalancingStrategy : std::uint8_t {
  functional,    ///< FPM: gpa() on functional performance models
  multiple_cpm,  ///< constant models: shares by the last measured speeds, repeatedly
  single_cpm,    ///< constant models: shares by the speeds of even shares, once
  homogeneous    ///< even shares
};

/// Returns "FPM", "multiple-CPM", "single-CPM" or "homogeneous".
const char* to_string(BalancingStrategy strategy);

struct BalanceResult;

/// The result of running the kernel on all elements at once.
struct Measurement {
  PerWorker<std::int64_t> sizes;     ///< computed sizes, which may differ from the shares
  PerWorker<double> times_s;         ///< 0 for an element that computes nothing
  PerWorker<BalanceResult> devices;  ///< by node, the balance of its devices; empty for devices
  double cost_s = 0;                 ///< duration, including the measurements of the nodes' devices
};

/// The final shares of load balancing and their measurement.
struct BalanceResult {
  PerWorker<std::int64_t> shares;
  Measurement measurement;
  int passes = 0;               ///< number of measurements
  double cost_s = 0;            ///< total duration of all measurements
  Ending ending = Ending::cap;  ///< why the iteration ended

  /// Returns the longest measured time in seconds. Requires at least one element.
  double slowest_s() const;
  /// Returns t_max / t_min - 1 over the elements that compute anything; 0 if there are none.
  double imbalance() const;
};

/// When to stop balancing.
struct PassLimits {
  double tolerance;  ///< epsilon, accepted imbalance
  int max_passes;    ///< maximum number of measurements of an iterative strategy
};

/// Runs the kernel on all elements with the given shares.
using MeasureShares = std::function<Measurement(const PerWorker<std::int64_t>& shares)>;

/// Divides n units among models.size() elements, starting from even shares. FPM adds its
/// measurements to `models` and returns the shares with the shortest measured time; the other
/// strategies ignore the contents of `models` and return the last shares.
BalanceResult balance_load(std::int64_t n, BalancingStrategy strategy, const PassLimits& limits,
                           PerWorker<SpeedFunction> models, const MeasureShares& run);

/// Divides n units in proportion to the speeds just measured, at least one each if n suffices.
/// Repeated, the iteration x' ~ s(x) converges if |x s'(x) / s(x)| < 1 and otherwise ends in a
/// 2-cycle.
PerWorker<std::int64_t> divide_by_last_speeds(std::int64_t n, const Measurement& measurement);

}  // namespace starport::spmd
