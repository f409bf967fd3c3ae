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

/// Strategy for dividing work among nodes, and among the devices of a node (HeteroPar'12, section
/// 4): by measured speeds as functions of the amount of work (`functional`), by the last measured
/// speeds, repeatedly (`multiple_cpm`) or once (`single_cpm`), or evenly (`homogeneous`).
enum class BalancingStrategy : std::uint8_t {
  /// Functional performance models (FPM: speed by amount of work): each pass measures all elements
  /// with their shares of the work, adds the speeds to the models, and divides anew by gpa() such
  /// that all should take the same time.
  functional,
  /// Constant performance models (CPM: one speed per element): each pass measures all elements with
  /// their shares of the work and divides anew in proportion to these speeds.
  multiple_cpm,
  /// Constant performance models (CPM: one speed per element): the work is divided once, in
  /// proportion to the speeds measured with even shares, unless even shares are already balanced.
  single_cpm,
  /// Even shares of the work for all elements (nodes or devices), whatever their speeds; measured
  /// once.
  homogeneous
};

/// Returns the name of a strategy for dividing work, for users: "FPM", "multiple-CPM", "single-CPM"
/// or "homogeneous"; a string literal.
const char* to_string(BalancingStrategy strategy);

struct BalanceResult;

/// The result of measuring all elements (nodes, or devices of a node) at the same time: how long
/// each takes for its part of one update of C. A device runs that update once, a node as often as
/// dividing its work among its devices needs. Each list has one entry per element, by index from 0,
/// except that `devices` is empty if the elements are devices. A plain value, returned by a
/// MeasureShares function.
struct Measurement {
  /// Units of work that each element (node or device) computed, which may differ from its share:
  /// blocks of C for nodes, columns of matrix elements for devices.
  PerWorker<std::int64_t> sizes;
  /// Time in seconds that each element (node or device) took for its part of one update of C, by
  /// index from 0; 0 for an element that computes nothing, greater than 0 for others.
  PerWorker<double> times_s;
  /// Result of dividing the work of each node among its devices, by node from 0; empty if the
  /// elements are themselves devices.
  PerWorker<BalanceResult> devices;
  /// Duration of the measurement in seconds; for nodes, with all measurements made to divide their
  /// work among their devices.
  double cost_s = 0;
};

/// The final shares of load balancing among elements (nodes, or devices of a node), their
/// measurement, and how balancing ended. Result of balance_load(); a plain value.
struct BalanceResult {
  /// Units of work assigned to each element (node or device), by index from 0: blocks of C for
  /// nodes, columns of matrix elements for devices.
  PerWorker<std::int64_t> shares;
  /// Sizes and times measured with these `shares`: devices compute just them, nodes rectangles of C
  /// of about these sizes.
  Measurement measurement;
  /// Number of passes of the balancing, each with one measurement of all elements (nodes or
  /// devices). Does not count the measurement of the last division, made if a strategy with
  /// constant speeds (CPM) ends at the limit of passes.
  int passes = 0;
  /// Sum, in seconds, of the durations (Measurement::cost_s) of all measurements made for the
  /// balancing, one after the other. Each lasts until its slowest element is measured; measuring a
  /// node includes all measurements made to divide its work among its devices.
  double cost_s = 0;
  /// Reason why balancing ended: times balanced within the tolerance, shares repeated that had been
  /// measured before, alternation of two sets of shares (2-cycle), or the limit of passes.
  /// Ending::cap after BalancingStrategy::homogeneous, which makes one pass.
  Ending ending = Ending::cap;

  /// Returns the longest measured time of an element (node or device) with its share, in seconds.
  /// Requires at least one element, otherwise the behaviour is undefined.
  double slowest_s() const;
  /// Returns the longest over the shortest measured time, minus 1, of the elements (nodes or
  /// devices) with a time above 0: 0 for perfect balance; 0 also if there are none.
  double imbalance() const;
};

/// Limits of iterative load balancing among elements (nodes, or devices of a node): an imbalance
/// that is small enough, and a number of passes; it stops at the one reached first, or earlier if
/// shares repeat. A pass measures all elements and divides the work anew by the measured times.
struct PassLimits {
  /// Accepted imbalance: the longest over the shortest time of the elements (nodes or devices) that
  /// compute, minus 1, e.g. 0.1 for 10 %; at least 0 (not checked: below 0 never reached).
  double tolerance;
  /// Maximum number of passes (measure all elements, divide the work anew) of the strategies that
  /// repeat them; single-CPM and homogeneous make one pass in any case. At least 1 (not checked:
  /// below 1, functional models, FPM, have no limit, and multiple-CPM makes one pass). CPM that
  /// ends at its limit measures once more, with the last division.
  int max_passes;
};

/// Function that runs the kernel (one update of C) on all elements (nodes or devices) with the
/// given shares, by element from 0, in blocks of C for nodes and columns of matrix elements for
/// devices, and returns what it measured. The argument is valid only during the call. Exceptions
/// stop the balancing and pass to its caller.
using MeasureShares = std::function<Measurement(const PerWorker<std::int64_t>& shares)>;

/// Divides n units of work (e.g. blocks of C) among models.size() elements (nodes or devices):
/// measures even shares with `run`, then divides by the measured speeds and measures again, until
/// balanced within `limits`, shares repeat, or the passes are used up. Does not keep `run`; its
/// exceptions pass through. BalancingStrategy::functional adds the measurements to its copy of
/// `models`, each of which is empty or holds earlier ones (none may be empty if n is less than
/// their number; not checked), and returns the first shares that are balanced, otherwise those with
/// the shortest time of the slowest element. The other strategies ignore the contents of `models`
/// and return the last shares; single_cpm divides by speeds once at most, homogeneous never. Throws
/// InputError if there are no elements. n must be 0 or more, and `run` must return one positive
/// time for each element that computes (not checked).
BalanceResult balance_load(std::int64_t n, BalancingStrategy strategy, const PassLimits& limits,
                           PerWorker<SpeedFunction> models, const MeasureShares& run);

/// Divides n units of work, n >= 0 (not checked), among elements (nodes or devices) in proportion
/// to the speeds (sizes over times) in `measurement`, at least one each if n suffices; an element
/// that computed nothing counts with speed 0. Returns the units of each element, by its index from
/// 0, which sum to n. Repeated with measurements of the result, the shares converge if |x s'(x) /
/// s(x)| < 1 for the speed s(x) of x units, and otherwise end in an alternation of two sets of
/// shares. Throws InputError if no element computed anything or there are no elements.
PerWorker<std::int64_t> divide_by_last_speeds(std::int64_t n, const Measurement& measurement);

}  // namespace starport::spmd
