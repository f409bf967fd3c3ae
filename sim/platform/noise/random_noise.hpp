// Random noise for tests and the self-test.
#pragma once

#include "sim/platform/noise/noise.hpp"

#include <cstddef>
#include <cstdint>

namespace starport {

/// Draws noise of all kinds for an instance with `workers` workers whose makespan is about
/// `makespan_s` seconds. The same seed gives the same noise.
Noise random_noise(std::uint64_t seed, std::size_t workers, double makespan_s);

}  // namespace starport
