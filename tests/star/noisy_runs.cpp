#include "tests/star/noisy_runs.hpp"

#include "heuristics/star/registry.hpp"
#include "sim/files/error.hpp"
#include "sim/platform/noise_text.hpp"
#include "sim/platform/random.hpp"

#include <cmath>

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

Noise random_noise(std::uint64_t seed, std::size_t workers, double makespan_s) {
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
    noise.slow_downs.push_back({worker(), activity, date(), random.real(0.3, 4)});
  }
  if (seed % 2 == 0) noise.stops.push_back({worker(), date()});
  if (seed % 4 == 0 && workers > 2) {
    const int other = worker();
    if (other != noise.stops.front().worker) noise.stops.push_back({other, date()});
  }
  if (seed % 8 == 0) noise.transfers.cv = noise.updates.cv = 0;
  return noise;
}

}  // namespace starport::test
