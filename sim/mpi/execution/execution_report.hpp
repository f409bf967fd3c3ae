// A prediction and what happened, side by side.
#pragma once

#include "sim/mpi/calibration/today.hpp"
#include "sim/mpi/execution/port_time.hpp"
#include "sim/platform/calibration.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/trace.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport::mpi {

/// One heuristic, simulated and run.
struct Execution {
  std::string heuristic;
  std::vector<std::pair<std::string, std::string>> details;
  Trace predicted;
  std::optional<MedianInterval> interval_s{};  ///< of the predicted makespan, where it is known
  PerWorker<WorkerToday> today{};  ///< just before, where the file tells what was measured
  std::optional<double> strays{};  ///< how far the run strays from such a look
  double by_file_s = 0;            ///< then: the makespan by the file alone
  Trace real;
  std::vector<PortTime> port_times;     ///< of the real one's transfers
  std::vector<std::int64_t> most_held;  ///< blocks, by worker
  std::string check;                    ///< how C was checked; it is right
  double wall_s = 0;                    ///< of the run, until C was checked and kept
};

/// What was run, for the reports.
struct ExecutionAbout {
  Platform platform;  ///< paced: scaled, as the run was
  Problem problem;
  bool paced = false;
  double time_scale = 1;
  std::string platform_file;
  std::vector<std::string> command;
  std::optional<double> peak_flops{};  ///< of all workers, as far as it was measured
  double matrices_s = 0;               ///< to have A, B and C, and to work out what C must be
};

// What reports of all models have in common.
std::string difference_text(double predicted, double real);  ///< "+1.2%"
/// Columns: how fast the product was computed, and what share of the peak that is, where it is
/// known.
std::vector<std::string> speed_heads(const ExecutionAbout& about);
std::vector<std::string> speed_cells(const ExecutionAbout& about, double real_s);
/// The seconds of each run until C was checked and kept, by name.
std::string wall_text(const ExecutionAbout& about,
                      const std::vector<std::pair<std::string, double>>& runs);
/// The places by increasing makespan, from 1; within half a percent of a better one, its place.
std::vector<std::size_t> places(const std::vector<double>& makespans);
std::string emulation_text(const ExecutionAbout& about);
std::string executed_json(const ExecutionAbout& about, nlohmann::ordered_json platform,
                          nlohmann::ordered_json results);

/// For people: makespans, then each worker's share; a ranking when there are several.
std::string execution_text(const ExecutionAbout& about, const std::vector<Execution>& executions);
/// One JSON object.
std::string execution_json(const ExecutionAbout& about, const std::vector<Execution>& executions);

}  // namespace starport::mpi
