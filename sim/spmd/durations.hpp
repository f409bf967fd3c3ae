// How long what happens lasts: as the model has it, or under noise.
#pragma once

#include "sim/platform/noise/noise.hpp"

#include <cstdint>
#include <vector>

namespace starport::spmd {

/// Of the workers' links and devices. Without noise a duration is the nominal one.
class Durations {
 public:
  explicit Durations(const DrawnNoise* noise = nullptr) : noise_(noise) {}

  /// Whether iterations that are alike may differ in their durations.
  bool vary() const { return noise_ != nullptr; }
  const DrawnNoise* noise() const { return noise_; }

  /// What a worker's link takes for all that it carries in iteration n, from 1: its n-th transfer.
  double transfer_s(std::int64_t worker, std::int64_t n, double start_s, double latency_s,
                    double nominal_s) const;
  /// The same of a message that crosses the links of two workers, the n-th that `from` sends: at
  /// the pace of the slower link.
  double transfer_s(std::int64_t from, std::int64_t to, std::int64_t n, double start_s,
                    double latency_s, double nominal_s) const;
  /// A worker's n-th update, from 1.
  double update_s(std::int64_t worker, std::int64_t n, double start_s, double nominal_s) const;

 private:
  const DrawnNoise* noise_;
};

/// At each date the larger of two factors.
SlowdownProfile slower(const SlowdownProfile& x, const SlowdownProfile& y);

/// The devices of a worker update one after the other in their numbers, iteration by iteration.
inline std::int64_t update_number(std::int64_t pivot, std::size_t device, std::size_t devices) {
  return pivot * static_cast<std::int64_t>(devices) + static_cast<std::int64_t>(device) + 1;
}

}  // namespace starport::spmd
