// What is reported of a run (PPoPP'08 section 6.3), computed from its trace alone.
#pragma once

#include "sim/star/trace.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace starport {

struct WorkerMetrics {
  std::int64_t blocks_moved = 0;
  std::int64_t block_updates = 0;  ///< those that a stop cut off not counted, repeated ones twice
  double link_busy_s = 0;          ///< its transfers
  double compute_busy_s = 0;       ///< its updates
};

struct Metrics {
  double makespan_s = 0;              ///< the end of the last block of C that comes home
  std::int64_t enrolled_workers = 0;  ///< that take part in a transfer
  std::int64_t blocks_moved = 0;      ///< both ways
  std::int64_t block_updates = 0;
  /// The mean number of transfers at once over the makespan: on one port, the share of it during
  /// which the port is busy.
  double port_utilisation = 0;
  double send_utilisation = 0;     ///< the same of those to workers
  double receive_utilisation = 0;  ///< and of those back
  double ccr = 0;                  ///< communication-to-computation ratio, blocks per block update
  std::vector<WorkerMetrics> workers;
};

/// Adds up a run as it goes.
class MetricsMeter {
 public:
  explicit MetricsMeter(std::size_t workers) { metrics_.workers.resize(workers); }
  void add(const Message& message, const Dates& dates) {
    WorkerMetrics& worker = metrics_.workers[static_cast<std::size_t>(message.worker)];
    const double link_s = dates.end_s - dates.start_s;
    if (dates.fate != Fate::lost) worker.blocks_moved += message.blocks;
    if (dates.fate == Fate::complete) worker.block_updates += message.block_updates;
    if (dates.fate == Fate::complete && message.direction == Direction::to_master) {
      blocks_home_ += message.blocks;
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
  /// What somebody else has added up in the same way, of each worker, who had
  /// done nothing before.
  struct Totals {
    double sends_s = 0;
    double receptions_s = 0;
    double makespan_s = 0;
    std::int64_t blocks_home = 0;
    std::vector<WorkerMetrics> workers = {};
  };
  void take(Totals totals) {
    sends_s_ = totals.sends_s;
    receptions_s_ = totals.receptions_s;
    blocks_home_ = totals.blocks_home;
    metrics_.makespan_s = totals.makespan_s;
    metrics_.workers = std::move(totals.workers);
  }
  std::int64_t blocks_home() const { return blocks_home_; }  ///< of C, so far
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
  std::int64_t blocks_home_ = 0;
};

inline Metrics metrics_of(const Platform& platform, const Trace& trace) {
  MetricsMeter meter(platform.workers.size());
  for (const auto& [transfer, dates] : trace) meter.add(message_of(transfer), dates);
  return meter.metrics();
}

}  // namespace starport
