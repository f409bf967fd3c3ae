// Collects the durations of the messages and updates of chunks, and selects the time spans in which
// the machines had a steady speed.
#pragma once

#include "sim/mpi/execution/time_breakdown.hpp"
#include "sim/platform/calibration.hpp"
#include "sim/platform/per_worker.hpp"
#include "sim/star/trace.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace starport::mpi {

/// The number of samples, means over some time, that are kept of a series.
inline constexpr std::size_t kMaxSamples = 40;
/// The number of updates of each chunk that is measured.
inline constexpr std::int32_t kUpdatesPerChunk = 8;
/// The number of updates of a chunk in a large product. The first update of a chunk, on blocks that
/// have just arrived, takes up to 15 % longer. It is weighted as one of this many.
inline constexpr std::int32_t kTypicalUpdatesPerChunk = 64;

/// The duration of an update of a chunk.
struct UpdateSample {
  std::int64_t rows;     ///< height of the chunk, in blocks
  std::int64_t columns;  ///< width of the chunk, in blocks
  double seconds;        ///< duration of the update divided by the blocks of the chunk

  std::int64_t blocks() const { return rows * columns; }
};

/// The steadiness of the speed of a worker, from its updates of the largest chunk.
struct Steadiness {
  double low_s = 0;               ///< lowest median of a time span, per block update
  double high_s = 0;              ///< highest median of a time span, per block update
  std::int64_t spans = 0;         ///< time spans measured
  std::int64_t steady_spans = 0;  ///< time spans that count (find_steady_spans)
};

/// The durations of messages and updates of all workers, from their steady spans.
struct LinkMeasures {
  std::vector<Calibration::Link> links;            ///< samples are means over some time
  PerWorker<std::vector<UpdateSample>> updates{};  ///< empty if only links were measured
  PerWorker<Steadiness> steadiness{};
  double lasted_s = 0;  ///< duration of the steady spans, averaged over the workers

  /// Returns the share of spans that are steady, averaged over the workers.
  double steady_share() const;
};

/// Collects durations by time span. A machine that is slow for a while is slow in some of the
/// spans, which then do not count.
class ChunkSeries {
 public:
  explicit ChunkSeries(std::size_t workers) : update_ends_s_(workers) {
    is_first_update_.assign(workers, 0);
  }

  /// Starts the next time span. Must be called before the first add().
  void start_span();
  /// Adds a round of chunks to the current span: its trace, and by transfer the port times and the
  /// durations of the updates (see Master). Rounds must be added in the order in which they were
  /// run. With `counts` false, a round is not measured, but later ones may depend on its updates.
  void add(const Trace& trace, const std::vector<PortTime>& times,
           const std::vector<double>& update_times_s, bool counts);

  /// Returns the durations in the steady spans of each worker. `block_bytes` is the size of a
  /// block.
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

/// Returns which of the values, medians of time spans, are steady: the largest group whose values
/// differ by at most 10 %; of groups of the same size, the one with the lowest values.
std::vector<bool> find_steady_spans(const std::vector<double>& medians);

}  // namespace starport::mpi
