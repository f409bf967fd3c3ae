// One tiled matrix product of a StarPU program, scheduled by a strategy of the tile model.
#pragma once

#include "sim/starpu/policy/machine.hpp"
#include "sim/starpu/policy/update_tasks.hpp"
#include "sim/tiles/copies.hpp"
#include "sim/tiles/scheduler.hpp"
#include "sim/tiles/task_graph.hpp"
#include "sim/tiles/tile_algorithm.hpp"

#include <starpu.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace starport::starpu {

/// Schedule of one tiled matrix product of a StarPU program, from its first ready update to the end
/// of its last one: passes StarPU's events (ready, started, ended) to the Scheduler of the tile
/// model, hands out the tasks that the Scheduler has assigned to each worker, and prefetches their
/// tiles if StarPU's prefetching is on. StarPU must run as long as the object is used. Not
/// thread-safe: its owner, a scheduling policy of StarPU, locks it. After an exception only
/// release() may be called. Refers to tasks of StarPU only until they end. Neither copyable nor
/// movable.
class Product {
 public:
  /// A task of StarPU that updates a tile of C, not owned, with the handles of its three tiles.
  struct Update {
    /// StarPU's task; not owned.
    struct starpu_task* task;
    /// Handles of the tiles of A, B and C that the task uses.
    UpdateTiles tiles;
  };

  /// Makes the strategy that schedules a product of `size` tiles on `machine`, as find_machine()
  /// returns it but with durations set, which must have a worker (neither is checked); may take
  /// long. `seed` is that of the strategy's random numbers. The algorithm must outlive this object.
  /// Throws InputError or NotApplicable if the algorithm cannot divide that product among the
  /// machine's memory nodes, and NotApplicable if it uses reductions; other exceptions of the
  /// algorithm pass through. Call start() next.
  Product(Machine machine, const tiles::TileAlgorithm& algorithm, const tiles::ProductSize& size,
          std::uint64_t seed);
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  /// Makes the first updates ready, one per tile of C, and assigns tasks to workers. cells[n] is
  /// the number i s + j, from 0, of the tile C_ij that first[n] updates, where C has s columns of
  /// tiles; each tile must come once (not checked). Call it once, before any other function.
  /// Exceptions of the strategy and of Scheduler::push() pass through.
  void start(const std::vector<Update>& first, const std::vector<std::int32_t>& cells);
  /// Returns true if push() accepts `update`: its tile of C is one of this product, has updates
  /// left and none that is ready or running. Does not look at the task and its tiles of A and B.
  bool contains(const Update& update) const;
  /// Makes an update ready and assigns tasks to workers. contains() must have accepted it (not
  /// checked: undefined behaviour). Exceptions of the strategy and of Scheduler::push() pass
  /// through.
  void push(const Update& update);
  /// Hands out the next task, which StarPU owns, to the worker with this number of StarPU (from 0,
  /// below STARPU_NMAXWORKERS, not checked) and returns it; nullptr if there is none or the worker
  /// does not take part in the product.
  struct starpu_task* pop(int worker);
  /// Notes that a task handed out begins to compute. Returns true if it was stolen, i.e. the
  /// strategy had stored it for another worker, otherwise false; nullopt for tasks that this
  /// product has not handed out or that have ended, which are ignored. Exceptions of the strategy
  /// pass through.
  std::optional<bool> on_start(struct starpu_task* task);
  /// Notes that a task handed out has ended. After the last update of a tile of C, assigns ready
  /// tasks to workers. After an earlier update, assigns none yet, so that the tile's next update
  /// can be among them: the push() of that update does it, or, if StarPU does not push it before
  /// the worker pops again, assign_without_next(). Returns the handle of the tile of C if its last
  /// update has ended on a device, for the caller to copy it to main memory; otherwise nullopt.
  /// Ignores all other tasks and returns nullopt. Exceptions of the strategy and of
  /// Scheduler::remove_current() pass through.
  std::optional<starpu_data_handle_t> on_end(struct starpu_task* task);
  /// Lets the strategy assign ready tasks if on_end() has put that off after a task of the worker
  /// with this number of StarPU (from 0, below STARPU_NMAXWORKERS, not checked) and the strategy
  /// has not been asked since, as when the next update of that tile of C waits for another task of
  /// the program. Returns true if so, even if it assigns none; otherwise false, also for a worker
  /// that does not take part in the product. Call it before pop(). Exceptions of the strategy pass
  /// through.
  bool assign_without_next(int worker);

  /// Returns true if all updates of the product have ended.
  bool is_complete() const { return remaining_tasks_ == 0; }
  /// Returns true if the product cannot go on: tasks are ready, but the strategy has assigned none
  /// of them, no task is running whose end could change that, and assign_without_next() would
  /// assign tasks for no worker.
  bool is_stuck() const;
  /// Returns the tasks that are ready and not handed out, by the numbers i s + j of their tiles
  /// C_ij (C has s columns of tiles), so that they can run without the strategy. The product must
  /// not be used afterwards.
  std::vector<struct starpu_task*> release();

 private:
  /// State of the only update of a tile of C that is ready or running.
  enum class Phase : std::uint8_t { none, ready, assigned, handed_out };
  /// A tile of C, and its update that is ready or running.
  struct Cell {
    UpdateTiles tiles{};
    struct starpu_task* task = nullptr;
    std::int32_t k = -1;  ///< of the last update that became ready
    Phase phase = Phase::none;
    int worker = 0;  ///< index in the platform that the update is assigned to
    bool stolen = false;
  };

  void make_ready(std::int32_t cell, const Update& update);
  void assign_tasks();
  void on_assigned(int worker, const tiles::AssignedTask& assigned);
  void update_copies(std::int32_t cell, int node);
  void set_copy(int node, tiles::Tile tile, tiles::CopyState state);
  Cell& cell(std::int32_t number) { return cells_[static_cast<std::size_t>(number)]; }
  Cell* find(struct starpu_task* task);
  double now_s() const { return 1e-6 * starpu_timing_now() - start_s_; }

  Machine machine_;
  tiles::TaskGraph graph_;
  tiles::Copies copies_;
  tiles::Scheduler scheduler_;
  std::vector<Cell> cells_;
  std::unordered_map<starpu_data_handle_t, std::int32_t> numbers_;  ///< of tiles of C
  std::vector<std::size_t> handed_out_;  ///< by worker: tasks of its queue that StarPU has taken
  std::vector<bool> awaits_next_;  ///< by worker: no tasks were assigned since its last task ended
  std::vector<int> indices_;       ///< by StarPU's number of a worker: its index; -1: none
  std::int64_t remaining_tasks_;
  std::int64_t ready_tasks_ = 0;     ///< in the phase `ready`
  std::int64_t assigned_tasks_ = 0;  ///< in the phases `assigned` and `handed_out`
  std::int32_t refreshed_ = 0;       ///< cell whose copies were compared with StarPU's last
  double start_s_ = 0;
};

}  // namespace starport::starpu
