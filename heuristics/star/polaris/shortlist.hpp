// The schedules that a search has come by, and which of them is run.
#pragma once

#include "heuristics/star/polaris/tiling.hpp"
#include "sim/star/update_ends.hpp"

#include <vector>

namespace starport::polaris {

struct Candidate {
  Tiling tiling;
  ServingOptions options;
  double makespan_s = kUnknown;

  /// Makespan x enrolled workers.
  double work_s() const {
    return makespan_s == kUnknown ? kUnknown : makespan_s * static_cast<double>(tiling.enrolled());
  }
};

enum class Objective {
  time,  ///< the makespan; among those within 1%, the fewest enrolled workers
  work   ///< makespan x enrolled workers
};

/// The fastest for each number of enrolled workers.
class Shortlist {
 public:
  bool empty() const { return fastest_.makespan_s == kUnknown; }
  void consider(const Candidate& candidate);
  const Candidate& fastest() const { return fastest_; }
  /// By the objective; for `time`, none slower than `slowest_s`, which one of them must not be.
  /// Not of an empty list.
  Candidate chosen(Objective objective, double slowest_s) const;

 private:
  std::vector<Candidate> by_enrolled_;
  Candidate fastest_;
};

}  // namespace starport::polaris
