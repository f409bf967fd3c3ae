// Noise drawn at random, for tests and the self-test.
#pragma once

#include "sim/platform/noise/noise.hpp"

#include <cstddef>
#include <cstdint>

namespace starport {

/// Noise of all kinds for the workers of an instance that takes about makespan_s; the same seed
/// gives the same noise.
Noise random_noise(std::uint64_t seed, std::size_t workers, double makespan_s);

}  // namespace starport
