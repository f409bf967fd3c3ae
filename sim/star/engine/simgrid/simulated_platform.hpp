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

/// Returns the simulated size of a message in bytes: 10^6 per block, whatever the block size.
std::uint64_t simulated_bytes(const Message& message);

/// The hosts and links of a star in SimGrid, and its clock. At most one may be created per process,
/// before any other SimGrid object.
class SimulatedPlatform : public SimgridTime {
 public:
  /// Host and link of one worker in SimGrid.
  struct Worker {
    /// The host that computes; belongs to SimGrid.
    sg::Host* host;
    /// The link between the master and the worker.
    PacedLink link;
    /// Current speed of the host as an index into its pstate_speeds(), from 0.
    int pstate = 0;
  };

  /// Creates the hosts and links. `noise` may be null: no slow-downs. Both arguments must outlive
  /// this object.
  SimulatedPlatform(const Platform& platform, const DrawnNoise* noise);

  /// Returns the host of the master; belongs to SimGrid.
  sg::Host* master() const { return master_; }
  /// Returns host and link of worker `i`, an index from 0 that must exist (not checked). The
  /// reference is valid as long as this object.
  Worker& worker(int i) { return workers_[i]; }

  /// Applies a slow-down of one worker now, also to activities under way. Slow-downs must be those
  /// of the noise given to the constructor, applied in the order of their dates.
  void change_pace(const SlowDown& change);

 private:
  sg::Host* master_;
  PerWorker<Worker> workers_;
};

/// Engine on SimGrid's network and CPU models, the reference: one actor for the master, which
/// performs the transfers, and one actor per worker, which computes; on several ports another actor
/// per worker performs its transfers. Supports all ports, noise only as far as the model defines it
/// for the port. Does not support measure(). Throws SimulationError also if
/// more workers take part than the machine allows actors.
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
