#include "tests/star/noisy_runs.hpp"

#include "heuristics/star/registry.hpp"
#include "sim/files/error.hpp"
#include "sim/platform/noise/noise_json.hpp"

namespace starport::test {

Noise noise_of(const std::string& text) { return parse_noise(text, "--noise"); }

Run run_on(const Engine& engine, const std::string& name, const Platform& platform,
           const Problem& problem, const Noise& noise) {
  const auto heuristics = parse_heuristics(name);
  return engine.run(
      platform, problem, [&] { return heuristics.at(0).heuristic->plan(platform, problem); },
      noise);
}

std::string failure_on(const Engine& engine, const std::string& name, const Platform& platform,
                       const Problem& problem, const Noise& noise) {
  try {
    run_on(engine, name, platform, problem, noise);
  } catch (const SimulationError& error) {
    return error.what();
  }
  return "";
}

}  // namespace starport::test
