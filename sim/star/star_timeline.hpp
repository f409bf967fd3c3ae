// Timeline of a run on a star: lanes for the master's ports, then link and computation of each
// worker.
#pragma once

#include "sim/results/timeline.hpp"
#include "sim/star/trace.hpp"

#include <optional>
#include <span>
#include <string>

namespace starport {

/// A trace with what its timeline shows beside it. References must outlive the conversion.
struct TracedRun {
  std::string heuristic;
  const Platform& platform;
  const Trace& trace;
  std::span<const HeldBlocks> held;  ///< by transfer of the trace; empty: not shown
  std::optional<double> bound_s;  ///< tightest lower bound on the makespan that holds for the run
};

/// Builds the timeline of a run transfer by transfer, complete or in parts: for parts, pass all
/// transfers to add_to_extent() first, then add() some, use timeline(), clear_slices(), and so on.
class StarTimeline {
 public:
  StarTimeline(std::string heuristic, const Platform& platform, std::optional<double> bound_s);
  /// Includes a transfer in the extent of the whole timeline: its end and the workers in use.
  void add_to_extent(const TracedTransfer& event);
  /// Adds the slices of a transfer: one, and one for the update that it allows. `held` is shown
  /// with them if given.
  void add(const TracedTransfer& event, const std::optional<HeldBlocks>& held);
  /// Returns the timeline with the slices added since the last clear_slices().
  Timeline& timeline() { return timeline_; }
  /// Removes all slices, so that the next part can be added.
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

/// Returns the timeline of a complete run: two slices for a transfer that allows an update, else
/// one, in the order of the trace.
Timeline star_timeline(const TracedRun& run);

}  // namespace starport
