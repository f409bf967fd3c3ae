// Static allocations of tile tasks, derived from partitions of a square or cube among the memory
// nodes (ICPP'18, sections 3.3 and 4.1.2), and the strategies that start from them (section 4.2.1).
#pragma once

#include "heuristics/partition/to_tiles.hpp"
#include "heuristics/tiles/task_lists.hpp"
#include "sim/platform/random.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/task_graph.hpp"

#include <string>

namespace starport::tiles {

/// Choices by which allocate() divides tile tasks among memory nodes (main memory and the GPUs)
/// before a run: method of partitioning, rounding to whole tiles, and whether nodes may share tiles
/// of C. A plain value.
struct AllocationMethod {
  /// Name of one of partition::methods(), by which C (2D) or the cube of tasks (3D) is divided into
  /// one zone per memory node (main memory and the GPUs); allocate() throws InputError for another
  /// name. "NRRP" is 2D and makes zones of one or two rectangles.
  std::string partition = "NRRP";
  /// Method by which the zones (the parts of C, or of the cube of tasks, that the memory nodes get)
  /// are rounded to whole tiles: each edge to the nearest tile boundary (`rounded`), or such that
  /// the numbers of tiles are in proportion to the speeds (`precise`).
  partition::Rounding rounding = partition::Rounding::rounded;
  /// True if memory nodes that share a tile of C each accumulate into an auxiliary tile of their
  /// own, and reduction tasks add these up; false if they take turns on the tile; needs a 3D
  /// partition (with a 2D one allocate() throws NotApplicable).
  bool redux = false;
};

/// Computes a static allocation of the tasks of a product to memory nodes (main memory and the
/// GPUs) that gives each node a zone in proportion to the total speed of its workers. The papers'
/// methods divide a square or a cube; here they divide a rectangle of the form of C, or a cuboid of
/// the form of the product. Throws NotApplicable if that has more than partition::kMaxTiles tiles
/// (2D) or tasks (3D), or if `method.redux` is set for a 2D partition, in which nodes share no tile
/// of C. Throws InputError if the partitioning method is unknown or needs another number of memory
/// nodes with workers, or if the platform has no worker.
Allocation allocate(const Platform& platform, const ProductSize& size,
                    const AllocationMethod& method);

/// Static, a Strategy: executes each task at the memory node (main memory or a GPU) that the static
/// allocation (made before the run) assigns it to, in the order in which tasks become ready.
/// Requires a task graph with an allocation to nodes of the platform (TaskGraph::allocation());
/// otherwise push() is undefined behaviour. Tasks of a node that has no worker, or whose workers
/// have all stopped, are never run: the simulation then ends with SimulationError. Made per run by
/// a StrategyMaker; called by the Scheduler and its owner.
class StaticAllocation : public Strategy {
 public:
  /// Creates one empty list of ready tasks per memory node (main memory and the GPUs). The objects
  /// that `context` refers to (platform, task graph, copies of tiles) must outlive this object.
  explicit StaticAllocation(const StrategyContext& context)
      : context_(context), lists_(context, context.platform.nodes()) {}

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int worker) override;

 protected:
  int node(int worker) const { return context_.platform.worker(worker).node; }
  int nodes() const { return context_.platform.nodes(); }

  StrategyContext context_;
  TaskLists lists_;  ///< one list of ready tasks per node
};

/// RandSteal, a Strategy: executes tasks at the memory node (main memory or a GPU) that the static
/// allocation assigns them to, with work stealing. If its node's list is empty, a worker with room
/// for a task steals the last task of a random node's list or, if that is empty, of the next list
/// in cyclic order that is not. The same seed gives the same choices. Requires a task graph with an
/// allocation to nodes of the platform (push() is undefined behaviour otherwise).
class RandSteal : public StaticAllocation {
 public:
  /// Creates one empty list of ready tasks per memory node (main memory and the GPUs) and seeds the
  /// random numbers with `context.seed`. The objects that `context` refers to (platform, task
  /// graph, copies of tiles) must outlive this object.
  explicit RandSteal(const StrategyContext& context)
      : StaticAllocation(context), random_(context.seed) {}

  std::optional<Task> steal(int worker) override;

 private:
  Random random_;
};

/// ChoiceSteal, a Strategy: executes tasks at the memory node (main memory or a GPU) that the
/// static allocation assigns them to, with work stealing. If its node's list is empty, a worker
/// with room for a task steals, of the last tasks of the other nodes' lists, the one with the
/// fewest operands (tiles that it uses) absent at the worker's node; on ties, that of the next node
/// in cyclic order. Requires a task graph with an allocation to nodes of the platform (push() is
/// undefined behaviour otherwise).
class ChoiceSteal : public StaticAllocation {
 public:
  using StaticAllocation::StaticAllocation;

  std::optional<Task> steal(int worker) override;
};

/// EffectiveSteal, a Strategy: executes tasks at the memory node (main memory or a GPU) that the
/// static allocation assigns them to, with work stealing. If its node's list is empty, a worker
/// with room for a task steals the task with the fewest operands (tiles that it uses) absent at the
/// worker's node among the lists of all other nodes; on ties, the one of the next node in cyclic
/// order and, in its list, the one pushed first. If all three operands of every task are absent, it
/// steals the last task of a random list or, if that is empty, of the next one that is not.
/// Requires a task graph with an allocation to nodes of the platform (push() is undefined behaviour
/// otherwise).
class EffectiveSteal : public RandSteal {
 public:
  using RandSteal::RandSteal;

  std::optional<Task> steal(int worker) override;
  void on_copy_change(int node, Tile tile) override { lists_.on_copy_change(node, tile); }
};

}  // namespace starport::tiles
