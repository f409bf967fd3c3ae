// Durations of transfers and updates in distributed products: nominal, or under noise.
#pragma once

#include "sim/platform/noise/noise.hpp"

#include <cstdint>
#include <vector>

namespace starport::spmd {

/// Rule for the durations, in simulated seconds, of transfers and updates of the workers: the
/// nominal ones, changed by noise (random factors and slow-downs) if there is any. Workers are
/// numbered from 0 and must exist in the noise, dates and nominal durations must be at least 0 (not
/// checked). The noise must outlive this object and its copies.
class ProductDurations {
 public:
  /// Stores a pointer to `noise`, which must outlive this object and its copies; nullptr stands for
  /// no noise.
  explicit ProductDurations(const DrawnNoise* noise = nullptr) : noise_(noise) {}

  /// Returns true if the constructor was given noise, so that identical iterations may have
  /// different durations; also for noise that only stops workers, which changes no duration.
  bool has_noise() const { return noise_ != nullptr; }
  /// Returns the noise given to the constructor, which changes the durations; nullptr if there is
  /// none.
  const DrawnNoise* noise() const { return noise_; }

  /// Returns the duration in seconds of the n-th message (n from 1) that worker `from` sends to
  /// worker `to`, which starts at date `start_s`. Without noise it is `latency_s` plus `nominal_s`
  /// for the bytes. The random factor of the noise for the sender applies to both parts; slow-downs
  /// apply to `nominal_s` only, at each date that of the slower of the two links. If `from` is
  /// `to`, the message stands for all that the link of this worker carries in its n-th iteration,
  /// or for its transfer with the hub with n = hub_transfer_number(). Workers are numbered from 0
  /// and must exist in the noise (not checked).
  double transfer_s(std::int64_t from, std::int64_t to, std::int64_t n, double start_s,
                    double latency_s, double nominal_s) const;
  /// Returns the duration in seconds, under noise if there is any, of an update (computation) of
  /// `worker` (from 0), which starts at date `start_s` and nominally takes `nominal_s` seconds.
  /// `n`, its number from 1 on this worker (see update_number()), selects the random factor. The
  /// worker must exist in the noise (not checked).
  double update_s(std::int64_t worker, std::int64_t n, double start_s, double nominal_s) const;

 private:
  const DrawnNoise* noise_;
};

/// Returns the slow-down profile (pairs of a date in seconds and a factor on durations, by
/// ascending date) that has at each date the larger factor of two such profiles, `x` and `y`; empty
/// if both are. A factor holds until the next date of its profile, the last for ever; it is 1
/// before the first. The result may list a date twice, with the same factor.
SlowdownProfile combine_slowdowns(const SlowdownProfile& x, const SlowdownProfile& y);

/// Returns the number, from 1, of the update (computation) of device `device` (from 0) in iteration
/// `pivot` (from 0) of a worker with `devices` devices: pivot * devices + device + 1. It selects
/// the random factor of the noise for the update. `device` must be less than `devices` (not
/// checked: updates would share a number).
inline std::int64_t update_number(std::int64_t pivot, std::size_t device, std::size_t devices) {
  return pivot * static_cast<std::int64_t>(devices) + static_cast<std::int64_t>(device) + 1;
}

}  // namespace starport::spmd
