// Polaris: schedules of a larger space than that of chunks (heuristics/star/polaris/README.md).
#pragma once

#include "heuristics/star/polaris/fallback.hpp"
#include "heuristics/star/polaris/search.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport::polaris {

enum class Level { low, normal, high };

struct Parameters {
  Level level = Level::normal;
  std::uint64_t seed = 1;
  Objective objective = Objective::time;
  std::optional<bool Parts::*> without;  ///< a part left out
};

/// Cuts C into rectangles, one for each enrolled worker, chooses how each is done, and orders the
/// messages by a simulation of the port; runs a rival where that is better. The same seed gives the
/// same schedule on every machine.
Plan plan(const Parameters& parameters, const std::vector<Rival>& rivals, const Platform& platform,
          const Problem& problem);

}  // namespace starport::polaris
