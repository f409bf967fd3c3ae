// How long things take: the platform's figures, and what noise makes of them.
#pragma once

#include "sim/platform/noise/noise.hpp"
#include "sim/tiles/link_directions.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/task_graph.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace starport::tiles {

/// Under noise the same task has the same factor whoever computes it and whenever, and so has the
/// same transfer: strategies and engines are compared on the same draw.
class ActivityDurations {
 public:
  /// All outlive it.
  ActivityDurations(const Platform& platform, const TaskGraph& graph, const Noise& noise);

  double task_end_s(int worker, const Task& task, double start_s) const {
    const Worker& at = platform_.worker(worker);
    const double length = task_time_s(at, graph_.is_reduction(task));
    return noise_ ? noisy_end_s(at, task, start_s, length) : start_s + length;
  }
  double transfer_end_s(const Transfer& transfer, double start_s) const {
    return noise_ ? noisy_end_s(transfer, start_s)
                  : start_s + transfer_time_s(platform_, transfer.from, transfer.to);
  }
  /// When the worker takes its last task; infinity unless it stops.
  double stop_s(int worker) const;
  /// The workers that stop before the run-time system has started.
  std::vector<int> stopped_at_start() const;

 private:
  double noisy_end_s(const Worker& worker, const Task& task, double start_s, double length) const;
  double noisy_end_s(const Transfer& transfer, double start_s) const;

  const Platform& platform_;
  const TaskGraph& graph_;
  std::unique_ptr<const starport::Platform> star_;  ///< what the noise is drawn for
  std::optional<DrawnNoise> noise_;
};

}  // namespace starport::tiles
