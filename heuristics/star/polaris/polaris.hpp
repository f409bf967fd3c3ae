// Polaris: schedules of a larger space than that of chunks (heuristics/star/polaris/README.md).
#pragma once

#include "heuristics/star/heuristic.hpp"
#include "heuristics/star/polaris/fallback.hpp"
#include "heuristics/star/polaris/search.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace starport {

/// Cuts C into rectangles, one for each enrolled worker, chooses how each is done, and orders the
/// messages by a simulation of the port; runs a rival where that is better. The same seed gives the
/// same schedule on every machine.
class Polaris final : public Heuristic {
 public:
  enum class Level { low, normal, high };
  using Objective = polaris::Objective;

  struct Parameters {
    Level level = Level::normal;
    std::uint64_t seed = 1;
    Objective objective = Objective::time;
    std::optional<bool polaris::Parts::*> without;  ///< a part left out
  };
  Polaris(const Parameters& parameters, std::vector<polaris::Rival> rivals)
      : parameters_(parameters), rivals_(std::move(rivals)) {}

  /// A block of each matrix.
  Requirements requirements() const override { return {.blocks = 3, .one_port = true}; }

 private:
  Plan make_plan(const Platform& platform, const Problem& problem) const override;

  Parameters parameters_;
  std::vector<polaris::Rival> rivals_;
};

}  // namespace starport
