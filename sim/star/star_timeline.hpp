// A run of the star as a timeline: the master's port or its two, then each worker's link above its
// computation.
#pragma once

#include "sim/results/timeline.hpp"
#include "sim/star/trace.hpp"

#include <optional>
#include <span>
#include <string>

namespace starport {

/// A trace, and what is told with it.
struct TracedRun {
  std::string heuristic;
  const Platform& platform;
  const Trace& trace;
  std::span<const HeldBlocks> held;  ///< for each transfer of the trace; empty: not told
  std::optional<double> bound_s;     ///< the tightest bound that holds for the run
};

/// The timeline of a run, transfer by transfer.
class StarTimeline {
 public:
  StarTimeline(std::string heuristic, const Platform& platform, std::optional<double> bound_s);
  /// For one that is told in pieces: to be called for all transfers before the first of them.
  void add_to_extent(const TracedTransfer& event);
  void add(const TracedTransfer& event, const std::optional<HeldBlocks>& held);
  /// Of what has been added since `clear_slices`.
  Timeline& timeline() { return timeline_; }
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
  PerWorker<std::int64_t> numbers_;  ///< of each worker's last update
};

/// Two slices for a transfer that allows an update, else one, in the order of the port.
Timeline star_timeline(const TracedRun& run);

}  // namespace starport
