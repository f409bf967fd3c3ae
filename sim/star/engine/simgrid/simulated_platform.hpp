// A platform as SimGrid hosts and links.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform.hpp"
#include "sim/simgrid/paced.hpp"
#include "sim/star/message.hpp"
#include "sim/star/update_end_dates.hpp"

#include <cstdint>
#include <vector>

namespace starport {

/// Simulated work of an update of cost 1 (update_cost()), in flop.
inline constexpr double kFlopsPerUpdate = 1e6;

/// Returns the simulated size of a message, in bytes.
std::uint64_t simulated_bytes(const Message& message);

/// The hosts and links of a star in SimGrid. At most one may be created per process.
class SimulatedPlatform : public SimgridTime {
 public:
  /// Host and link of one worker.
  struct Worker {
    sg::Host* host;
    PacedLink link;
    int pstate = 0;  ///< current speed of the host, see pstate_speeds()
  };

  /// Both arguments must outlive the platform; `noise` may be null.
  SimulatedPlatform(const Platform& platform, const DrawnNoise* noise);

  sg::Host* master() const { return master_; }
  Worker& worker(int i) { return workers_[i]; }

  /// Applies a slow-down now, also to activities under way.
  void change_pace(const SlowDown& change);

 private:
  sg::Host* master_;
  PerWorker<Worker> workers_;
};

}  // namespace starport
