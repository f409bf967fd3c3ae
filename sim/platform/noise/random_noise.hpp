// Random noise for tests and the self-test.
#pragma once

#include "sim/platform/noise/noise.hpp"

#include <cstddef>
#include <cstdint>

namespace starport {

/// Draws noise of all kinds (variation, slow-downs, stops) for tests on `workers` workers (at least
/// 1, not checked). Dates are whole seconds from 0 to 1.2 times `makespan_s`, the approximate
/// duration of a run in simulated seconds. The same arguments give the same noise. Slow-downs and
/// stops are only modelled for some ports (port_needed).
Noise random_noise(std::uint64_t seed, std::size_t workers, double makespan_s);

}  // namespace starport
