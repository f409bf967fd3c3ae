// Estimates the figures of the workers from the measurements of a calibration, checks how reliable
// they are, and makes the platform file.
#pragma once

#include "sim/kernel/node_measures.hpp"
#include "sim/kernel/sample_statistics.hpp"
#include "sim/mpi/calibration/chunk_series.hpp"
#include "sim/platform/platform_file.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// The measurements of a calibration on a star, with load and without, as measure_links() and
/// ChunkMeasurement return them; input of estimate_figures() and make_calibrated_file().
struct StarMeasures {
  /// Links and updates measured while all workers communicate and compute.
  LinkMeasures loaded;
  /// Links measured while nobody computes; has no updates.
  LinkMeasures alone;
};

/// The figures of one worker for its platform file (link and speed), as estimate_figures()
/// estimates them from its samples, with their 95 % intervals.
struct WorkerFigures {
  /// Bandwidth and latency of the worker's link to the master while all workers communicate and
  /// compute.
  MeanLink link;
  /// Bandwidth and latency of the worker's link to the master while nobody computes.
  FittedLink link_alone;
  /// Mean duration in seconds of one block update of the worker, within the largest chunk
  /// (rectangle of C) measured.
  double update_s = 0;
  /// 95 % confidence interval, in seconds, of the mean duration `update_s` of a block update.
  MedianInterval update_interval_s{};
  /// Steadiness of the worker's speed during the measurement.
  Steadiness steadiness{};
};

/// Estimates the figures (link and duration of a block update) of all workers, by index from 0, one
/// for each element of measures.loaded.updates; empty if only links were measured. Requires for
/// each worker updates and steadiness in measures.loaded and messages of at least two sizes in both
/// measurements; otherwise the behaviour is undefined.
std::vector<WorkerFigures> estimate_figures(const StarMeasures& measures);

/// Returns the durations in seconds of one block update in chunks (rectangles of C on a worker) of
/// exactly `blocks` blocks, in the order of `samples`, as at most kMaxSamples means of consecutive
/// samples. Empty if there are none.
std::vector<double> block_update_times_s(const std::vector<UpdateSample>& samples,
                                         std::int64_t blocks);
/// Returns the durations in seconds of one block update in the largest chunk (rectangle of C on a
/// worker) measured, in the order of `samples`, as at most kMaxSamples means of consecutive
/// samples. `samples` must not be empty; otherwise the behaviour is undefined.
std::vector<double> largest_update_times_s(const std::vector<UpdateSample>& samples);
/// Returns the 95 % confidence interval of the mean of the values, by bootstrap (drawing the values
/// again at random, with a fixed seed), in their unit. `values` must not be empty; otherwise both
/// ends are NaN.
MedianInterval mean_confidence_interval(const std::vector<double>& values);

/// Returns the figures of the workers (time of a block on the link c_i, of a block update w_i,
/// latency, speed) as a text table with a line of headings and one per worker, under load and
/// alone; each line ends in a newline. `alone` holds, for each worker, the samples of its updates
/// (update_s) while nothing else runs, all with the block size of the platform file; undefined if
/// it is empty or shorter than `figures`. `type` is that of the matrix elements.
std::string figures_table(const std::vector<WorkerFigures>& figures,
                          const std::vector<Calibration::Dgemm>& alone, ElementType type);

/// A measured figure of a worker (bandwidth or duration of a block update) that may come out
/// differently if it is measured again, as find_unreliable_figures() reports it.
struct UnreliableFigure {
  /// Name of the measured figure (c_i for the link of worker i, w_i for its block updates, i from
  /// 1) and how uncertain it is, as a sentence without a full stop.
  std::string problem;
  /// Advice to the user how to measure more reliably, as a sentence without a full stop.
  std::string remedy;
};
/// Choice of the figures that find_unreliable_figures() checks: the durations of updates only (for
/// distributed products, which do not use the bandwidths under load), or these bandwidths, too.
enum class CheckedFigures : std::uint8_t { updates, links_and_updates };
/// Returns the figures of workers whose 95 % interval is wider than +-5 %, and the durations of a
/// block update of workers whose speed was not steady, by worker; empty if all are reliable.
/// `attempt` is the number of the measurement, from 1: in the first one, all time spans of a worker
/// have to be steady; in later ones, more than half. Durations of updates are always checked,
/// bandwidths under load if `checked` says so.
std::vector<UnreliableFigure> find_unreliable_figures(const std::vector<WorkerFigures>& figures,
                                                      int attempt, CheckedFigures checked);
/// Returns a message about the time spans of the measurement that do not count for a worker, since
/// its speed then differed, without a full stop and a newline; an empty string if all count.
std::string describe_excluded_spans(const std::vector<WorkerFigures>& figures);

/// Returns the index, in the list NodeReport::dgemm, of the block size for all workers: the
/// smallest one at which the speed of block updates, summed over the workers, is at least 97 % of
/// the highest. `nodes` must not be empty, and all must have measured the same block sizes in the
/// same order, with samples in each update_s; otherwise the behaviour is undefined.
std::size_t best_common_block_size(const std::vector<NodeReport>& nodes);

/// Returns the bytes of memory for matrix blocks of each worker, in the order of `nodes`: each
/// node's memory divided by the number of nodes with the same host name, which share it equally.
std::vector<double> memory_per_worker(const std::vector<NodeReport>& nodes);

/// Makes the contents of a platform file from the measurements; writes nothing. Path, name and
/// provenance are left to the caller. `nodes`, `figures` and, unless it is empty, `speeds` have one
/// element per worker, at least one. `best` is the index of the block size
/// (best_common_block_size()). With `speeds`, the file is for distributed products, whose workers
/// do not compute while they communicate: it gets these speed functions (durations of updates by
/// size) and the links measured alone. Requires updates of each worker in measures.loaded. None of
/// these requirements is checked; otherwise the behaviour is undefined.
PlatformFile make_calibrated_file(const std::vector<NodeReport>& nodes, std::size_t best,
                                  const StarMeasures& measures,
                                  const std::vector<WorkerFigures>& figures,
                                  const PerWorker<std::vector<SpeedSample>>& speeds);

/// Returns the sum over the workers of the highest measured speed in flop/s: that of the fastest
/// series of block updates among the samples of the file (warm, in a chunk, or alone; any block
/// size), each by its median. Cold updates, links and speed functions do not count. Returns nullopt
/// if a worker has no such series, 0 for a file without workers.
std::optional<double> measured_peak_flops(const PlatformFile& file);

}  // namespace starport::mpi
