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

/// The prediction and the real run of one heuristic or schedule on a star: filled by
/// predict_execution() and execute_job(), and reported by execution_text() or execution_json().
/// Dates in traces are seconds since the start of the run. Owns its data.
struct Execution {
  /// Name of the heuristic or schedule (ExecutionJob::name).
  std::string heuristic;
  /// Names and values of choices that the heuristic made, such as {"selection", "global"}.
  std::vector<std::pair<std::string, std::string>> details;
  /// Predicted trace (transfers and updates, dated in seconds): by the model, or, unless the run is
  /// emulated, from measured durations if the platform file has samples of them; after a probe (a
  /// short measurement before the run) with the durations of each worker multiplied by its factors
  /// in `changes`.
  Trace predicted;
  /// Interval, in seconds, that contains the makespan of one real run (not the median of several)
  /// with a probability of 95 %; nullopt if unknown: without a probe (a short measurement before
  /// the run), or if `variation` is unknown.
  std::optional<MedianInterval> interval_s{};
  /// Factors on the durations of each worker, relative to the calibration, that the run is
  /// predicted with after a probe (a short measurement before the run), by worker from 0; empty:
  /// there was no probe.
  PerWorker<SpeedChange> changes{};
  /// Variances over time of the logarithm of the predicted makespan, from one prediction for each
  /// moment of the calibration (estimate_makespan_variation()); nullopt: unknown, or the run is
  /// emulated.
  std::optional<TimeVariation> variation{};
  /// Makespan in seconds that was predicted from the platform file alone; 0 without a probe (a
  /// short measurement before the run).
  double file_prediction_s = 0;
  /// Trace (transfers and updates, dated in seconds) of the real run; empty before it.
  Trace real;
  /// Time in seconds that each transfer of `real` occupied the master's port, divided into packing,
  /// latency and link; in the order of `real`.
  std::vector<PortTime> port_times;
  /// Highest number of blocks of A, B and C together that each worker has held in the real run, by
  /// worker from 0; empty before it.
  std::vector<std::int64_t> peak_blocks;
  /// Method by which C was checked, as a phrase to follow "checked" (CheckOutcome::method); empty
  /// before the check.
  std::string check;
  /// Wall time in seconds of the real run, the check of C and storing C together; 0 before the run.
  double wall_s = 0;
};

/// Data common to all runs of one `starport-mpi` command, for its report: platform, product,
/// emulation, command line, warning and time of preparation. Owns its data.
struct ExecutionContext {
  /// Star platform for the block size of `problem`; in emulated runs (prolonged to the platform's
  /// durations) its durations are multiplied by `time_scale` already. Without workers if the file
  /// of a distributed product gives no valid star (PlatformFile::star_or_empty()).
  Platform platform;
  /// Sizes of the product in blocks, and the block size in elements.
  Problem problem;
  /// Floating-point operations of the product of the matrices as they are, 2 m n k; the blocks at
  /// their edges may have more.
  double flops = 0;
  /// True if transfers and updates are prolonged to the durations of the platform.
  bool emulated = false;
  /// Factor by which emulated runs multiply all durations of the platform file; 1 for other runs.
  double time_scale = 1;
  /// Path of the platform file.
  std::string platform_file;
  /// Command as it was typed: program, command, arguments.
  std::vector<std::string> command;
  /// Sum of the highest speeds measured of the workers, in flop/s (measured_peak_flops()); nullopt:
  /// unknown, or the runs are emulated.
  std::optional<double> peak_flops{};
  /// Sentence that says that the least certain prediction is uncertain, why, and what to do
  /// (check_certainty()), without a full stop; empty if no prediction is known to have a 95 %
  /// interval wider than +-5 %.
  std::string warning{};
  /// Wall time to prepare A, B, C and the check, in seconds.
  double preparation_s = 0;
};

// Parts of the reports of star runs and of distributed products:

/// Returns the relative difference of `real` from `predicted` (of the same unit) in percent, such
/// as "+1.2%" for 1 and 1.012; "-" if `predicted` is not positive.
std::string difference_text(double predicted, double real);
/// Returns the headings of the table columns for the speed of a run: "Gflop/s" and, if
/// context.peak_flops is known, "of peak".
std::vector<std::string> speed_column_headings(const ExecutionContext& context);
/// Returns the table cells under speed_column_headings() for a run of context.problem in `real_s`
/// seconds (positive, not checked): the speed in Gflop/s, such as "5.12", and, only if
/// context.peak_flops is known, the speed in percent of it, such as "81%".
std::vector<std::string> speed_column_values(const ExecutionContext& context, double real_s);
/// Returns a line, which ends in a newline, with the wall times in seconds of the preparation
/// (context.preparation_s) and of the runs; `runs` are pairs of name and seconds, check and storage
/// of C included.
std::string wall_time_text(const ExecutionContext& context,
                           const std::vector<std::pair<std::string, double>>& runs);
/// Returns the rank of each makespan, in the order of `makespans`: 1 plus the number of makespans
/// that are more than 0.5 % shorter. Makespans that are nearly equal may share a rank. Empty for an
/// empty list.
std::vector<std::size_t> rank_makespans(const std::vector<double>& makespans);
/// Returns the phrase that says that a run was emulated (transfers and updates prolonged to the
/// platform's durations), and with which time scale: "emulated, 2 times the platform's durations".
/// Without a newline; context.emulated is not checked.
std::string emulation_text(const ExecutionContext& context);
/// Returns the JSON document that a command prints, indented and ending in a newline: `platform` (a
/// JSON object, to which context.peak_flops is added if known), `results`, and from `context` the
/// problem, emulation, time of preparation, the warning if there is one, and the provenance
/// (version and commit of the program, platform file, command).
std::string report_json(const ExecutionContext& context, nlohmann::ordered_json platform,
                        nlohmann::ordered_json results);

/// Returns the report of real runs on a star beside their predictions as text, which ends in a
/// newline: the makespans, then for each worker its times, predicted and real, and, unless the runs
/// were emulated, the causes of their differences. Durations are in seconds. `executions` must not
/// be empty, and all must have their real runs (execute_job()); otherwise the behaviour is
/// undefined. The text says that C is right: each run must have passed its check (not checked).
std::string execution_text(const ExecutionContext& context,
                           const std::vector<Execution>& executions);
/// Returns the report of real runs on a star beside their predictions as an indented JSON document,
/// which ends in a newline. Durations are in seconds. All executions must have their real runs
/// (execute_job()); otherwise the behaviour is undefined. `results` is empty without executions.
std::string execution_json(const ExecutionContext& context,
                           const std::vector<Execution>& executions);

}  // namespace starport::mpi
