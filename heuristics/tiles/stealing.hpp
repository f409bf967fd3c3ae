// Thefts that mend an allocation which suits the speeds badly (ICPP'18, section 4.2.1).
#pragma once

#include "heuristics/tiles/static_allocation.hpp"
#include "sim/platform/random.hpp"

namespace starport::tiles {

/// The last task pushed to a node drawn at random; if there is none, to the next one.
class RandSteal : public StaticAllocation {
 public:
  explicit RandSteal(const Scene& scene) : StaticAllocation(scene), random_(scene.seed) {}

  std::optional<Task> steal(int worker) override;

 private:
  Random random_;
};

/// The cheapest among the last tasks of the lists, from the next node on.
class ChoiceSteal : public StaticAllocation {
 public:
  using StaticAllocation::StaticAllocation;

  std::optional<Task> steal(int worker) override;
};

/// The cheapest task of all lists, from the next node on; when all three tiles of each are absent,
/// RandSteal.
class EffectiveSteal : public RandSteal {
 public:
  using RandSteal::RandSteal;

  std::optional<Task> steal(int worker) override;
  void copy(int node, Tile tile) override { lists_.copy(node, tile); }
};

}  // namespace starport::tiles
