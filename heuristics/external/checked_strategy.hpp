// Checks of what strategies of others decide for tile tasks.
#pragma once

#include "sim/tiles/platform.hpp"
#include "sim/tiles/strategy.hpp"
#include "sim/tiles/task_graph.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace starport::tiles {

/// A strategy that passes its calls on to a strategy of somebody else and checks what push(), pop()
/// and steal() return, so that a wrong decision ends the run with SimulationError instead of
/// undefined behaviour. Owned by the Scheduler of the run.
class CheckedStrategy final : public Strategy {
 public:
  /// Takes the strategy to check, which must not be null (undefined behaviour otherwise). The
  /// objects that `context` refers to must outlive this object.
  CheckedStrategy(const StrategyContext& context, std::unique_ptr<Strategy> strategy);

  /// Passes the task that became ready at `now_s` (in seconds, simulated or with StarPU since the
  /// start of the product) on to the checked strategy's push() and returns its answer: the index of
  /// a worker from 0, or nullopt if the strategy keeps the task for a later pop() or steal().
  /// Throws SimulationError if that worker does not exist or has stopped; exceptions of the
  /// strategy pass through.
  std::optional<int> push(const Task& task, double now_s) override;
  /// Returns the checked strategy's answer: a task that it has stored since push() and that
  /// `worker` (index from 0) is to run; nullopt if it has none. Throws SimulationError if that task
  /// is not ready or has been assigned before; exceptions of the strategy pass through.
  std::optional<Task> pop(int worker) override {
    return check_task(worker, strategy_->pop(worker));
  }
  /// Returns the checked strategy's answer: a task that it has stored since push() for others and
  /// that `worker` (index from 0) takes over; nullopt if there is none. Throws SimulationError if
  /// that task is not ready or has been assigned before; exceptions of the strategy pass through.
  std::optional<Task> steal(int worker) override {
    return check_task(worker, strategy_->steal(worker));
  }
  std::optional<Task> choose_planned(int worker) override {
    return strategy_->choose_planned(worker);
  }
  std::int64_t eviction_rank(int node, Tile tile) const override {
    return strategy_->eviction_rank(node, tile);
  }
  void on_task_end(int worker, const Task& task, double now_s) override {
    strategy_->on_task_end(worker, task, now_s);
  }
  void on_worker_stop(int worker) override;
  void on_copy_change(int node, Tile tile) override { strategy_->on_copy_change(node, tile); }
  void on_copy_arrival(int node, Tile tile) override { strategy_->on_copy_arrival(node, tile); }

 private:
  std::optional<Task> check_task(int worker, const std::optional<Task>& task);

  StrategyContext context_;
  std::unique_ptr<Strategy> strategy_;
  std::vector<std::int32_t> stored_;  ///< by target: the k of its task that the strategy stores
  std::vector<bool> stopped_;         ///< by worker
};

/// Checks an allocation made by external code. Throws SimulationError if it is for a product of
/// another size, if its number of entries is neither r s (tiles of C) nor r s t (updates), or if an
/// entry is not the number, from 0, of a memory node of the platform that has a worker.
void check_allocation(const Platform& platform, const ProductSize& size,
                      const Allocation& allocation);

}  // namespace starport::tiles
