// A prediction and what happened, side by side.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/trace.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace starport::mpi {

/// One heuristic, simulated and run.
struct Execution {
  std::string heuristic;
  std::vector<std::pair<std::string, std::string>> details;
  Trace predicted;
  Trace real;
  std::vector<std::int64_t> most_held;  ///< blocks, by worker
  std::string check;                    ///< how C was checked; it is right
};

/// What was run, for the reports.
struct ExecutionAbout {
  Platform platform;  ///< paced: scaled, as the run was
  Problem problem;
  bool paced = false;
  double time_scale = 1;
  std::string platform_file;
  std::vector<std::string> command;
};

/// For people: makespans, then each worker's share; a ranking when there are several.
std::string execution_text(const ExecutionAbout& about, const std::vector<Execution>& executions);
/// One JSON object.
std::string execution_json(const ExecutionAbout& about, const std::vector<Execution>& executions);

}  // namespace starport::mpi
