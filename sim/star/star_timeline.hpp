// Timeline of a run on a star: lanes for the master's ports, then link and computation of each
// worker.
#pragma once

#include "sim/results/timeline.hpp"
#include "sim/star/trace.hpp"

#include <optional>
#include <span>
#include <string>

namespace starport {

/// The argument of star_timeline(): the trace of a run with what its timeline shows beside it.
/// Refers to platform, trace and memory use, which must outlive the call.
struct TracedRun {
  /// Name of the heuristic, shown as the name of the timeline.
  std::string heuristic;
  /// Platform of the run.
  const Platform& platform;
  /// Trace of the complete run. Its transfers must name workers of the platform (not checked).
  const Trace& trace;
  /// Memory in use in blocks, one element for each transfer of the trace in the same order; empty:
  /// not shown. Fewer elements are undefined behaviour.
  std::span<const HeldBlocks> held;
  /// Largest lower bound on the makespan that holds for the run, in simulated seconds; nullopt:
  /// none is shown.
  std::optional<double> bound_s;
};

/// Builder of the Timeline of a run, the data of a chart, transfer by transfer, with one lane for
/// the master's port or each of two ports (many ports share one lane without slices) and two, link
/// and computation, for each worker. For a run in one piece, add() all transfers and use
/// timeline(). For pieces, pass all transfers to add_to_extent() first; then add() some, use
/// timeline(), call clear_slices(), and so on. Transfers must come in the order of the trace.
class StarTimeline {
 public:
  /// Creates a timeline with lanes and without slices. Copies what it needs of `platform`.
  /// `bound_s` is a lower bound on the makespan in simulated seconds to show; nullopt: none.
  StarTimeline(std::string heuristic, const Platform& platform, std::optional<double> bound_s);
  /// Includes a transfer in the extent of the whole timeline: its makespan and its TimelineSummary
  /// (latest end, lane groups in use). Adds no slice. Call it for all transfers, in any order,
  /// before the first add(). The worker of the transfer must exist (not checked: undefined
  /// behaviour).
  void add_to_extent(const TracedTransfer& event);
  /// Adds the slices of the next transfer of the trace: one, and another for the update that it
  /// allows, if any. `held`, the memory in use in blocks, is shown with them if given. The worker
  /// of the transfer must exist (not checked: undefined behaviour).
  void add(const TracedTransfer& event, const std::optional<HeldBlocks>& held);
  /// Returns the timeline with the slices added since the last clear_slices(). The reference is
  /// valid as long as this object; it may be moved from once no more slices are added.
  Timeline& timeline() { return timeline_; }
  /// Removes all slices, so that the next piece can be added, and marks that as not the first. The
  /// numbers of updates and the makespan continue. Must not be called after timeline() was moved
  /// from.
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

/// Returns the timeline of a complete run in one piece, which refers to nothing in `run`: in the
/// order of the trace, one slice for each transfer and another for the update that it allows.
/// Transfers must name workers of the platform (not checked: undefined behaviour).
Timeline star_timeline(const TracedRun& run);

}  // namespace starport
