// The platform of the reference engine: SimGrid hosts and links.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform.hpp"
#include "sim/simgrid/simgrid_time.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/update_end_dates.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// Work in flop that SimGrid is given for one block update (C_ij += A_ik B_kj) at the worker's
/// highest speed, i.e. for an update of cost 1 (update_cost()). It does not depend on the block
/// size.
inline constexpr double kFlopsPerUpdate = 1e6;

/// Returns the size in bytes that SimGrid is given for the transfer of `message.blocks` blocks:
/// 10^6 per block, whatever the block size. The number of blocks must not be negative (not
/// checked).
std::uint64_t simulated_bytes(const Message& message);

/// The hosts and links in SimGrid of a star platform (a master with one link to each worker), with
/// SimGrid's simulated clock (the base class SimgridTime): one host for the master, one host and
/// one link for each worker, and one more link if all transfers of a multi-port master share a
/// bandwidth. At most one may be created per process, before any other SimGrid object, and in a
/// child process that soon ends: SimGrid's objects are never freed.
class SimulatedPlatform : public SimgridTime {
 public:
  /// Host and link of one worker in SimGrid, to which they belong, with the current pace of the
  /// link (factor on the time per byte) and the current speed of the host (index into its list of
  /// speeds). Owned by a SimulatedPlatform.
  struct Worker {
    /// The SimGrid host that does the worker's computations; belongs to SimGrid, never null.
    sg::Host* host;
    /// The SimGrid link between the master and the worker, for both directions, with its current
    /// pace (the factor on the time per byte; 1: no slow-down).
    PacedLink link;
    /// Current speed of the worker's host as an index from 0 into its list of speeds
    /// (pstate_speeds()): the number of times that its computing speed has changed so far.
    int pstate = 0;
  };

  /// Creates SimGrid's engine, hosts and links; once per process, before any other SimGrid object
  /// (not checked). Copies what it needs of both arguments. `platform` must have at least one
  /// worker (not checked). `noise` gives the slow-downs of workers; null: none.
  SimulatedPlatform(const Platform& platform, const DrawnNoise* noise);

  /// Returns the SimGrid host of the master, never null; it belongs to SimGrid.
  sg::Host* master() const { return master_; }
  /// Returns the SimGrid host and link of worker `i`, an index from 0 that must exist (not checked:
  /// undefined behaviour). The reference is valid as long as this object.
  Worker& worker(int i) { return workers_[i]; }

  /// Makes the computations of worker `change.worker` (an index from 0), or if change.activity is
  /// `transfer` the blocks (not the latency) of its transfers, take `change.factor` times their
  /// nominal duration from now on, also in activities under way; the date `change.from_s` is
  /// ignored. To be called at that date, once for each slow-down of the noise given to the
  /// constructor, in the order of dates (not checked: speeds would be wrong).
  void change_pace(const SlowDown& change);

 private:
  sg::Host* master_;
  PerWorker<Worker> workers_;
};

}  // namespace starport
