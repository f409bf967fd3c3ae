// Polaris: schedules of a larger space than that of chunks (heuristics/star/polaris/README.md).
#pragma once

#include "heuristics/star/heuristic.hpp"
#include "heuristics/star/polaris/search.hpp"

#include <cstdint>

namespace starport {

/// Cuts C into rectangles, one for each enrolled worker, chooses how each is done, and orders the
/// messages by a simulation of the port; keeps the best of the seven heuristics of PPoPP'08 where
/// that is better. The same seed gives the same schedule on every machine.
class Polaris final : public Heuristic {
 public:
  enum class Level { low, normal, high };
  using Objective = polaris::Objective;

  Polaris(Level level, std::uint64_t seed, Objective objective, const polaris::Without& without)
      : level_(level), seed_(seed), objective_(objective), without_(without) {}

  Plan plan(const Platform& platform, const Problem& problem) const override;
  /// Not how it uses memory, but the least that the best of the seven needs.
  const MemoryLayout& layout() const override { return kToledo; }

 private:
  Level level_;
  std::uint64_t seed_;
  Objective objective_;
  polaris::Without without_;
};

}  // namespace starport
