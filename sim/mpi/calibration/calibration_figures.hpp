// Estimates the figures of the workers from the measurements, and checks how reliable they are.
#pragma once

#include "sim/kernel/loopback.hpp"
#include "sim/kernel/node_calibration.hpp"
#include "sim/mpi/calibration/chunk_series.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace starport::mpi {

/// The measurements of a calibration.
struct StarMeasures {
  LinkMeasures loaded;  ///< links and updates while all workers communicate and compute
  LinkMeasures alone;   ///< links while nobody computes
};

/// The figures of one worker, estimated from its samples.
struct WorkerFigures {
  MeanLink link;                       ///< link while all workers communicate and compute
  FittedLink link_alone;               ///< link while nobody computes
  double update_s = 0;                 ///< mean duration of a block update, in its largest chunk
  MedianInterval update_interval_s{};  ///< 95 % interval of this mean
  Steadiness steadiness{};
};

/// Estimates the figures of all workers.
std::vector<WorkerFigures> estimate_figures(const StarMeasures& measures);

/// Returns the durations of block updates in chunks of `blocks` blocks, as means over some time.
std::vector<double> block_update_times_s(const std::vector<UpdateSample>& samples,
                                         std::int64_t blocks);
/// Returns the durations of block updates in the largest chunk measured, as means over some time.
/// `samples` must not be empty.
std::vector<double> largest_update_times_s(const std::vector<UpdateSample>& samples);
/// Returns the 95 % interval of the mean of the values.
MedianInterval mean_confidence_interval(const std::vector<double>& values);

/// Returns the figures as a table with one row per worker, under load and alone. `alone` are the
/// updates of each worker alone, with the block size of the platform file.
std::string figures_table(const std::vector<WorkerFigures>& figures,
                          const std::vector<Calibration::Dgemm>& alone, ElementType type);

/// A figure that may come out differently if it is measured again.
struct UnreliableFigure {
  std::string problem;
  std::string remedy;
};
/// The figures that have to be reliable. Distributed products do not use the links under load.
enum class CheckedFigures : std::uint8_t { updates, links_and_updates };
/// Returns the figures whose 95 % interval is wider than +-5 %, and the update times of workers
/// whose speed was not steady. In the first `attempt`, all time spans of a worker have to be
/// steady; in later ones, more than half.
std::vector<UnreliableFigure> find_unreliable_figures(const std::vector<WorkerFigures>& figures,
                                                      int attempt, CheckedFigures checked);
/// Returns a sentence about the time spans that do not count, since workers were slow; empty if all
/// count.
std::string describe_excluded_spans(const std::vector<WorkerFigures>& figures);

}  // namespace starport::mpi
