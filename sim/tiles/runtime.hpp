// The task run-time system as a state machine without a clock: an engine reports which activities
// end, and the runtime decides which ones start (ICPP'18, section 4; StarPU 1.3 for what the paper
// leaves open).
#pragma once

#include "sim/tiles/copies.hpp"
#include "sim/tiles/link_directions.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/scheduler.hpp"
#include "sim/tiles/strategy.hpp"
#include "sim/tiles/task_graph.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace starport::tiles {

/// Something whose end an engine (the simulation loop that keeps the clock) reports to the Runtime:
/// a task on a worker, the transfer of a tile in a link direction, or the failure of a worker. The
/// Runtime starts tasks and transfers; the engine decides when workers fail (noise).
struct Activity {
  /// Kind of an activity: a task on a worker, the transfer of a tile, or the failure of a worker
  /// (`stop`).
  enum class Kind : std::uint8_t { task, transfer, stop };
  /// Whether this activity is a task, a transfer of a tile or the failure of a worker.
  Kind kind = Kind::task;
  /// For a task or the failure of a worker, the index of the worker in Platform::workers, from 0;
  /// for a transfer, the number of the link direction that carries it: 2 (m - 1) to GPU m (from 1),
  /// also from another GPU, or 2 (m - 1) + 1 from GPU m to main memory.
  std::int32_t resource = 0;
};

/// The removal of a valid copy of a tile from a GPU's memory of limited size, either to free space
/// or, for a tile that tasks write, because it has returned to main memory. Main memory has a valid
/// copy.
struct Eviction {
  /// Number, from 0, of the tile (square block of a matrix) whose copy was removed.
  Tile tile = 0;
  /// Memory node (from 1) of the GPU from which the copy of the tile was removed.
  std::int32_t node = 0;

  bool operator==(const Eviction&) const = default;
};

/// The simulated run-time system for tile tasks as a state machine without a clock: assigns ready
/// tasks to workers through a scheduling strategy, prefetches their operands and keeps track of all
/// copies of tiles. An engine calls start() once, then handle_end() for each activity that ends,
/// and after each call processes and clears `started` and `evictions`. Workers are indices into
/// Platform::workers.
class Runtime {
 public:
  /// Calls `strategy` once to create the scheduling strategy of the run; exceptions of that call
  /// pass through. `seed` is that of the strategy's random numbers (StrategyContext::seed).
  /// `platform` and `graph` must outlive this object; `options` is copied.
  Runtime(const Platform& platform, const TaskGraph& graph, const StrategyMaker& strategy,
          const RuntimeOptions& options, std::uint64_t seed);
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  /// Makes the tasks without predecessors ready at simulated date `now_s` in seconds and assigns
  /// tasks to workers. Workers in `stopped` (indices from 0) have failed before and get none. Must
  /// be called once, before handle_end(). Read `started` and `evictions` afterwards. Exceptions of
  /// the strategy pass through. Throws SimulationError if Strategy::choose_planned() returns a task
  /// that is not assigned to the worker or is already planned, or if Strategy::push() assigns a
  /// task to a GPU although RuntimeOptions::fetches_for_one_task is true.
  void start(double now_s, const std::vector<int>& stopped = {});
  /// Handles the end of an activity (a task, a transfer of a tile, or the failure of a worker) at
  /// simulated date `now_s` in seconds: assigns ready tasks and starts tasks and transfers.
  /// `activity` must be one that was listed in `started` and has not ended, or the failure of a
  /// worker, once per worker; dates must not decrease. Neither is checked. After a failure, the
  /// running task of the worker still ends (report it too) and its other tasks are made ready
  /// again. Exceptions of the strategy pass through. Throws SimulationError if
  /// Strategy::choose_planned() returns a task that is not assigned to the worker or is already
  /// planned, or if Strategy::push() assigns a task to a GPU although
  /// RuntimeOptions::fetches_for_one_task is true.
  void handle_end(const Activity& activity, double now_s);

  /// Tasks and transfers of tiles that start() and handle_end() have started, in order, since the
  /// caller last cleared this list.
  std::vector<Activity> started{};
  /// Removals of copies of tiles from GPU memories by start() and handle_end(), in order, since the
  /// caller last cleared this list.
  std::vector<Eviction> evictions{};

  /// Returns the task at the head of the queue of `worker` (index from 0). It runs or waits for the
  /// tiles that it accesses; the reference is valid until it ends or, while it waits, the worker
  /// fails. The queue must not be empty, otherwise the behaviour is undefined.
  const AssignedTask& current_task(int worker) const { return scheduler_.queue(worker).front(); }
  /// Returns the transfer of a tile that link direction `direction` carries, or the last one that
  /// it carried, with the number and the date of its request; a default Request if there was none.
  /// Direction 2 (m - 1) leads to GPU m (from 1), also from another GPU, and 2 (m - 1) + 1 from it
  /// to main memory; one out of range is undefined behaviour. The reference is valid as long as
  /// this object; its content changes when the direction starts another transfer.
  const LinkDirections::Request& request(int direction) const {
    return directions_.carried(direction);
  }
  /// Returns true if all tasks of the graph and all started transfers of tiles have ended; the
  /// engine then stops.
  bool is_complete() const {
    return dependencies_.remaining_tasks() == 0 && directions_.active_transfers() == 0;
  }
  /// Explains why no task or transfer can start although the run is not complete, as a clause for
  /// an error message: without a capital, full stop or newline. Call it only when nothing is
  /// running and is_complete() is false.
  std::string describe_deadlock() const;

 private:
  void on_assigned(int worker, const Task& task);
  std::size_t requesting_tasks(int node) const;
  void request_operands(int worker, const Task& task);
  void start_current_task(int worker);
  void end_task(int worker, double now_s);
  void end_transfer(int direction);
  void finish_transfer(const LinkDirections::Ended& ended);
  void resume_driver(int worker);
  void stop(int worker, double now_s);

  void set_state(int node, Tile tile, CopyState state);
  Evictability find_evictability(int node, Tile tile) const;
  void start_tracking(int node);
  void update_evictability(int node, Tile tile);
  void mark_absent(int node, Tile tile);
  void mark_in_flight(int node, Tile tile);
  void request(int node, Tile tile);
  void fetch(int node, Tile tile);
  void return_to_hub(int node, Tile tile);
  void add_transfer(const Transfer& transfer);
  void start_transfers();

  void pin(int node, const Operands& operands);
  void unpin(int node, const Operands& operands);
  void evict(int node, Tile tile);
  std::optional<Tile> find_victim(int node, Evictability evictability) const;
  bool reserve_memory(int node);
  void make_room(int node);
  void evict_unused_copies(Tile tile);
  GpuMemory* memory(int node) { return memories_[static_cast<std::size_t>(node)].get(); }

  const Platform& platform_;
  const TaskGraph& graph_;
  RuntimeOptions options_;
  Copies copies_;
  DependencyTracker dependencies_;
  LinkDirections directions_;
  std::vector<bool> running_;  ///< by worker: its current task has started
  std::vector<std::vector<int>> workers_by_node_;
  std::vector<std::unique_ptr<GpuMemory>> memories_;  ///< by node; nullptr if unlimited
  std::vector<bool> drivers_asleep_;  ///< by node: waits for a task (transfers_between_tasks)
  std::vector<std::vector<LinkDirections::Ended>> unnoticed_;  ///< by node: by its driver
  double now_s_ = 0;                   ///< date of the event that is handled
  int driver_at_work_ = kHub;          ///< GPU whose driver wakes up (transfers_between_tasks)
  std::vector<Transfer> second_hops_;  ///< relayed transfers from the hub that wait for its copy
  Scheduler scheduler_;
};

}  // namespace starport::tiles
