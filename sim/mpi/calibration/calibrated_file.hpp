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

/// The figures of one worker for its platform file, as estimate_figures() estimates them from its
/// samples: bandwidth (bytes/s) and latency (s) of its link and duration (s) of a block update,
/// with half the widths of their 95 % intervals, relative to the figures (0.05: +-5 %; infinite:
/// too few samples).
struct WorkerFigures {
  /// Bandwidth (bytes/s) and latency (s) of the worker's link to the master while all workers are
  /// in use; for distributed products, if possible only while the worker itself does not compute.
  FittedLink link;
  /// Half the width of the 95 % interval of the durations of messages, as a fraction of them (0.05:
  /// +-5 %); infinity if there are too few samples.
  double link_half_width = 0;
  /// Mean duration in seconds of one block update of the worker, within the largest chunk
  /// (rectangle of C) measured.
  double update_s = 0;
  /// Half the width of the 95 % interval of `update_s`, as a fraction of it (0.05: +-5 %); infinity
  /// if there are too few samples.
  double update_half_width = 0;
};

/// The use that a platform file is calibrated for: schedules on a star, whose workers compute while
/// they communicate, or distributed products, whose workers do not.
enum class CalibratedUse : std::uint8_t { star, distributed };

/// Returns the series of messages in `measures` (each of one worker, one size and one kind, with
/// durations in seconds) that occur in the use `use` of a platform file: all of them on a star, for
/// distributed products only those of messages of C, which arrive while their worker does not
/// compute. A worker whose messages of C all have one size keeps its messages of A and B too, since
/// fitting a link needs two sizes.
std::vector<Calibration::Link> links_for(const LinkMeasures& measures, CalibratedUse use);

/// Estimates the figures of all workers, by index from 0: bandwidth (bytes/s) and latency (s) of
/// the link, mean duration (s) of a block update, and two half-widths of 95 % intervals, as
/// fractions (0.05: +-5 %; infinity: too few samples): one of the durations of messages, for the
/// link as a whole, and one of the duration of an update. The link is fitted to the messages that
/// links_for() returns for `use`. Requires for each worker updates and messages of at least two
/// sizes; otherwise the behaviour is undefined.
std::vector<WorkerFigures> estimate_figures(const LinkMeasures& measures, CalibratedUse use);

/// Returns the durations in seconds of one block update in chunks (rectangles of C on a worker) of
/// exactly `blocks` blocks, updated by `inner` columns of A and rows of B at once; in the order of
/// `samples`, as at most kMaxSamples means of consecutive samples. Empty if there are none.
std::vector<double> block_update_times_s(const std::vector<UpdateSample>& samples,
                                         std::int64_t blocks, std::int64_t inner = 1);
/// Returns the durations in seconds of one block update in the largest chunk (rectangle of C on a
/// worker) measured, in the order of `samples`, as at most kMaxSamples means of consecutive
/// samples. Updates of smaller chunks count too, scaled to the mean of the largest one. Only
/// updates by one column of A (inner == 1) count; empty if there are none.
std::vector<double> largest_update_times_s(const std::vector<UpdateSample>& samples);

/// Returns the figures of the workers as a text table: the times of a block of q x q elements of
/// `type` on the link (c_i) and of a block update (w_i), each with half the width of its 95 %
/// interval, the latency, and the speed in Gflop/s. Times have units. One line of headings and one
/// per worker; each ends in a newline.
std::string figures_table(const std::vector<WorkerFigures>& figures, std::int64_t q,
                          ElementType type);

/// The name of one figure of a worker (c_i of its link, or w_i of its block updates) and the width
/// of its 95 % interval, without its value; the result of least_certain_figure().
struct UncertainFigure {
  /// Name of the figure: "c_2" for the link of the second worker, "w_2" for its block updates;
  /// empty without workers.
  std::string name;
  /// Half the width of the 95 % interval of the figure, divided by the figure (0.05: +-5 %);
  /// infinity if there are too few samples.
  double half_width = 0;
};
/// Returns, of the bandwidths and durations of block updates of all workers, the name of the figure
/// whose 95 % interval is widest relative to its value, and half that relative width (0.05: +-5 %;
/// infinity: too few samples); of equally wide ones, the last in the order c_1, w_1, c_2, w_2, ...
/// With empty `figures`, the name is empty and the half-width 0.
UncertainFigure least_certain_figure(const std::vector<WorkerFigures>& figures);

/// Returns the index, in the list NodeReport::dgemm, of the block size for all workers: the
/// smallest one at which the sum of the workers' speeds, in flop/s by the medians of update_s, is
/// at least 97 % of the highest such sum. `nodes` must not be empty, and all must have measured the
/// same block sizes in the same order, with samples in each update_s; otherwise the behaviour is
/// undefined.
std::size_t best_common_block_size(const std::vector<NodeReport>& nodes);

/// Returns the bytes of memory for matrix blocks of each worker, in the order of their reports
/// `nodes`: NodeReport::memory_bytes divided by the number of reports with the same host name,
/// whose workers share it equally.
std::vector<double> memory_per_worker(const std::vector<NodeReport>& nodes);

/// Makes the contents of a platform file from the measurements; writes nothing. Path, name and
/// provenance are left to the caller. `nodes`, `figures` and, unless it is empty, `speeds` have one
/// element per worker, at least one. `best` is the index, from 0, of the block size in
/// NodeReport::dgemm (best_common_block_size()). With `speeds` (durations of updates by size), the
/// file is for distributed products and gets these speed functions; if `speeds` is empty, it is for
/// a star, and each worker gets a speed function by the size of a chunk, from `measures`, extended
/// at constant speed to the largest chunk that its memory holds; none if that is a single size.
/// Requires updates of each worker in `measures`. None of these requirements is checked; otherwise
/// the behaviour is undefined.
PlatformFile make_calibrated_file(const std::vector<NodeReport>& nodes, std::size_t best,
                                  const LinkMeasures& measures,
                                  const std::vector<WorkerFigures>& figures,
                                  const PerWorker<std::vector<SpeedSample>>& speeds);

/// Returns the sum over the workers of the highest measured speed in flop/s: that of the fastest
/// series of block updates, each by its median, among the samples of the file (warm_s, update_s and
/// alone_s of Calibration::Dgemm, of any block size). Speed functions do not count. Returns nullopt
/// if a worker has no such series, 0 for a file without workers.
std::optional<double> measured_peak_flops(const PlatformFile& file);

}  // namespace starport::mpi
