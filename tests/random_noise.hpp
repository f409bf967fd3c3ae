// Random noise: variation, slow-downs and stops.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/platform/random.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace starport {

/// Draws noise on `workers` workers (at least 1; otherwise undefined behaviour):
/// log-normal variation, up to four slow-downs and up to two stops; each kind is absent for some
/// seeds. Dates are whole seconds from 0 to 1.2 times `makespan_s`, the approximate duration of a
/// run in simulated seconds (>= 0, not checked). The same arguments give the same noise.
/// Slow-downs, stops and variation are modelled for some ports only (port_needed).
inline Noise random_noise(std::uint64_t seed, std::size_t workers, double makespan_s) {
  Random random(seed);
  Noise noise;
  noise.seed = seed;
  if (seed % 3 != 0) noise.transfers.cv = random.real(0, 0.5);
  if (seed % 3 != 1) noise.updates.cv = random.real(0, 0.5);
  const auto worker = [&] {
    return static_cast<int>(random.integer(0, static_cast<std::int64_t>(workers) - 1));
  };
  // Whole dates coincide with others where figures are whole.
  const auto date = [&] { return std::floor(random.real(0, 1.2) * makespan_s); };
  for (std::int64_t i = random.integer(0, 4); i > 0; --i) {
    const auto activity = static_cast<Activity>(random.integer(0, 1));
    const SlowDown change{worker(), activity, date(), random.real(0.3, 4)};
    const bool twice = std::ranges::any_of(noise.slow_downs, [&](const SlowDown& other) {
      return other.worker == change.worker && other.activity == activity &&
             other.from_s == change.from_s;
    });
    if (!twice) noise.slow_downs.push_back(change);
  }
  if (seed % 2 == 0) noise.stops.push_back({worker(), date()});
  if (seed % 4 == 0 && workers > 2) {
    const int other = worker();
    if (other != noise.stops.front().worker) noise.stops.push_back({other, date()});
  }
  if (seed % 8 == 0) noise.transfers.cv = noise.updates.cv = 0;
  return noise;
}

}  // namespace starport
