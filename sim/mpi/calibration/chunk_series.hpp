// What messages and updates of chunks took while they were measured, and when they were steady.
#pragma once

#include "sim/mpi/execution/port_time.hpp"
#include "sim/platform/calibration.hpp"
#include "sim/platform/per_worker.hpp"
#include "sim/star/trace.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace starport::mpi {

inline constexpr std::size_t kMostSamples = 40;  ///< kept of a series
inline constexpr std::int32_t kSteps = 8;        ///< updates of a chunk that is measured
/// As many as they have in large products. The first, on blocks that have just come, takes longer
/// (15% were seen), and counts as it does among so many.
inline constexpr std::int32_t kUsualSteps = 64;

/// What an update of a chunk of that size took, by block update.
struct UpdateSample {
  std::int64_t rows;
  std::int64_t columns;
  double seconds;

  std::int64_t blocks() const { return rows * columns; }
};

/// Of a worker, over the spans of time in which it was measured: a block update of its largest
/// chunk, the lowest and the highest median; and how many of the spans are steady.
struct Steadiness {
  double low_s = 0;
  double high_s = 0;
  std::int64_t spans = 0;
  std::int64_t steady = 0;
};

struct LinkMeasures {
  std::vector<Calibration::Link> links;            ///< means over some time each
  PerWorker<std::vector<UpdateSample>> updates{};  ///< meanwhile
  PerWorker<Steadiness> steadiness{};
  double lasted_s = 0;  ///< the steady spans, in the mean of the workers

  double steady_share() const;
};

/// By spans of time: a machine that is slow for a while is so in some of them.
class ChunkSeries {
 public:
  explicit ChunkSeries(std::size_t workers) : update_ends_s_(workers) { fresh_.assign(workers, 0); }

  void begin_span();
  /// Of a round of chunks, whose workers have had others before, with what the master says of its
  /// transfers and their updates; `counts`: into the span.
  void add(const Trace& trace, const std::vector<PortTime>& times,
           const std::vector<double>& update_times_s, bool counts);

  /// Of each worker by its steady spans: the most whose median updates differ by 10% at most.
  LinkMeasures measures(std::int64_t block_bytes) const;

 private:
  struct Ways {
    std::vector<double> there;
    std::vector<double> home;
  };
  /// Of one worker.
  struct Span {
    std::map<std::pair<std::int64_t, bool>, Ways> ways;  ///< by blocks, and if of A and B
    std::vector<UpdateSample> updates;
  };

  void add_update(const Transfer& transfer, double update_time_s, bool firsts_count);
  void add_ways(std::int64_t worker, const std::vector<const Span*>& spans,
                std::int64_t block_bytes, std::vector<Calibration::Link>& links) const;

  std::vector<std::vector<double>> update_ends_s_;  ///< by worker, of all its updates
  std::vector<PerWorker<Span>> spans_;
  PerWorker<char> fresh_;  ///< whether the next update is the first of its chunk
  std::int64_t rounds_ = 0;
};

/// Which of the values, medians of spans of time, are the most that differ by 10% at most; of as
/// many, the lowest.
std::vector<bool> steady_spans(const std::vector<double>& medians);

}  // namespace starport::mpi
