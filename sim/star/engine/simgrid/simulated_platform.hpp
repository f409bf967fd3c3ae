// A platform as SimGrid has it: its hosts and links.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform.hpp"
#include "sim/simgrid/paced.hpp"
#include "sim/star/message.hpp"
#include "sim/star/update_end_dates.hpp"

#include <cstdint>
#include <vector>

namespace starport {

inline constexpr double kFlopsPerUpdate = 1e6;

/// The bytes that stand for a message's blocks.
std::uint64_t simulated_bytes(const Message& message);

/// To be made once in a process.
class SimulatedPlatform : public SimgridTime {
 public:
  struct Worker {
    sg::Host* host;
    PacedLink link;
    int changes_of_speed = 0;  ///< of the host
  };

  /// Both outlive it; `noise` may be null.
  SimulatedPlatform(const Platform& platform, const DrawnNoise* noise);

  sg::Host* master() const { return master_; }
  Worker& worker(int i) { return workers_[i]; }

  /// What is under way goes on at the new pace.
  void change_pace(const SlowDown& change);

 private:
  sg::Host* master_;
  PerWorker<Worker> workers_;
};

}  // namespace starport
