// Validates traces of tile tasks against the rules of the model, independently of any engine, and
// computes the number of tiles in the memory of each GPU over time.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/task_graph.hpp"
#include "sim/tiles/trace.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace starport::tiles {

/// Assumptions of find_violation() and TraceValidator about a trace of tile tasks: the options of
/// its run, set by the caller (defaults as in RuntimeOptions), and the tolerance of durations.
struct ValidationOptions {
  /// Noise of the run (random durations, slow-downs and stops of workers), which changes the
  /// expected durations; none by default.
  Noise noise{};
  /// True if tiles must go from GPU to GPU through main memory: direct transfers between GPUs are
  /// violations. If false, both ways are accepted.
  bool relay = false;
  /// True if transfers must start in the order of CUDA (see LinkDirections): a transfer from one
  /// GPU to another and a transfer into either of them never overlap, and start in the order of
  /// their requests (TracedTransfer::request); other transfers from its source may overlap it. If
  /// false, no two transfers from the same GPU may overlap.
  bool cuda_order = false;
  /// True if a GPU must request tiles for a task (TracedTransfer::requested_s) only once all tiles
  /// for the tasks before it have arrived (see RuntimeOptions::fetches_for_one_task). Each GPU must
  /// then have one worker (not checked).
  bool fetches_for_one_task = false;
  /// True if the memory capacities of the platform (Link::memory_tiles) must be respected, where it
  /// has any; false if memories are unlimited.
  bool limited_memory = true;
  /// Accepted deviation of the duration of a task or transfer from the expected one, as a fraction
  /// of the latter; rounding errors of dates are accepted besides. Infinity: any duration is
  /// accepted, and neither the sharing of buses nor stops of workers are checked, as for real runs.
  double tolerance = 1e-9;
};

/// Replays a trace of tile tasks and describes its first violation of a rule of the tile model in
/// one line without a newline, such as "at 1.5 s, worker 1 runs two tasks at once" (workers are
/// numbered from 1 in the order of the platform file, all else from 0), without a date if something
/// is missing at the end; returns an empty string if there is none. An unfair share of a bus is
/// reported only if nothing else is wrong. Workers, nodes and tiles in the trace must exist (not
/// checked: undefined behaviour otherwise); noise of workers that do not exist is ignored. Throws
/// std::bad_optional_access if a worker without Worker::reduction_s runs a reduction.
///
/// The rules, besides those of ValidationOptions: a worker runs one task at a time, and starts none
/// after it has stopped; a link direction carries one transfer at a time, first requested first
/// served; tasks and transfers last as long as the platform and the noise say; transfers share the
/// bandwidths of buses max-min fairly; a task starts with valid copies of its operands at its
/// memory node, and does not write one that a transfer reads; the tasks of a target (a tile that
/// tasks write) run once each, in the order of the graph; a transfer starts from a valid copy,
/// which no task is writing (one that a task elsewhere makes invalid at that date counts as valid),
/// and leads to a node without a valid one; an evicted copy is valid and not in use, and main
/// memory has a valid copy, too; memory capacities are respected; at the end, every tile of C is in
/// main memory with all its updates.
std::string find_violation(const Platform& platform, const TaskGraph& graph, const TileTrace& trace,
                           const ValidationOptions& expectations);

/// Validator of a trace of tile tasks that arrives entry by entry, e.g. while the run goes on;
/// checks the rules of find_violation(). Call add() for each entry, then finish(). Stores the state
/// of all copies of tiles, and of the trace only tasks and transfers under way.
class TraceValidator {
 public:
  /// Starts with all tiles in main memory. `platform` and `graph` must outlive this object;
  /// `expectations` is copied. Noise of workers that do not exist is ignored.
  TraceValidator(const Platform& platform, const TaskGraph& graph,
                 const ValidationOptions& expectations);
  ~TraceValidator();

  /// Adds the next entry of the trace; entries must come in the order of their start dates (an
  /// earlier one is a violation). Returns a violation as find_violation() describes it, or an empty
  /// string. It checks the entries of one date together, when the first one of a later date is
  /// added; that transfers share buses fairly is checked by finish() only. After a violation, call
  /// neither add() nor finish(). See find_violation() for what is not checked, and for exceptions.
  std::string add(const TraceRecord& record);
  /// Ends the replay: returns a violation by the entries of the last date, by what is missing at
  /// the end of the run (a task, or a tile of C in main memory), or by a transfer that gets another
  /// share of a bus than its fair one; an empty string if there is none. Call it once, after the
  /// last entry, unless add() has returned a violation. See find_violation() for exceptions.
  std::string finish();

 private:
  class Replay;
  std::unique_ptr<Replay> replay_;
};

/// The number of tiles in each GPU's memory at each date of a run, and the removals of copies from
/// these memories, computed from the trace of the run by the constructor. Refers to nothing.
class MemoryOccupancy {
 public:
  /// Computes the number of tiles in each GPU's memory over time, and the removals of copies from
  /// there, by replaying the transfers, tasks and evictions of a run of `graph` on `platform`.
  /// `trace` must be the trace of such a run (not checked: undefined behaviour otherwise). Keeps no
  /// reference to its arguments.
  MemoryOccupancy(const Platform& platform, const TaskGraph& graph, const TileTrace& trace);

  /// The removal of the copy of a tile from the memory of a GPU, by an eviction or because a task
  /// elsewhere writes the tile. An element of removals().
  struct Removal {
    /// Simulated date in seconds from which the GPU has space for another tile: that of the
    /// eviction, or of the start of the task that writes the tile elsewhere, but not before the
    /// copy has arrived.
    double date_s = 0;
    /// Memory node, from 1, of the GPU whose memory the copy was removed from.
    std::int32_t node = 0;
    /// Number, from 0, of the tile whose copy was removed, as in TaskGraph::numbering().
    Tile tile = 0;
    /// True if the copy was evicted; false if it became invalid because a task at another memory
    /// node writes the tile.
    bool is_eviction = false;
  };
  /// Returns all removals of copies from the memories of GPUs, in the order of their dates: both
  /// evictions and copies that became invalid when a task elsewhere started to write the tile
  /// (Removal::is_eviction tells them apart). Complete after construction; empty if there are none.
  /// The reference is valid as long as this object.
  const std::vector<Removal>& removals() const { return removals_; }

  /// Returns the number of tiles in the memory of the GPU that is memory node `node` (from 1) just
  /// after simulated date `date_s` in seconds, including tiles in flight to it; 0 before the first
  /// transfer, and for node 0 (main memory). Other nodes are undefined behaviour. O(log trace).
  std::int64_t tiles_at(int node, double date_s) const;

 private:
  struct Step {
    double date_s;
    std::int64_t tiles;  ///< in memory from this date on
  };

  std::vector<std::vector<Step>> steps_;  ///< by node; sorted by date
  std::vector<Removal> removals_;
};

}  // namespace starport::tiles
