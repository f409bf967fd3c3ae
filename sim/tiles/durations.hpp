// Durations of tasks and transfers: the platform's nominal durations, perturbed by noise.
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

/// Rule for the dates at which tasks and transfers of tiles end: after the nominal durations of the
/// platform, changed by noise (random factors and slow-downs of workers). Stops of workers do not
/// change these dates; stop_s() gives them. The random number of a task depends on the task alone,
/// not on its worker or date, and that of a transfer on its tile and nodes, so that strategies and
/// engines are compared on the same random numbers. With measured variation (Variation::measured),
/// the factor made from a task's random number also depends on the worker's coefficient of
/// variation. All dates are simulated seconds.
class ActivityDurations {
 public:
  /// Prepares the computation of durations under `noise`, which is copied. `platform` and `graph`
  /// must outlive this object. Workers that the noise names by their index, from 0, in the platform
  /// file must exist (undefined behaviour otherwise). With measured variation
  /// (Variation::measured), a worker without Worker::update_cv does not vary.
  ActivityDurations(const Platform& platform, const TaskGraph& graph, const Noise& noise);

  /// Returns the simulated date in seconds at which `task` ends if `worker` (index in
  /// Platform::workers, from 0) starts it at `start_s`: after its nominal duration, changed by the
  /// noise (random factor and slow-downs), plus Platform::task_overhead_s, which noise does not
  /// change. Throws std::bad_optional_access for a reduction (addition of two tiles) on a worker
  /// without Worker::reduction_s. Stops of workers are ignored. A worker out of range is undefined
  /// behaviour.
  double task_end_s(int worker, const Task& task, double start_s) const {
    const Worker& resource = platform_.worker(worker);
    const double nominal_s = task_time_s(resource, graph_.is_reduction(task));
    return (noise_ ? noisy_end_s(worker, task, start_s, nominal_s) : start_s + nominal_s) +
           platform_.task_overhead_s;
  }
  /// Returns the simulated date in seconds at which `transfer` of a tile ends if it starts at
  /// `start_s` and shares no bandwidth with other transfers: after its nominal duration, latency
  /// included, changed by the noise (random factor, and slow-downs of the GPUs after the latency;
  /// of two GPUs the later end counts). Its two memory nodes must exist and differ, otherwise the
  /// behaviour is undefined.
  double transfer_end_s(const Transfer& transfer, double start_s) const {
    return noise_ ? noisy_end_s(transfer, start_s)
                  : start_s + transfer_time_s(platform_, transfer.from, transfer.to);
  }
  /// Returns the factor, above 0, by which noise multiplies the latency of `transfer` and the
  /// amount that it moves (nominally one tile), slow-downs aside; 1 without noise.
  double transfer_factor(const Transfer& transfer) const {
    return noise_ ? drawn_factor(transfer) : 1;
  }
  /// Returns the simulated date in seconds from which on `worker` (index in Platform::workers, from
  /// 0; out of range is undefined behaviour) starts no more tasks, since it stops (noise); infinity
  /// if it never stops.
  double stop_s(int worker) const;
  /// Returns the workers (indices in Platform::workers, from 0, ascending) that stop (noise) at or
  /// before Platform::start_up_s, the date at which the run-time system starts; empty if none does.
  std::vector<int> stopped_at_start() const;

 private:
  double noisy_end_s(int worker, const Task& task, double start_s, double nominal_s) const;
  double noisy_end_s(const Transfer& transfer, double start_s) const;
  double drawn_factor(int worker, const Task& task) const;
  double drawn_factor(const Transfer& transfer) const;

  const Platform& platform_;
  const TaskGraph& graph_;
  std::unique_ptr<const starport::Platform> star_;  ///< platform that the noise is drawn for
  std::optional<DrawnNoise> noise_;
  /// By worker, with measured variation: the noise with its coefficient of variation.
  std::vector<DrawnNoise> measured_noise_;
};

}  // namespace starport::tiles
