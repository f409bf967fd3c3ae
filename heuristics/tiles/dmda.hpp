// StarPU's dmda scheduler (ICPP'18, section 4.2.2; StarPU 1.3).
#pragma once

#include "sim/tiles/strategy.hpp"

#include <vector>

namespace starport::tiles {

/// DMDA (a scheduler of StarPU), a Strategy: push() assigns each task, as soon as it is ready, to
/// the worker that is expected to end it first, counting its nominal duration, the tasks assigned
/// before and the transfers of its absent operands (tiles that it uses); stopped workers do not
/// count. The worker with the lower index wins ties. pop() returns nothing, since no task waits to
/// be chosen. Made per run by a StrategyMaker; called by the Runtime.
class Dmda : public Strategy {
 public:
  /// Starts with no load expected on any worker. The objects that `context` refers to (platform,
  /// task graph, copies of tiles) must outlive this object. The platform must have a worker,
  /// otherwise push() is undefined behaviour; if all have stopped, push() assigns to worker 0.
  /// push() throws std::bad_optional_access for a reduction task if a worker has no
  /// Worker::reduction_s.
  explicit Dmda(const StrategyContext& context);

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int /*worker*/) override { return std::nullopt; }
  void on_task_end(int worker, const Task& task, double now_s) override;
  void on_worker_stop(int worker) override;

 private:
  /// Expected load of one worker.
  struct Expectation {
    double end_s = 0;         ///< E_w, date at which all its assigned tasks end
    double queued_s = 0;      ///< total duration of its tasks that have not ended
    std::int64_t queued = 0;  ///< number of its tasks that have not ended
    bool stopped = false;
  };

  double task_duration_s(int worker, const Task& task) const;
  double transfer_penalty_s(int node, const Operands& operands) const;

  StrategyContext context_;
  std::vector<Expectation> expectations_;  ///< by worker
};

}  // namespace starport::tiles
