#include "sim/report/metrics.hpp"

#include <algorithm>

namespace starport {

Metrics metrics_of(const Platform& platform, const Trace& trace) {
  Metrics metrics;
  metrics.workers.resize(platform.workers.size());
  double port_busy_s = 0;
  for (const auto& [transfer, dates] : trace) {
    WorkerMetrics& worker = metrics.workers[static_cast<std::size_t>(transfer.worker)];
    worker.blocks_moved += transfer.blocks();
    worker.block_updates += transfer.update.block_updates();
    worker.link_busy_s += dates.end_s - dates.start_s;
    worker.compute_busy_s += dates.update_end_s - dates.update_start_s;
    port_busy_s += dates.end_s - dates.start_s;
    if (transfer.direction == Direction::to_master) {
      metrics.makespan_s = std::max(metrics.makespan_s, dates.end_s);
    }
  }
  for (const WorkerMetrics& worker : metrics.workers) {
    metrics.enrolled_workers += worker.blocks_moved > 0;
    metrics.blocks_moved += worker.blocks_moved;
    metrics.block_updates += worker.block_updates;
  }
  metrics.port_utilisation = port_busy_s / metrics.makespan_s;
  metrics.ccr =
      static_cast<double>(metrics.blocks_moved) / static_cast<double>(metrics.block_updates);
  return metrics;
}

}  // namespace starport
