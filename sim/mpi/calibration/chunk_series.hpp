// Collects the durations of the messages and updates of chunks.
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
/// The number of updates, each by one column of A and one row of B, of a chunk (rectangle of C on a
/// worker) in a measurement. Larger squares get fewer, at least 2, where time is short. A column of
/// several blocks (keeps_a()) gets this number twice, then one update by this number of columns and
/// rows at once.
inline constexpr std::int32_t kUpdatesPerChunk = 8;

/// Returns true for a chunk (rectangle of C on a worker) of several blocks in one column; sizes are
/// in blocks. A measurement updates such a chunk three times by the same columns of A: first and
/// second by one column after another, third by all of them at once. The blocks of A arrive before
/// the first updates and stay, so that the durations of the first ones are left out and those of
/// the second and the third count.
inline bool keeps_a(std::int64_t rows, std::int64_t columns) { return columns == 1 && rows > 1; }

/// One measured duration: how long a worker took for an update of a chunk (rectangle of C), in
/// seconds per block update, and the size of that update in blocks. An element of
/// LinkMeasures::updates.
struct UpdateSample {
  /// Height of the updated chunk (rectangle of C), in blocks.
  std::int64_t rows;
  /// Width of the updated chunk (rectangle of C), in blocks.
  std::int64_t columns;
  /// Duration of the update, from when its blocks have arrived and the update before it has ended,
  /// divided by the number of its block updates, in seconds.
  double seconds;
  /// Number of columns of A and of rows of B, in blocks, that the update multiplies; the update has
  /// rows x columns x inner block updates.
  std::int64_t inner = 1;

  /// Returns the number of blocks of the updated chunk (rectangle of C).
  std::int64_t blocks() const { return rows * columns; }
};

/// The measured durations of messages and updates of all workers, from which the figures of a
/// platform file are estimated: the result of ChunkMeasurement::measure() and
/// ChunkSeries::measures(). Owns its data.
struct LinkMeasures {
  /// Durations of messages in seconds, each from when the port is free and the update that it waits
  /// for has ended: one series per worker (Link::worker, from 1), size and kind (C, or A and B), in
  /// the order of the workers. Each series has, per direction, at most kMaxSamples values, which
  /// are means of consecutive durations; those of A and B have none to the master. Messages for an
  /// update by several rows of B at once are not included.
  std::vector<Calibration::Link> links;
  /// Samples of the updates of each worker (in seconds per block update), by index from 0, in the
  /// order of measurement. The first update of a chunk, which takes longer, is included only in
  /// every eighth measured round, from the fifth on. Updates of a column of several blocks are not
  /// included if their blocks of A have just arrived (keeps_a()).
  PerWorker<std::vector<UpdateSample>> updates{};
  /// Wall time in seconds of the rounds of the measurement whose durations are included; 0: not
  /// recorded.
  double lasted_s = 0;
};

/// Collection of the durations of messages and updates of a measurement: first add() for each round
/// (a run in which each worker gets some chunks of C), then measures(). Copies the durations; keeps
/// no reference to the traces.
class ChunkSeries {
 public:
  /// Creates an empty collection of measured durations for a platform of `workers` workers, to be
  /// filled by add().
  explicit ChunkSeries(std::size_t workers) { workers_.resize(workers); }

  /// Adds a round (a run in which each worker gets some chunks, rectangles of C): its trace and,
  /// for each transfer of the trace, the time of the port and the duration of the update in
  /// seconds, as Master returns them after a run. Rounds must be added in the order in which they
  /// were run. With `counts` false, a round is not measured, but later ones may depend on its
  /// updates. Requires a trace that is not empty, lists as long as the trace, and workers below the
  /// number of the constructor; not checked, undefined behaviour otherwise.
  void add(const Trace& trace, const std::vector<PortTime>& times,
           const std::vector<double>& update_times_s, bool counts);

  /// Returns the durations of messages and updates of all rounds added with `counts` true; lasted_s
  /// is left at 0. `block_bytes` is the size of a block in bytes. May be called after each round.
  LinkMeasures measures(std::int64_t block_bytes) const;

 private:
  /// Durations of messages of one kind and size, in seconds.
  struct DirectionTimes {
    std::vector<double> to_worker_s;
    std::vector<double> to_master_s;
  };
  /// The durations of one worker.
  struct WorkerSeries {
    /// By number of blocks, and whether they are operands (A and B) rather than C.
    std::map<std::pair<std::int64_t, bool>, DirectionTimes> messages;
    std::vector<UpdateSample> updates;
    std::vector<double> update_ends_s;  ///< ends of all updates, also of rounds not counted
    bool next_update_is_first = false;  ///< the next update is the first one of its chunk
  };

  static void add_update(WorkerSeries& worker, const Transfer& transfer, double update_time_s,
                         bool first_counts);

  PerWorker<WorkerSeries> workers_;
  std::int64_t rounds_ = 0;
};

}  // namespace starport::mpi
