// Timeline of a run on a star: lanes for the master's ports, then link and computation of each
// worker.
#pragma once

#include "sim/results/timeline.hpp"
#include "sim/star/trace.hpp"

#include <optional>
#include <span>
#include <string>

namespace starport {

/// Argument of star_timeline(): the trace of a run (all its transfers with their dates) with what
/// its chart shows beside it. Refers to platform, trace and memory use, which must outlive the
/// call.
struct TracedRun {
  /// Name of the heuristic that was run, shown as the title of the chart.
  std::string heuristic;
  /// Star platform of the run; not copied: must outlive the call of star_timeline().
  const Platform& platform;
  /// Trace of the complete run: all its transfers with their dates, in the order in which the
  /// master decided them; not copied: must outlive the call of star_timeline(). Its transfers must
  /// name workers of the platform (not checked: undefined behaviour).
  const Trace& trace;
  /// Memory in use, in blocks, on the worker of each transfer of the trace, in the same order;
  /// empty: not shown. Not copied: must be valid during the call of star_timeline(). If not empty,
  /// fewer elements than transfers are undefined behaviour.
  std::span<const HeldBlocks> held;
  /// Lower bound on the makespan to show, in simulated seconds: the largest one that holds for the
  /// run; nullopt: none is shown.
  std::optional<double> bound_s;
};

/// Builder, transfer by transfer, of the Timeline of a run, the data of a chart: slices
/// (activities) in lanes (rows), two for each worker, link and computation, and one for each port
/// of the master (a multi-port master has one, without slices). For a run in one piece, add() all
/// transfers and use timeline(). For pieces, pass all transfers to add_to_extent() first; then
/// add() some, use timeline(), call clear_slices(), and so on. Transfers must be added in the order
/// of the trace.
class StarTimeline {
 public:
  /// Creates a timeline, named `heuristic`, with lanes (rows of the chart) for the ports and
  /// workers of `platform` and without slices (activities). Copies what it needs of `platform`.
  /// `bound_s` is a lower bound on the makespan in simulated seconds to show; nullopt: none.
  StarTimeline(std::string heuristic, const Platform& platform, std::optional<double> bound_s);
  /// Includes a transfer in the facts about a whole timeline that is to be used in several pieces:
  /// its makespan and its TimelineSummary (latest end, groups of lanes in use). Adds no activity.
  /// Call it for all transfers, in any order, before the first add(). The worker of the transfer
  /// must exist (not checked: undefined behaviour).
  void add_to_extent(const TracedTransfer& event);
  /// Adds to the timeline the slices (activities) of the next transfer of the trace: the transfer,
  /// and the update that it allows, if any. `held`, the memory in use in blocks, is shown with them
  /// if given. Call it in the order of the trace. The worker of the transfer must exist (not
  /// checked: undefined behaviour).
  void add(const TracedTransfer& event, const std::optional<HeldBlocks>& held);
  /// Returns the timeline with the slices (activities) added since the last clear_slices(), and the
  /// makespan of all transfers passed to add() or add_to_extent() so far. The reference is valid as
  /// long as this object; it may be moved from once no more slices are added.
  Timeline& timeline() { return timeline_; }
  /// Removes all slices (activities), so that those of the next piece of the timeline can be added,
  /// and, after add_to_extent(), marks that piece as not the first (TimelineSummary::first). Keeps
  /// the makespan; updates are numbered on. timeline() must not have been moved from (not checked:
  /// the next piece would have no lanes).
  void clear_slices();

 private:
  void add_group(std::string name, std::optional<std::int64_t> worker, std::string waits);
  void add_lanes(const Platform& platform);
  std::optional<std::size_t> port_lane(const Transfer& transfer) const;
  void add_transfer(const TracedTransfer& event, const std::optional<HeldBlocks>& held);
  void add_update(const TracedTransfer& event, const std::optional<HeldBlocks>& held);

  void value(std::int64_t integer) { timeline_.values.push_back(integer); }
  void range(const Range& range);
  void box(const Rectangle& blocks);

  Port::Kind port_;
  Timeline timeline_;
  PerWorker<std::int64_t> numbers_;  ///< number of each worker's last update
};

/// Returns the timeline (data of a chart) of a complete run on a star platform, in one piece that
/// refers to nothing in `run`: in the order of the trace, one slice (activity) for each transfer
/// and another for the update that it allows, if any. Transfers must name workers of the platform,
/// and run.held, unless empty, must have an element for each (not checked: undefined behaviour).
Timeline star_timeline(const TracedRun& run);

}  // namespace starport
