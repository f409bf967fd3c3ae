// Durations of transfers and updates in distributed products: nominal, or under noise.
#pragma once

#include "sim/platform/noise/noise.hpp"

#include <cstdint>
#include <vector>

namespace starport::spmd {

/// Computes the durations of transfers and updates of the workers. Without noise they are the
/// nominal durations. The noise, if any, must outlive this object.
class Durations {
 public:
  explicit Durations(const DrawnNoise* noise = nullptr) : noise_(noise) {}

  /// Returns true if there is noise, so that identical iterations may have different durations.
  bool has_noise() const { return noise_ != nullptr; }
  const DrawnNoise* noise() const { return noise_; }

  /// Returns the duration of a worker's n-th transfer (n from 1), which is all that its link
  /// carries in iteration n. It starts at `start_s` and nominally takes `latency_s` + `nominal_s`.
  double transfer_s(std::int64_t worker, std::int64_t n, double start_s, double latency_s,
                    double nominal_s) const;
  /// Returns the duration of the n-th message that worker `from` sends to worker `to` (n from 1).
  /// The slower of the two links at each date determines its pace.
  double transfer_s(std::int64_t from, std::int64_t to, std::int64_t n, double start_s,
                    double latency_s, double nominal_s) const;
  /// Returns the duration of a worker's n-th update (n from 1), which starts at `start_s`.
  double update_s(std::int64_t worker, std::int64_t n, double start_s, double nominal_s) const;

 private:
  const DrawnNoise* noise_;
};

/// Returns the profile that has at each date the larger factor of two profiles.
SlowdownProfile combine_slowdowns(const SlowdownProfile& x, const SlowdownProfile& y);

/// Returns the number, from 1, of the update of `device` in iteration `pivot` (from 0) of a worker
/// with `devices` devices. Numbers identify updates to the noise.
inline std::int64_t update_number(std::int64_t pivot, std::size_t device, std::size_t devices) {
  return pivot * static_cast<std::int64_t>(devices) + static_cast<std::int64_t>(device) + 1;
}

}  // namespace starport::spmd
