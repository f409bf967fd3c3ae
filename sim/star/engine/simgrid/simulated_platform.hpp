// The reference engine, which simulates with SimGrid actors, communications and computations, and
// its platform of SimGrid hosts and links.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform.hpp"
#include "sim/simgrid/simgrid_time.hpp"
#include "sim/star/engine/engine.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/update_end_dates.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// Simulated work, in flop, of an update of cost 1 (update_cost()): one block update at the
/// worker's highest speed. It does not depend on the block size.
inline constexpr double kFlopsPerUpdate = 1e6;

/// Returns the simulated size of a message in bytes: 10^6 per block, whatever the block size. The
/// number of blocks must not be negative (not checked).
std::uint64_t simulated_bytes(const Message& message);

/// The hosts and links of a star in SimGrid, and its clock (SimgridTime): one host for the master,
/// one host and one link for each worker, and one more link for a bandwidth that a multi-port
/// shares. At most one may be created per process, before any other SimGrid object, and in a child
/// process that soon ends: SimGrid's objects are never freed.
class SimulatedPlatform : public SimgridTime {
 public:
  /// Host and link of one worker in SimGrid, and the current speed of the host.
  struct Worker {
    /// The host that computes; belongs to SimGrid, never null.
    sg::Host* host;
    /// The link between the master and the worker, for both directions, with its current pace.
    PacedLink link;
    /// Current speed of the host as an index from 0 into its pstate_speeds(): the number of its
    /// slow-downs so far.
    int pstate = 0;
  };

  /// Creates the hosts and links; copies what it needs of both arguments. `platform` must have at
  /// least one worker (not checked). `noise` may be null: no slow-downs.
  SimulatedPlatform(const Platform& platform, const DrawnNoise* noise);

  /// Returns the host of the master; belongs to SimGrid.
  sg::Host* master() const { return master_; }
  /// Returns host and link of worker `i`, an index from 0 that must exist (not checked). The
  /// reference is valid as long as this object.
  Worker& worker(int i) { return workers_[i]; }

  /// Applies a slow-down of one worker at the current simulated date, whatever `change.from_s`,
  /// also to activities under way. Slow-downs must be those of the noise given to the constructor,
  /// each applied once, in the order of their dates (not checked: speeds would be wrong).
  void change_pace(const SlowDown& change);

 private:
  sg::Host* master_;
  PerWorker<Worker> workers_;
};

/// Engine on SimGrid's network and CPU models, the reference: one actor (simulated process) for the
/// master, which performs the transfers, and one per worker, which computes; on several ports
/// another one per worker performs its transfers. Supports all ports; noise only where the model
/// defines it for the port (port_needed()), otherwise run() and stream() throw SimulationError, as
/// they do if more workers take part than the machine allows actors. Always simulates in a child
/// process: measure() returns nullopt.
class SimgridEngine final : public Engine {
 public:
  /// Creates an engine with limits on wall-clock time and memory per run; none by default.
  explicit SimgridEngine(SimulationLimits limits = {}) : limits_(limits) {}

  using Engine::run;
  Run run(const Platform& platform, const Problem& problem, const Planner& planner,
          const Noise& noise) const override;
  PlanSummary stream(const Platform& platform, const Problem& problem, const Planner& planner,
                     const Noise& noise, const TransferConsumer& consumer) const override;

 private:
  SimulationLimits limits_;
};

}  // namespace starport
