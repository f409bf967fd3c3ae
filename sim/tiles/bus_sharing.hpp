// Max-min fair sharing of the bandwidths of buses between the transfers that are under way.
#pragma once

#include "sim/tiles/link_directions.hpp"
#include "sim/tiles/platform.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport::tiles {

/// The transfers that share the buses of a platform, with their rates and the dates at which they
/// end if nothing changes. A transfer is known by the number of the link direction that carries it
/// (see LinkDirections). Rates are max-min fair: each transfer is as fast as its route alone
/// allows, or uses a shared line that is full and on which no transfer is faster. All dates are
/// simulated seconds and must not decrease (not checked).
class BusSharing {
 public:
  /// Prepares for transfers on `platform`, which must outlive this object and whose
  /// Platform::routes must not be empty (not checked).
  explicit BusSharing(const Platform& platform);

  /// Starts to move `tiles` tiles (one, times the factor of the noise; above 0) by the link
  /// direction with the number `direction` (see LinkDirections) at simulated date `now_s` in
  /// seconds, i.e. after the latency. The two memory nodes of `transfer` give the route; they must
  /// exist and differ, and the direction must be idle (neither is checked). Call update() with the
  /// same date afterwards.
  void start(int direction, const Transfer& transfer, double tiles, double now_s);
  /// Ends the transfer in the link direction with the number `direction` (see LinkDirections), if
  /// it has one, at the date of the next update(), which changes the rates of the others.
  void end(int direction);

  /// A transfer, by the number of its link direction, and the date at which it ends if no other
  /// starts or ends before; an element of the result of update().
  struct End {
    /// Number, from 0, of the link direction that carries the transfer (see LinkDirections).
    int direction;
    /// Simulated date in seconds at which the transfer ends if no other starts or ends before.
    double date_s;
  };
  /// Computes the rates of all transfers from simulated date `now_s` in seconds on, at which
  /// start() and end() were called. Returns the transfers that are new or whose end has changed, in
  /// the order in which they started; there may be none. The reference is valid until the next
  /// update().
  const std::vector<End>& update(double now_s);

 private:
  struct Flow {
    int direction;
    const Route* route;
    double tiles;         ///< that remained at since_s
    double since_s;       ///< date of the last change of rate
    double rate = 0;      ///< tiles per second since then
    double new_rate = 0;  ///< of compute_rates()
    bool is_fixed = false;
  };
  void compute_rates();

  const Platform& platform_;
  std::vector<Flow> flows_;       ///< in the order in which they started
  std::vector<double> free_;      ///< by shared line: tiles per second that are not given away
  std::vector<int> competitors_;  ///< by shared line: transfers whose rate is not fixed
  std::vector<End> changed_;
  bool is_outdated_ = false;
};

}  // namespace starport::tiles
