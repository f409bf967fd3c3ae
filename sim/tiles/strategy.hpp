// The interface of scheduling strategies for tile tasks, modelled on the push_task and pop_task
// hooks of a StarPU scheduler.
#pragma once

#include "sim/tiles/copies.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/task_graph.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace starport::tiles {

/// Rule by which CPU workers take tasks from the strategy. `plan`: up to
/// RuntimeOptions::planned_tasks in addition to the current one, as GPUs do; `one`: only when idle,
/// as in StarPU; `timely`: when idle, but not if they are expected to end after everybody else, so
/// that a slow core leaves the last tasks to the GPUs (see TimelyRule).
enum class CpuRule : std::uint8_t { plan, one, timely };

/// Options of the (simulated) run-time system, which assigns tile tasks to workers and moves tiles:
/// prefetching, routes and order of transfers, and limits of memory. A plain value.
struct RuntimeOptions {
  /// Largest number of tasks that the run-time system plans for a GPU worker and, if `cpus` is
  /// `plan`, for a CPU worker, in addition to its current one. The tiles that they access are
  /// prefetched, as far as memory allows. Strategy::push() may assign more. At least 0 (not
  /// checked).
  int planned_tasks = 2;
  /// Rule by which CPU workers take tasks; `plan`: up to `planned_tasks` ahead, as GPUs do.
  /// `timely`, by which a CPU worker may refuse a task, requires a strategy that lets GPUs run
  /// any task; otherwise tasks may be left over, and the simulation ends with SimulationError.
  CpuRule cpus = CpuRule::plan;
  /// True if tiles go from GPU to GPU in two transfers through main memory, false if directly.
  bool relay = false;
  /// True if transfers into GPUs wait for each other as in StarPU's simulation of CUDA: a transfer
  /// from GPU to GPU waits for all transfers into either of them that were requested before, and
  /// those requested later wait for it (see LinkDirections). Must not be combined with `relay` (not
  /// checked). False if a transfer waits only for others in the link directions that it uses.
  bool cuda_order = false;
  /// True if a GPU sends and receives no tiles while it runs a task, like a CPU that acts as a GPU:
  /// a task starts after all transfers to and from the GPU that were requested before, and those
  /// requested later wait for its end. That a transfer has ended is noticed only while the GPU
  /// neither runs a task nor is about to. Requires `relay` (not checked). False if tasks and
  /// transfers overlap.
  bool transfers_between_tasks = false;
  /// True if the memory capacities of the platform (Link::memory_tiles) limit the number of tiles
  /// at a GPU, where tiles are then evicted (see Strategy::eviction_rank()); false if memories are
  /// unlimited.
  bool limited_memory = true;
  /// True if a GPU takes a task from the strategy only once all tiles of the tasks that it has
  /// taken before have arrived, as in StarPU, whose drivers fetch the tiles of one task at a time.
  /// False if it takes up to `planned_tasks` at once. If true, Strategy::push() must assign no task
  /// to a GPU: the run ends with a SimulationError.
  bool fetches_for_one_task = false;

  bool operator==(const RuntimeOptions&) const = default;
};

/// An element of a worker's queue: a task on tiles that the Scheduler has assigned to the worker,
/// and whether it was stolen.
struct AssignedTask {
  /// Task that the worker is to run.
  Task task{};
  /// True if the strategy had stored the task for another worker (assigned by Strategy::steal()
  /// instead of push() or pop()).
  bool stolen = false;
};

/// A scheduling algorithm for tile tasks at run time: decides which worker computes which ready
/// task. A StrategyMaker makes one for each run; the Scheduler owns it. The Scheduler and its owner
/// (the simulated Runtime, or a policy of StarPU) call its hooks, one at a time. The strategy
/// stores a task from push() until it returns it from pop() or steal(), unless push() assigned it.
/// Workers are indices into Platform::workers, from 0; dates are simulated seconds, or with StarPU
/// seconds since the start of the product, and do not decrease. Exceptions of hooks end the run, or
/// with StarPU the use of the strategy for the product.
class Strategy {
 public:
  virtual ~Strategy() = default;

  /// Called by the Scheduler with a task that became ready at date `now_s` in seconds (simulated,
  /// or with StarPU since the start of the product), or again because its worker failed. Returns
  /// the worker (index from 0) to assign it to immediately, even if its queue is full; empty if the
  /// strategy stores it until a pop() or steal(). The worker must exist (undefined behaviour
  /// otherwise). The simulation ends with SimulationError if the worker has stopped
  /// (on_worker_stop()), since it never runs the task, or if it is a GPU and
  /// RuntimeOptions::fetches_for_one_task is true.
  virtual std::optional<int> push(const Task& task, double now_s) = 0;
  /// Removes and returns a task stored since push() (not checked) for `worker` (index from 0),
  /// which has room in its queue and has not stopped; empty if none is meant for it. Called
  /// repeatedly, until queues are full or no worker gets a task, at the start of the run, after
  /// tasks have ended or become ready, after a worker has stopped and, with
  /// RuntimeOptions::fetches_for_one_task, after each end of a transfer.
  virtual std::optional<Task> pop(int worker) = 0;
  /// Removes and returns a task stored since push() (not checked) that is meant for other workers
  /// than `worker` (index from 0), which has room in its queue and has not stopped; empty if there
  /// is none to steal, as by default. Called by the Scheduler once pop() returns nothing for every
  /// worker with room.
  virtual std::optional<Task> steal(int /*worker*/) { return std::nullopt; }
  /// Returns the task that `worker` (index from 0) plans next: one of those that push() assigned to
  /// it and that it has not planned yet, of which there is at least one. Called by the Scheduler
  /// when the worker has room for one: after push(), or when its current task has ended, before
  /// on_task_end(). Empty, as by default: the one that was assigned first. Any other task makes the
  /// Scheduler throw SimulationError.
  virtual std::optional<Task> choose_planned(int /*worker*/) { return std::nullopt; }
  /// Called by the run-time system when a task has ended on a worker (index from 0) at a date in
  /// seconds (simulated, or with StarPU since the start of the product), before the task that this
  /// makes ready is passed to push(). Does nothing by default.
  virtual void on_task_end(int /*worker*/, const Task& /*task*/, double /*now_s*/) {}
  /// Called by the Scheduler when a worker (index from 0) has failed (noise) and takes no more
  /// tasks. The tasks assigned to it, but for one that runs, which still ends, are then passed to
  /// push() again; those that the strategy still stores for it are not, and must go to other
  /// workers. Does nothing by default.
  virtual void on_worker_stop(int /*worker*/) {}
  /// Returns a rank, 0 or more (not checked), for the eviction of `tile` from GPU `node` (from 1).
  /// Where memory is short, the simulated Runtime evicts the tile of lowest rank first, of those
  /// that neither the current task nor the next planned ones use; among equal ranks a tile that
  /// need not be written back before one that must, then the least recently used one. By default
  /// all are equal. Not called with StarPU.
  virtual std::int64_t eviction_rank(int /*node*/, Tile /*tile*/) const { return 0; }
  /// Called by the run-time system after the copy of a tile at a memory node (0: main memory, from
  /// 1: GPUs) has become absent (evicted, or a task writes the tile at another node), or has ceased
  /// to be absent, normally because a transfer to the node was requested; StrategyContext::copies
  /// has the new state. Not called when that transfer ends. Does nothing by default.
  virtual void on_copy_change(int /*node*/, Tile /*tile*/) {}
  /// Called by the run-time system after the copy of a tile at a memory node (0: main memory, from
  /// 1: GPUs) has become valid, normally because a transfer has ended, so that tasks can read it.
  /// Does nothing by default.
  virtual void on_copy_arrival(int /*node*/, Tile /*tile*/) {}
};

/// The state of a run that a scheduling strategy may read, as the Scheduler passes it to a
/// StrategyMaker. A strategy that needs it later keeps a copy: the objects that it refers to
/// outlive the strategy, the StrategyContext itself may not.
struct StrategyContext {
  /// Machine that the tasks run on: its workers, GPUs and links.
  const Platform& platform;
  /// Tasks of the matrix product, with their order and, if there is one, their static allocation to
  /// memory nodes.
  const TaskGraph& graph;
  /// State of every copy of every tile (valid, in flight or absent) by memory node, which the
  /// run-time system keeps up to date.
  const Copies& copies;
  /// Seed for scheduling strategies that draw random numbers; the same seed must give the same
  /// decisions.
  std::uint64_t seed = 0;
  /// Options of the run-time system that executes what the strategy decides.
  RuntimeOptions runtime{};
};

/// Function that creates the scheduling strategy of one run, called by the constructor of
/// Scheduler. It must not return nullptr (undefined behaviour). Its argument is valid during the
/// call only, so that the strategy must copy it; the objects that it refers to outlive the
/// strategy. May throw NotApplicable if the strategy does not fit the platform or the tasks; its
/// exceptions pass through that constructor.
using StrategyMaker = std::function<std::unique_ptr<Strategy>(const StrategyContext&)>;

}  // namespace starport::tiles
