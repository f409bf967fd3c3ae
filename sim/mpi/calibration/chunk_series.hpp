// Collects the durations of the messages and updates of chunks, and selects the time spans in which
// the machines had a steady speed.
#pragma once

#include "sim/mpi/execution/time_breakdown.hpp"
#include "sim/platform/calibration.hpp"
#include "sim/platform/platform.hpp"
#include "sim/star/trace.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace starport::mpi {

/// The largest number of samples (measured durations) that are stored of a series of repetitions;
/// longer series are reduced to means of consecutive durations.
inline constexpr std::size_t kMaxSamples = 40;
/// The number of updates of each chunk (rectangle of C on a worker) in a measurement.
inline constexpr std::int32_t kUpdatesPerChunk = 8;
/// The number of updates of a chunk that is assumed for a large product. The first update of a
/// chunk, on blocks that have just arrived, takes up to 15 % longer; in means it is weighted as one
/// of this number.
inline constexpr std::int32_t kTypicalUpdatesPerChunk = 64;

/// The measured duration of one update of a chunk (rectangle of C on a worker), as ChunkSeries
/// collects it.
struct UpdateSample {
  /// Height of the updated chunk (rectangle of C), in blocks.
  std::int64_t rows;
  /// Width of the updated chunk (rectangle of C), in blocks.
  std::int64_t columns;
  /// Duration of the update divided by the number of blocks of the chunk, in seconds.
  double seconds;

  /// Returns the number of blocks of the updated chunk (rectangle of C).
  std::int64_t blocks() const { return rows * columns; }
};

/// The steadiness of the speed of a worker during a measurement, which is divided into time spans,
/// from its updates of the largest chunk (rectangle of C), as ChunkSeries::measures() computes it.
struct Steadiness {
  /// Lowest of the medians, one per time span of the measurement, of the worker's durations of one
  /// block update, in seconds; all spans count, steady or not.
  double low_s = 0;
  /// Highest of the medians, one per time span of the measurement, of the worker's durations of one
  /// block update, in seconds; all spans count, steady or not.
  double high_s = 0;
  /// Number of time spans of the measurement with updates of the worker's largest chunk (rectangle
  /// of C).
  std::int64_t spans = 0;
  /// Number of time spans of the measurement, out of `spans`, in which the worker's speed was
  /// steady (find_steady_spans()).
  std::int64_t steady_spans = 0;
};

/// The measured durations of messages and updates of all workers: the result of measure_links(),
/// and of ChunkMeasurement::measure() and ChunkSeries::measures(), which use only the time spans in
/// which a worker's speed was steady. Owns its data.
struct LinkMeasures {
  /// Durations of messages in seconds: one series per worker (Link::worker, from 1), size and kind
  /// (C, or A and B), in the order of the workers. Each series has, per direction, at most
  /// kMaxSamples values, which are means of consecutive durations; those of A and B have none to
  /// the master.
  std::vector<Calibration::Link> links;
  /// Durations of single updates of each worker in its steady time spans, by index from 0; empty if
  /// only links were measured.
  PerWorker<std::vector<UpdateSample>> updates{};
  /// Steadiness of the speed of each worker over all time spans, by index from 0; empty if only
  /// links were measured.
  PerWorker<Steadiness> steadiness{};
  /// Wall time of the time spans in which a worker's speed was steady, averaged over the workers,
  /// in seconds; 0: not recorded.
  double lasted_s = 0;

  /// Returns the share (0 to 1) of time spans of the measurement in which a worker's speed was
  /// steady, averaged over the workers; NaN if `steadiness` is empty or a worker has no spans.
  double steady_share() const;
};

/// Collects the durations of messages and updates by time span of a measurement; first
/// start_span(), then add() for each round (a run in which each worker gets some chunks of C), then
/// measures(). A machine that is slow for a while is slow in some of the spans, which then do not
/// count. Copies the durations; keeps no reference to the traces.
class ChunkSeries {
 public:
  /// Creates an empty series of durations of messages and updates, without a time span, for this
  /// number of workers.
  explicit ChunkSeries(std::size_t workers) : update_ends_s_(workers) {
    is_first_update_.assign(workers, 0);
  }

  /// Starts the next time span of the measurement, to which later add() calls belong. Must be
  /// called before the first add() with `counts` true.
  void start_span();
  /// Adds a round (a run in which each worker gets some chunks, rectangles of C) to the current
  /// time span: its trace and, for each transfer of the trace, the time of the port and the
  /// duration of the update in seconds, as Master returns them after a run. Rounds must be added in
  /// the order in which they were run. With `counts` false, a round is not measured, but later ones
  /// may depend on its updates. Requires a span, a trace that is not empty, lists as long as the
  /// trace, and workers below the number of the constructor; not checked, undefined otherwise.
  void add(const Trace& trace, const std::vector<PortTime>& times,
           const std::vector<double>& update_times_s, bool counts);

  /// Returns the durations of messages and updates in the time spans in which each worker's speed
  /// was steady; lasted_s is left at 0. `block_bytes` is the size of a block in bytes. Requires an
  /// update of each worker in a round added with `counts` true; otherwise the behaviour is
  /// undefined. May be called after each round.
  LinkMeasures measures(std::int64_t block_bytes) const;

 private:
  /// Durations of messages of one kind and size, in seconds.
  struct DirectionTimes {
    std::vector<double> to_worker_s;
    std::vector<double> to_master_s;
  };
  /// The durations of one worker in one time span.
  struct Span {
    /// By number of blocks, and whether they are operands (A and B) rather than C.
    std::map<std::pair<std::int64_t, bool>, DirectionTimes> messages;
    std::vector<UpdateSample> updates;
  };

  void add_update(const Transfer& transfer, double update_time_s, bool first_counts);
  void add_links(std::int64_t worker, const std::vector<const Span*>& spans,
                 std::int64_t block_bytes, std::vector<Calibration::Link>& links) const;

  std::vector<std::vector<double>> update_ends_s_;  ///< ends of all updates, by worker
  std::vector<PerWorker<Span>> spans_;
  PerWorker<char> is_first_update_;  ///< the next update is the first one of its chunk
  std::int64_t rounds_ = 0;
};

/// Returns for each value, the median duration of a block update in one time span of a measurement,
/// whether the speed was steady then: whether it belongs to the largest group of values that differ
/// by at most 10 %; of groups of the same size, the one with the lowest values. Values must be
/// positive. Empty for an empty list.
std::vector<bool> find_steady_spans(const std::vector<double>& medians);

}  // namespace starport::mpi
