// A platform as SimGrid has it: its hosts, its links, and the unit and precision of its clock.
#pragma once

#include "sim/platform/noise.hpp"
#include "sim/platform/platform.hpp"
#include "sim/star/message.hpp"
#include "sim/star/update_ends.hpp"

#include <simgrid/s4u.hpp>

#include <cstdint>
#include <vector>

namespace starport {

namespace sg = simgrid::s4u;

inline constexpr double kFlopsPerUpdate = 1e6;

/// The bytes that stand for a message's blocks.
std::uint64_t simulated_bytes(const Message& message);

/// Dates are in seconds: its clock counts in another unit. To be made once in a process, after
/// SimGrid's Engine.
class SimulatedPlatform {
 public:
  struct Worker {
    sg::Host* host = nullptr;
    sg::Link* link = nullptr;
    sg::Mailbox* mailbox = nullptr;
    int changes_of_speed = 0;    ///< of the host
    double transfer_factor = 1;  ///< of the transfer under way
    double pace = 1;             ///< of all transfers, since the last change
  };

  /// Both outlive it; `noise` may be null.
  SimulatedPlatform(const Platform& platform, const DrawnNoise* noise);

  sg::Host* master() const { return master_; }
  Worker& worker(int i) { return workers_[i]; }

  double now_s() const { return sg::Engine::get_clock() * unit_s_; }
  /// For ever, when SimGrid's clock cannot tell the date.
  void sleep_until(double date_s) const;
  void sleep_for(double duration_s) const { sg::this_actor::sleep_for(duration_s / unit_s_); }
  /// The least that SimGrid's clock tells from now.
  void sleep_an_instant() const;
  /// Widens SimGrid's precision before the clock outgrows it.
  void keep_precision(double until_s);

  /// The worker's next transfer, of which there is one at a time, takes so many times the nominal
  /// duration. Its link is set to the best pace of now and later: SimGrid never moves bytes faster
  /// than the link could when the transfer began.
  void set_factor(int worker, double factor);
  /// Once the transfer has begun: the pace of its date.
  void keep_pace(int worker) { set_bandwidth(worker, workers_[worker].pace); }
  /// What is under way goes on at the new pace.
  void change_pace(const SlowDown& change);

 private:
  static void configure();
  void build();
  std::vector<double> speeds(int worker) const;
  double bandwidth(int worker) const;
  void set_bandwidth(int worker, double pace);

  const Platform& platform_;
  const DrawnNoise* noise_;
  double unit_s_ = 1;         ///< one unit of SimGrid's clock, in seconds
  double precise_until_ = 0;  ///< the date up to which the precision suits the clock, in units
  sg::Host* master_ = nullptr;
  PerWorker<Worker> workers_;
};

}  // namespace starport
