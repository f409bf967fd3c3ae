// C cut into strips, and strips into rectangles, one for each enrolled worker.
#pragma once

#include "heuristics/star/polaris/serving.hpp"

#include <cstdint>
#include <vector>

namespace starport::polaris {

/// A worker's part of a strip.
struct Part {
  int worker = 0;
  std::int32_t height = 0;
};

struct Strip {
  std::int32_t width = 0;
  std::vector<Part> parts;  ///< their heights sum up to the length of the strip
};

/// Strips side by side cover C: strips of columns, their parts one below the other, or, with
/// `of_rows`, strips of rows, their parts side by side.
struct Tiling {
  bool of_rows = false;
  std::vector<Strip> strips;

  std::size_t enrolled() const;
};

/// The rectangles and how each is done.
std::vector<Task> tasks_of(const Tiling& tiling, const Platform& platform, const Problem& problem,
                           const ModeChoice& modes);

/// Rounds shares of a whole to integers of the same sum, each at least 1, by largest remainders.
/// There are no more shares than the whole.
std::vector<std::int32_t> rounded(const std::vector<double>& shares, std::int64_t whole);

}  // namespace starport::polaris
