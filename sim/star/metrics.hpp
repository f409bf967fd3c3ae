// Metrics of a run (PPoPP'08, section 6.3), computed from its messages and their dates.
#pragma once

#include "sim/star/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace starport {

/// Metrics of one worker in a run.
struct WorkerMetrics {
  std::int64_t blocks_moved = 0;  ///< blocks sent to the worker and returned by it
  std::int64_t block_updates =
      0;                      ///< completed updates: lost ones not counted, repeated ones twice
  double link_busy_s = 0;     ///< total duration of its transfers
  double compute_busy_s = 0;  ///< total duration of its updates
};

/// Metrics of a whole run.
struct Metrics {
  double makespan_s = 0;              ///< date at which the last transfer of C to the master ends
  std::int64_t enrolled_workers = 0;  ///< workers that moved at least one block
  std::int64_t blocks_moved = 0;      ///< in both directions
  std::int64_t block_updates = 0;     ///< completed updates of all workers
  /// Mean number of simultaneous transfers over the makespan. On one port, the share of the
  /// makespan during which the port is busy.
  double port_utilisation = 0;
  double send_utilisation = 0;     ///< port_utilisation by transfers to workers
  double receive_utilisation = 0;  ///< port_utilisation by transfers to the master
  double ccr = 0;  ///< communication-to-computation ratio: blocks moved per block update
  std::vector<WorkerMetrics> workers;
};

/// Accumulates the metrics of a run message by message.
class MetricsAccumulator {
 public:
  explicit MetricsAccumulator(std::size_t workers) { metrics_.workers.resize(workers); }
  /// Adds a message that has been carried out. `message.worker` must be below `workers`.
  void add(const Message& message, const Dates& dates) {
    WorkerMetrics& worker = metrics_.workers[static_cast<std::size_t>(message.worker)];
    const double link_s = dates.end_s - dates.start_s;
    if (dates.fate != Fate::lost) worker.blocks_moved += message.blocks;
    if (dates.fate == Fate::complete) worker.block_updates += message.block_updates;
    if (dates.fate == Fate::complete && message.direction == Direction::to_master) {
      returned_blocks_ += message.blocks;
    }
    worker.link_busy_s += link_s;
    worker.compute_busy_s += dates.update_end_s - dates.update_start_s;
    if (message.direction == Direction::to_worker) {
      sends_s_ += link_s;
    } else {
      receptions_s_ += link_s;
      metrics_.makespan_s = std::max(metrics_.makespan_s, dates.end_s);
    }
  }
  /// Sums over a complete run, computed outside this class.
  struct Totals {
    double sends_s = 0;       ///< total duration of transfers to workers
    double receptions_s = 0;  ///< total duration of transfers to the master
    double makespan_s = 0;
    std::int64_t returned_blocks = 0;  ///< blocks of C that reached the master
    std::vector<WorkerMetrics> workers = {};
  };
  /// Replaces everything accumulated so far by `totals`.
  void set_totals(Totals totals) {
    sends_s_ = totals.sends_s;
    receptions_s_ = totals.receptions_s;
    returned_blocks_ = totals.returned_blocks;
    metrics_.makespan_s = totals.makespan_s;
    metrics_.workers = std::move(totals.workers);
  }
  /// Returns the number of blocks of C that have reached the master so far.
  std::int64_t returned_blocks() const { return returned_blocks_; }
  /// Returns the metrics of the messages added so far; ratios are NaN or infinite for an empty run.
  Metrics metrics() const {
    Metrics metrics = metrics_;
    for (const WorkerMetrics& worker : metrics.workers) {
      metrics.enrolled_workers += worker.blocks_moved > 0;
      metrics.blocks_moved += worker.blocks_moved;
      metrics.block_updates += worker.block_updates;
    }
    metrics.send_utilisation = sends_s_ / metrics.makespan_s;
    metrics.receive_utilisation = receptions_s_ / metrics.makespan_s;
    metrics.port_utilisation = (sends_s_ + receptions_s_) / metrics.makespan_s;
    metrics.ccr =
        static_cast<double>(metrics.blocks_moved) / static_cast<double>(metrics.block_updates);
    return metrics;
  }

 private:
  Metrics metrics_;
  double sends_s_ = 0;
  double receptions_s_ = 0;
  std::int64_t returned_blocks_ = 0;
};

/// Returns the metrics of a trace on `platform`.
inline Metrics compute_metrics(const Platform& platform, const Trace& trace) {
  MetricsAccumulator meter(platform.workers.size());
  for (const auto& [transfer, dates] : trace) meter.add(to_message(transfer), dates);
  return meter.metrics();
}

}  // namespace starport
