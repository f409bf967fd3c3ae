// Valid traces of the star with one thing changed.
#pragma once

#include "sim/platform/random.hpp"
#include "sim/star/trace.hpp"

#include <cstdint>
#include <vector>

namespace starport::test {

/// A problem solved on a platform.
struct Solved {
  Platform platform;
  Problem problem;
  Trace trace;
};

struct Mutation {
  const char* name;
  /// Sometimes it changes nothing, or nothing that matters.
  void (*mutate)(Solved& solved, Random& random);
  bool of_schedule;  ///< what follows gets the dates of the recurrence; else it is the dates
};

const std::vector<Mutation>& mutations();

/// By some heuristic on a small platform, all drawn by the seed. Without a trace when the heuristic
/// does not apply there.
Solved solved_instance(std::uint64_t seed);

}  // namespace starport::test
