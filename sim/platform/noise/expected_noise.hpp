// Noise computed from its definition (sim/star/noise.md), for validators. Shares no code with
// DrawnNoise, which the engines use, so that a wrong factor, slow-down or stop of theirs is
// noticed.
#pragma once

#include "sim/platform/noise/noise.hpp"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <vector>

namespace starport {

/// The random factors of durations, the slow-downs and the stops that a noise gives a run, for
/// checks of its trace; computed independently of DrawnNoise, with the same values. Owns a copy of
/// the noise. Workers are counted from 0.
class ExpectedNoise {
 public:
  /// Copies `noise`. Dates of slow-downs and stops before a thousandth of `shortest_s` (seconds)
  /// count as 0, as they do in a run: pass the smallest c_i (seconds per block on a link) of a
  /// star, or, for tile tasks, the shortest time of an update or of moving a tile over a link,
  /// without latency.
  ExpectedNoise(const Noise& noise, double shortest_s);

  /// Returns the random factor, above 0, of the duration of the transfer or update with the number
  /// `n` of worker `worker` (index from 0), without slow-downs; 1 if that activity does not vary.
  /// On a star, the transfers of a worker (both directions together) are numbered from 1, and so
  /// are its updates; for the numbers of other models, see sim/star/noise.md. With
  /// Variation::measured, `measured_cv` (at least 0) is the coefficient of variation of updates;
  /// otherwise it is ignored.
  double factor(Activity activity, int worker, std::int64_t n, double measured_cv = 0) const;

  /// Returns the simulated date in seconds at which work ends that starts at `start_s` and takes
  /// `work_s` seconds (at least 0; of a transfer, without latency) without slow-downs. At each
  /// date, work takes f times as long, where f is the largest of the factors of `workers` (indices
  /// from 0; at least one, not checked) for `activity`: each worker's is that of its latest
  /// slow-down so far, or 1 before its first. Ignores random factors and stops.
  double end_of_work_s(Activity activity, std::initializer_list<int> workers, double start_s,
                       double work_s) const;

  /// Returns the simulated date in seconds at which worker `worker` (index from 0) stops; infinity
  /// if it does not or there is no such worker.
  double stop_s(int worker) const;
  /// Returns the stops of all workers by ascending date, valid as long as this object.
  const std::vector<Stop>& stops() const { return noise_.stops; }

 private:
  Noise noise_;  ///< slow-downs by activity, worker and date, stops by date
  std::uint64_t state_;
  std::array<double, 2> sigmas_;  ///< by activity: standard deviation of the factors' logarithm
  std::map<int, double> stops_s_;
};

/// Returns the noise that validators expect in a run on `platform`, a copy of `noise` in which
/// dates before a thousandth of the smallest c_i (seconds per block on a link) count as 0; nullopt
/// if `noise` changes nothing. Throws SimulationError if the noise is not modelled for the master's
/// port (port_needed()); Variation::measured is accepted. Both arguments are used during the call
/// only.
std::optional<ExpectedNoise> expect_noise(const Noise& noise, const Platform& platform);

}  // namespace starport
