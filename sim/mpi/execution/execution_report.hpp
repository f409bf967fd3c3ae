// Reports predicted and real times of runs side by side, as text and as JSON.
#pragma once

#include "sim/mpi/execution/probe.hpp"
#include "sim/mpi/execution/time_breakdown.hpp"
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

/// The prediction and the real run of one heuristic or schedule on a star.
struct Execution {
  std::string heuristic;
  std::vector<std::pair<std::string, std::string>> details;
  Trace predicted;
  std::optional<MedianInterval>
      interval_s{};  ///< 95 % interval of the predicted makespan; nullopt: unknown
  PerWorker<WorkerChange>
      changes{};                  ///< changes found by the probe before the run; empty: no probe
  std::optional<double> drift{};  ///< relative_drift(); nullopt: unknown
  double file_prediction_s = 0;   ///< makespan predicted from the file alone, if there was a probe
  Trace real;
  std::vector<PortTime> port_times;       ///< port times of the transfers of `real`
  std::vector<std::int64_t> peak_blocks;  ///< highest number of blocks held, by worker
  std::string check;                      ///< method by which C was checked (ProductCheck)
  double wall_s = 0;                      ///< wall time of the run, the check and storing C
};

/// The input that all runs of one command share: platform, problem and settings.
struct ExecutionContext {
  Platform platform;  ///< emulated: with durations times time_scale
  Problem problem;
  bool emulated = false;
  double time_scale = 1;
  std::string platform_file;
  std::vector<std::string> command;
  std::optional<double> peak_flops{};  ///< measured_peak_flops(); nullopt: unknown
  double matrices_s = 0;               ///< wall time to prepare A, B, C and the check
};

// Parts of the reports of star runs and of distributed products:

/// Returns the relative difference of `real` from `predicted`, such as "+1.2%".
std::string difference_text(double predicted, double real);
/// Returns the headings of the columns "Gflop/s" and, if the peak is known, "of peak".
std::vector<std::string> speed_column_headings(const ExecutionContext& context);
/// Returns the cells of these columns for a run of `real_s` seconds.
std::vector<std::string> speed_column_values(const ExecutionContext& context, double real_s);
/// Returns a line, with its line end, with the wall times of the preparation and of each run;
/// `runs` are pairs of name and seconds.
std::string wall_time_text(const ExecutionContext& context,
                           const std::vector<std::pair<std::string, double>>& runs);
/// Returns the ranks, from 1, by increasing makespan. A makespan ranks behind those that are more
/// than 0.5 % shorter.
std::vector<std::size_t> rank_makespans(const std::vector<double>& makespans);
/// Returns the words that say that a run was emulated, and with which time scale.
std::string emulation_text(const ExecutionContext& context);
/// Returns the JSON document of a command from its parts.
std::string report_json(const ExecutionContext& context, nlohmann::ordered_json platform,
                        nlohmann::ordered_json results);

/// Returns the report of runs on a star as text: the makespans, then the figures of each worker.
/// `executions` must not be empty.
std::string execution_text(const ExecutionContext& context,
                           const std::vector<Execution>& executions);
/// Returns the report of runs on a star as JSON.
std::string execution_json(const ExecutionContext& context,
                           const std::vector<Execution>& executions);

}  // namespace starport::mpi
