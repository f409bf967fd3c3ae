#include "sim/star/metrics.hpp"

namespace starport {

Metrics MetricsMeter::metrics() const {
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

Metrics metrics_of(const Platform& platform, const Trace& trace) {
  MetricsMeter meter(platform.workers.size());
  for (const auto& [transfer, dates] : trace) meter.add(message_of(transfer), dates);
  return meter.metrics();
}

}  // namespace starport
