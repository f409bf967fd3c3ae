// Traces as their files tell them.
#pragma once

#include "sim/report/trace_files.hpp"
#include "tests/star/star_support.hpp"

#include <optional>
#include <string>

namespace starport::test {

inline Timeline read_back(const std::string& csv,
                          const std::optional<std::string>& heuristic = {}) {
  return read_trace(TemporaryFile(csv, ".csv").path(), heuristic);
}

/// One worker, c=1 w=5 m=5, t=3 (heuristics_test): C 0-1, AB 1-3 3-5 8-10, R 18-19; updates 3-8
/// 8-13 13-18.
inline Timeline one_chunk() {
  const Platform platform = star({{1, 5, 5, 0}});
  const Problem problem{1, 1, 3, 1};
  return read_back(trace_csv("HomI", platform, problem, by_recurrence("HomI", platform, problem)));
}

}  // namespace starport::test
