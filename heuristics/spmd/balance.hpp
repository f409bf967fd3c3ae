// Iterative load balancing: measure, update the speed models, divide again (HeteroPar'12, steps 3
// to 6 of the IDPA and 4 to 8 of the INPA). The elements to balance are nodes or the devices of a
// node.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/speed_function.hpp"
#include "sim/spmd/partition.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace starport::spmd {

/// The four strategies for dividing work in proportion to speed, among nodes and among the devices
/// of a node (HeteroPar'12, section 4). A performance model gives the speed of a node or device; a
/// functional one depends on the size of the work, a constant one does not.
enum class BalancingStrategy : std::uint8_t {
  functional,    ///< FPM: gpa() on functional performance models
  multiple_cpm,  ///< constant models: shares by the last measured speeds, repeatedly
  single_cpm,    ///< constant models: shares by the speeds of even shares, once
  homogeneous    ///< even shares
};

/// Returns "FPM", "multiple-CPM", "single-CPM" or "homogeneous", the name of a strategy for users.
const char* to_string(BalancingStrategy strategy);

struct BalanceResult;

/// The result of running the kernel once on all elements (nodes, or devices of a node) at the same
/// time.
struct Measurement {
  /// Units that each element computed, which may differ from its share.
  PerWorker<std::int64_t> sizes;
  /// Time of each element in seconds; 0 for an element that computes nothing.
  PerWorker<double> times_s;
  /// Balance of the devices of each node; empty if the elements are themselves devices.
  PerWorker<BalanceResult> devices;
  /// Duration of the measurement in seconds, including the measurements for balancing the devices
  /// of nodes.
  double cost_s = 0;
};

/// The final shares of load balancing among elements (nodes, or devices of a node) and their
/// measurement.
struct BalanceResult {
  /// Units assigned to each element; blocks of C for nodes, columns of elements for devices.
  PerWorker<std::int64_t> shares;
  /// Measurement with these shares.
  Measurement measurement;
  /// Number of passes. Each measures all elements once; CPM that ends at the limit of passes has
  /// measured once more.
  int passes = 0;
  /// Total duration of all measurements in seconds.
  double cost_s = 0;
  /// Reason why balancing ended: balanced, shares repeated, a 2-cycle or the limit of passes.
  /// Ending::cap after BalancingStrategy::homogeneous, which makes one pass.
  Ending ending = Ending::cap;

  /// Returns the longest measured time in seconds. Requires at least one element, otherwise the
  /// behaviour is undefined.
  double slowest_s() const;
  /// Returns the longest over the shortest measured time, minus 1, of the elements that compute
  /// anything; 0 if there are none.
  double imbalance() const;
};

/// When to stop balancing. A pass divides the work by the measured times and measures it again.
struct PassLimits {
  /// Accepted imbalance: longest over shortest time, minus 1.
  double tolerance;
  /// Maximum number of passes of an iterative strategy; at least 1 (not checked). CPM measures once
  /// more after the last one.
  int max_passes;
};

/// Function that runs the kernel on all elements with the given shares (one per element, from 0)
/// and returns sizes, times and cost.
using MeasureShares = std::function<Measurement(const PerWorker<std::int64_t>& shares)>;

/// Divides n >= 0 units of work among models.size() elements (nodes or devices), starting from even
/// shares, and measures with `run`, once or more within `limits`. FPM adds its measurements to its
/// copy of `models`, each of which is empty or holds earlier measurements, and returns the shares
/// with the shortest measured time. The other strategies ignore the contents of `models` and return
/// the last shares. Exceptions of `run` pass through. Throws InputError if there are no elements.
BalanceResult balance_load(std::int64_t n, BalancingStrategy strategy, const PassLimits& limits,
                           PerWorker<SpeedFunction> models, const MeasureShares& run);

/// Divides n units in proportion to the speeds (sizes over times) just measured, at least one each
/// if n suffices. Repeated with measurements of the result, the iteration x' ~ s(x) converges if |x
/// s'(x) / s(x)| < 1 and otherwise ends in a 2-cycle. Throws InputError if no element computed
/// anything.
PerWorker<std::int64_t> divide_by_last_speeds(std::int64_t n, const Measurement& measurement);

}  // namespace starport::spmd
