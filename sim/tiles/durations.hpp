// How long things take: the platform's figures, and what a seed does to those of tasks.
#pragma once

#include "sim/platform/random.hpp"
#include "sim/tiles/directions.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/work.hpp"

#include <cstdint>

namespace starport::tiles {

struct Variation {
  double jitter = 0;  ///< a task takes 1 - jitter to 1 + jitter times its nominal length, uniformly
  std::uint64_t seed = 0;
};

/// The same task has the same factor whoever computes it and whenever: strategies and engines are
/// compared on the same draw.
class Durations {
 public:
  Durations(const Platform& platform, const Work& work, const Variation& variation)
      : platform_(platform), work_(work), variation_(variation) {}

  double task_s(int worker, const Task& task) const {
    const double nominal_s = length_s(platform_.worker(worker), work_.is_reduction(task));
    if (variation_.jitter == 0) return nominal_s;
    const auto number =
        static_cast<std::uint64_t>(task.target) << 32U | static_cast<std::uint64_t>(task.k);
    const double draw = unit_interval(nth_of_sequence(variation_.seed, number));
    return nominal_s * (1 + variation_.jitter * (2 * draw - 1));
  }
  double transfer_s(const Transfer& transfer) const {
    return hop_s(platform_, transfer.from, transfer.to);
  }

 private:
  const Platform& platform_;
  const Work& work_;
  Variation variation_;
};

}  // namespace starport::tiles
