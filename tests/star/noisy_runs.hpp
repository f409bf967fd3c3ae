// Noise, and runs under it.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/star/engine/engine.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace starport::test {

/// As --noise takes it.
Noise noise_of(const std::string& text);

/// Of the heuristic of that name. Throws SimulationError.
Run run_on(const Engine& engine, const std::string& name, const Platform& platform,
           const Problem& problem, const Noise& noise);
/// Its error; empty when there is none.
std::string failure_on(const Engine& engine, const std::string& name, const Platform& platform,
                       const Problem& problem, const Noise& noise);

}  // namespace starport::test
