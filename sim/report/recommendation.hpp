// What a comparison comes to, for who asks which schedule to run.
#pragma once

#include "sim/results/comparison.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport {

/// Which algorithm to run and what it wins, how far it is from the best possible, who does which
/// part of the work, what the platform should have more of: a sentence or two in each line.
struct Recommendation {
  std::string algorithm;
  std::vector<std::string> lines;
};

/// None unless two runs are complete.
std::optional<Recommendation> recommend(const Comparison& comparison);
/// The same below a table; empty for none.
std::string recommendation_text(const Comparison& comparison);

}  // namespace starport
