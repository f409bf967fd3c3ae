// Small random changes of a tiling.
#pragma once

#include "heuristics/star/polaris/tiling.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace starport::polaris {

/// The same draws on every machine.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  /// In [0, count).
  std::size_t below(std::size_t count) { return engine_() % count; }

 private:
  std::mt19937_64 engine_;
};

/// The strips that a change touched; all of them where `all`.
struct Touched {
  bool changed = false;
  bool all = false;
  std::size_t first = 0;
  std::size_t second = 0;
};

/// Shifts widths or heights, swaps workers, moves one to another strip, lets one go or enrols
/// another. `idle` are those not enrolled; it follows. Nothing may have changed.
Touched change(Tiling& tiling, std::vector<int>& idle, const Problem& problem, Draws& draws);

/// Takes one part out; its strip goes with it when it is empty. Others take their place.
void take_out(Tiling& tiling, const Problem& problem, std::size_t strip, std::size_t part);

/// The workers that can do at least a block and are not enrolled.
std::vector<int> idle_workers(const Tiling& tiling, const Platform& platform,
                              const Problem& problem, const ModeChoice& modes);

}  // namespace starport::polaris
