// The task run-time system as a state machine without a clock: an engine reports which activities
// end, and the runtime decides which ones start (ICPP'18, section 4; StarPU 1.3 for what the paper
// leaves open).
#pragma once

#include "sim/tiles/copies.hpp"
#include "sim/tiles/gpu_memory.hpp"
#include "sim/tiles/link_directions.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/strategy.hpp"
#include "sim/tiles/task_graph.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace starport::tiles {

/// Options of the run-time system.
struct RuntimeOptions {
  /// Tasks assigned to each worker in addition to the current one, whose operands are prefetched.
  int planned_tasks = 2;
  bool relay = false;           ///< route transfers from GPU to GPU through the hub
  bool limited_memory = false;  ///< respect the memory capacities of the platform

  bool operator==(const RuntimeOptions&) const = default;
};

/// Something whose end an engine reports: a task on a worker, a transfer in a link direction, or
/// the failure of a worker. The runtime starts tasks and transfers; the engine schedules failures.
struct Activity {
  enum class Kind : std::uint8_t { task, transfer, stop };
  Kind kind = Kind::task;
  std::int32_t resource = 0;  ///< the worker, or the link direction
};

/// A task in the queue of a worker.
struct AssignedTask {
  Task task{};
  bool stolen = false;  ///< assigned by Strategy::steal()
};

/// The removal of a valid copy from a GPU's memory, either to free space or, for a final tile of C,
/// because it has returned to the hub.
struct Eviction {
  Tile tile = 0;
  std::int32_t node = 0;

  bool operator==(const Eviction&) const = default;
};

/// Dispatches ready tasks to workers through a strategy, prefetches their operands and keeps track
/// of all copies. After each call, the engine reads and clears `started` and `evictions`.
class Runtime {
 public:
  /// Keeps references to `platform` and `graph`.
  Runtime(const Platform& platform, const TaskGraph& graph, const StrategyMaker& strategy,
          const RuntimeOptions& options, std::uint64_t seed);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Pushes the initial tasks at date `now_s`. Workers in `stopped` have failed before and get
  /// none.
  void start(double now_s, const std::vector<int>& stopped = {});
  /// Handles the end of an activity at date `now_s`: assigns ready tasks and starts transfers.
  void handle_end(const Activity& activity, double now_s);

  /// Tasks and transfers that have started, in order. The caller clears it.
  std::vector<Activity> started{};
  /// Copies removed from GPU memories, in order. The caller clears it.
  std::vector<Eviction> evictions{};

  /// Returns the task at the head of the worker's queue. The queue must not be empty.
  const AssignedTask& current_task(int worker) const { return queue(worker).tasks.front(); }
  /// Returns the transfer that a link direction carries.
  const Transfer& transfer(int direction) const { return directions_.carried(direction); }
  /// True if all tasks and all started transfers have ended.
  bool is_complete() const {
    return dependencies_.remaining_tasks() == 0 && directions_.active_transfers() == 0;
  }
  /// Explains why nothing can start although the run is not complete, as part of an error message.
  std::string describe_deadlock() const;

 private:
  /// The tasks assigned to a worker.
  struct WorkerQueue {
    std::deque<AssignedTask> tasks{};  ///< the current task, then the planned ones
    bool running = false;
    bool stopped = false;
  };

  void push(const Task& task, double now_s);
  void assign_tasks();
  using Hook = std::optional<Task> (Strategy::*)(int);
  bool assign_one_task(Hook hook);
  void enqueue(int worker, const AssignedTask& assigned);
  void request_operands(int worker, const Task& task);
  void start_current_task(int worker);
  void end_task(int worker, double now_s);
  void end_transfer(int direction);
  void stop(int worker, double now_s);

  void mark_absent(int node, Tile tile);
  void mark_in_flight(int node, Tile tile);
  void request(int node, Tile tile);
  void fetch(int node, Tile tile);
  void return_to_hub(int node, Tile tile);
  void add_transfer(const Transfer& transfer);
  void start_transfers();

  void pin(int node, const Operands& operands);
  void unpin(int node, const Operands& operands);
  bool reserve_memory(int node);
  void serve_waiting_requests(int node);
  void evict_copies(Tile tile);
  GpuMemory* memory(int node) { return memories_[static_cast<std::size_t>(node)].get(); }

  /// Returns the number of tasks that a worker can be assigned, the current one included.
  std::size_t window() const { return static_cast<std::size_t>(1 + options_.planned_tasks); }
  WorkerQueue& queue(int worker) { return queues_[static_cast<std::size_t>(worker)]; }
  const WorkerQueue& queue(int worker) const { return queues_[static_cast<std::size_t>(worker)]; }

  const Platform& platform_;
  const TaskGraph& graph_;
  RuntimeOptions options_;
  Copies copies_;
  DependencyTracker dependencies_;
  LinkDirections directions_;
  std::vector<WorkerQueue> queues_;
  std::vector<std::vector<int>> workers_by_node_;
  std::vector<std::unique_ptr<GpuMemory>> memories_;  ///< by node; nullptr if unlimited
  std::vector<Transfer> second_hops_;  ///< relayed transfers from the hub that wait for its copy
  std::unique_ptr<Strategy> strategy_;
};

}  // namespace starport::tiles
