// Strategies of others for tile tasks: how they become algorithms, and what is checked of their
// decisions (heuristics/PROTOCOL.md).
#pragma once

#include "heuristics/registry.hpp"
#include "sim/tiles/strategy.hpp"
#include "sim/tiles/tile_algorithm.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace starport::tiles {

/// A strategy that passes its calls on to a strategy of somebody else and checks its decisions, so
/// that a wrong one ends the run with a message instead of undefined behaviour. Owned by the
/// Scheduler.
class CheckedStrategy final : public Strategy {
 public:
  /// Takes the strategy to check, which must not be null. The objects that `context` refers to must
  /// outlive this object.
  CheckedStrategy(const StrategyContext& context, std::unique_ptr<Strategy> strategy);

  /// Throws SimulationError if the worker that the strategy returns does not exist or has stopped.
  std::optional<int> push(const Task& task, double now_s) override;
  /// Throws SimulationError if the task that the strategy returns is none that it stores.
  std::optional<Task> pop(int worker) override {
    return check_task(worker, strategy_->pop(worker));
  }
  /// Throws SimulationError if the task that the strategy returns is none that it stores.
  std::optional<Task> steal(int worker) override {
    return check_task(worker, strategy_->steal(worker));
  }
  /// Throws SimulationError if the strategy returns a position before `first` or past the queue.
  std::size_t choose_planned(int worker, const std::deque<AssignedTask>& queue,
                             std::size_t first) override;
  std::int64_t eviction_rank(int node, Tile tile) const override {
    return strategy_->eviction_rank(node, tile);
  }
  void on_task_end(int worker, const Task& task, double now_s) override {
    strategy_->on_task_end(worker, task, now_s);
  }
  void on_worker_stop(int worker) override;
  void on_copy_change(int node, Tile tile) override { strategy_->on_copy_change(node, tile); }

 private:
  std::optional<Task> check_task(int worker, const std::optional<Task>& task);

  StrategyContext context_;
  std::unique_ptr<Strategy> strategy_;
  std::vector<std::int32_t> stored_;  ///< by target: the k of its task that the strategy stores
  std::vector<bool> stopped_;         ///< by worker
};

/// The plan of somebody else's code for tile tasks: a static allocation, or decisions at run time.
struct ExternalPlan {
  /// Static allocation of the tasks to memory nodes; empty if tasks are assigned at run time.
  std::optional<Allocation> allocation{};
  /// Makes the strategy that decides at run time; unused with an allocation, otherwise not empty.
  StrategyMaker decisions{};
};

/// Throws SimulationError unless the allocation has as many entries as C has tiles, or as there are
/// tasks, each a memory node with a worker.
void check_allocation(const Platform& platform, const ProductSize& size,
                      const Allocation& allocation);

/// Function that plans the tasks of a product on a platform: of a program, or in Python. Called in
/// a child process, before the run and, if it gives no allocation, in the run.
using MakeExternalPlan =
    std::function<ExternalPlan(const Platform& platform, const ProductSize& size)>;

/// Returns the registry entry of plans of somebody else, whose allocations and decisions are
/// checked. The parameters of the run-time system, and `strategy`, the built-in strategy that
/// executes an allocation, are added to those of `about`; `make_plan` gets the others.
Entry<TileAlgorithm> make_external_entry(
    AlgorithmEntry about, std::function<MakeExternalPlan(const ParameterTexts&)> make_plan);

/// Function that makes the strategy of a run with the parameters that were given for it.
using MakeStrategy =
    std::function<std::unique_ptr<Strategy>(const StrategyContext&, const ParameterTexts&)>;
/// Returns the registry entry of a strategy in C++, with the parameters of the run-time system
/// added to those of `about`. Decisions of the strategies that `make` returns are checked.
/// `allocate`, if it is not empty, gives the static allocation; its result is checked, too.
Entry<TileAlgorithm> make_external_entry(AlgorithmEntry about, MakeStrategy make,
                                         Allocate allocate);

/// Returns the registry entry `exec-tiles:PROGRAM`, which stands for all programs that schedule
/// tile tasks.
Entry<TileAlgorithm> make_program_entry();

/// Returns the first message of a conversation about tile tasks: "protocol", "model", "platform" in
/// seconds, "problem" in tiles and "parameters"; heuristics/protocol.schema.json is its schema.
/// Workers are in the order of the platform file.
nlohmann::ordered_json make_question(const Platform& platform, const ProductSize& size,
                                     const ParameterTexts& parameters);

/// When an external strategy is asked for a decision.
enum class DecisionPoint : std::uint8_t {
  idle,  ///< a worker has room for a task: which one?
  ready  ///< a task is ready: which worker gets it?
};
/// The answer to the first message about tile tasks, as read_answer() reads it.
struct StrategyAnswer {
  /// Static allocation, if the answer has one; then the rest means nothing.
  std::optional<Allocation> allocation{};
  /// When the strategy is asked.
  DecisionPoint decides = DecisionPoint::idle;
  /// True if the strategy wants to be told which memory nodes have copies of which tiles.
  bool copies = false;
};
/// Converts the answer to make_question(). Throws InputError, without a file name, if it is
/// malformed, and NotApplicable if the heuristic declines.
StrategyAnswer read_answer(const nlohmann::json& answer, const Platform& platform,
                           const ProductSize& size);

}  // namespace starport::tiles
