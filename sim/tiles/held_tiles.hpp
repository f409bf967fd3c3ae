// How many tiles the memories of the GPUs hold in the course of a run.
#pragma once

#include "sim/tiles/trace.hpp"
#include "sim/tiles/work.hpp"

#include <cstdint>
#include <vector>

namespace starport::tiles {

class HeldTiles {
 public:
  HeldTiles(const Platform& platform, const Work& work, const Trace& trace);

  /// From that date on, those on their way to it included.
  std::int64_t at(int node, double date_s) const;

 private:
  struct Step {
    double date_s;
    std::int64_t held;
  };
  void change(int node, double date_s, std::int64_t by);

  std::vector<std::vector<Step>> steps_;  ///< of each node, by date
};

}  // namespace starport::tiles
