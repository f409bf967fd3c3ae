// The machine of the tile model as a SimGrid platform.
#pragma once

#include "sim/simgrid/simgrid_time.hpp"
#include "sim/tiles/durations.hpp"

#include <cstddef>
#include <vector>

namespace starport::tiles {

/// A machine of the tile model as a SimGrid platform: one host per memory node (main memory, GPUs)
/// and per worker, one SimGrid link per direction of a GPU's link or, on a platform with routes,
/// per ordered pair of memory nodes and per shared bandwidth. Owns SimGrid's engine, so that at
/// most one may be created in a process; use it in a child process that ends with _exit(), since a
/// deadlock of the actors ends the process. Dates are in seconds of the simulated machine.
class SimulatedNode {
 public:
  /// Creates SimGrid's engine, hosts and links for the machine `platform`, which must have at least
  /// one worker (undefined behaviour otherwise) and outlive this object. Call it at most once in a
  /// process.
  explicit SimulatedNode(const Platform& platform);

  /// Returns the SimGrid host of main memory (the hub, memory node 0). SimGrid owns it.
  sg::Host* hub() const { return memories_.front(); }
  /// Returns the SimGrid host of worker `number`, an index into Platform::workers from 0; out of
  /// range is undefined behaviour. SimGrid owns it.
  sg::Host* worker(std::size_t number) const { return workers_[number]; }

  /// Returns the current simulated date in seconds; a simulation starts at Platform::start_up_s of
  /// the machine.
  double now_s() const { return platform_.start_up_s + time_.now_s(); }
  /// Simulates a computation: occupies the SimGrid host of the calling actor (simulated thread) for
  /// `duration_s` simulated seconds and blocks the actor until then. Must be called by an actor on
  /// a host of a worker that no other actor uses, after extend_precision() with that duration.
  void compute(double duration_s) const;
  /// Simulates a transfer of a tile that lasts `duration_s` simulated seconds, latency included, on
  /// a platform without shared bandwidths (Platform::shared_lines is empty; for others see send()).
  /// Blocks the calling actor until the end; must be called by an actor, after extend_precision()
  /// with that duration. The two memory nodes must exist and differ (undefined behaviour
  /// otherwise). The transfer may take longer if the link directions between them are not idle.
  void move(const Transfer& transfer, double duration_s) const;
  /// Simulates a transfer of `tiles` tiles (above 0; noise makes it differ from 1) without its
  /// latency, on a platform with buses (Platform::shared_lines), where it shares bandwidths with
  /// the other transfers. Blocks the calling actor until the end; must be called by an actor, after
  /// extend_precision() with the expected duration. The two memory nodes must exist and differ
  /// (undefined behaviour otherwise). The transfer may take longer if the link directions between
  /// them are not idle.
  void send(const Transfer& transfer, double tiles) const;
  /// Returns the nominal latency in seconds of a transfer between two different memory nodes of the
  /// machine (undefined behaviour otherwise).
  double latency_s(const Transfer& transfer) const {
    return transfer_latency_s(platform_, transfer.from, transfer.to);
  }
  /// Makes the calling actor (simulated thread) sleep until simulated date `date_s` in seconds
  /// (finite); returns at once if it has passed. Must be called by an actor, after
  /// extend_precision() up to that date.
  void wait_until(double date_s) const;
  /// Makes the calling actor (simulated thread) sleep until simulated date `date_s` in seconds
  /// (finite), which may be much later than all activities; needs no extend_precision(). Returns at
  /// once if the date has passed. Must be called by an actor.
  void wait_until_far(double date_s) { time_.sleep_until_far(date_s - platform_.start_up_s); }
  /// Widens the tolerance within which SimGrid considers dates equal, so that its clock can run for
  /// another `duration_s` simulated seconds (finite). Must be called before an activity of that
  /// duration starts, otherwise the simulation may not end.
  void extend_precision(double duration_s) {
    time_.widen_precision_until(time_.now_s() + duration_s);
  }
  /// Runs the simulation and blocks until all actors have returned. Call it once, from outside any
  /// actor. A deadlock of the actors or an exception of one made by make_actor() ends this process
  /// and is reported to its parent (exit_child_with_error()).
  void run() { time_.run(); }

 private:
  void create_star();
  void create_routes();
  void create_workers(sg::NetZone* zone);
  double bytes_per_tile() const;
  double bandwidth(double tile_s) const;

  const Platform& platform_;
  SimgridTime time_;
  std::vector<sg::Host*> memories_;  ///< by node
  std::vector<sg::Host*> workers_;
};

}  // namespace starport::tiles
