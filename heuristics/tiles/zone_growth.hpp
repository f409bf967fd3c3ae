// ZoneGrowth, a strategy of our own after the allocations and the work stealing of ICPP'18 (see
// README.md).
#pragma once

#include "sim/tiles/strategy.hpp"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace starport::tiles {

/// Strategy that divides C into one zone per GPU (without GPUs, one for the CPU workers). A GPU
/// opens (starts to work on) the tiles of its zone one after the other, in growing squares from the
/// zone's outermost corner, and works on a few open tiles at once. The CPU workers take single
/// tasks from the other end of the zone that is expected to finish last: this moves no tiles, and
/// the GPU can continue a tile that they leave. A GPU that has opened its whole zone steals
/// unopened tiles that need few new rows of A and columns of B, then the rests of open ones, of the
/// GPU expected to finish last. Task durations are measured as tasks end. Ignores a static
/// allocation; the task graph must have no reductions (undefined behaviour). Made per run by a
/// StrategyMaker; called by the Scheduler and its owner.
class ZoneGrowth : public Strategy {
 public:
  /// Settings of a ZoneGrowth strategy, an argument of its constructor: errors of the assumed
  /// durations, tiles and tasks of a GPU at a time, idle GPUs. A plain value.
  struct Parameters {
    /// Relative error, from 0 to less than 1, of the durations assumed before the start: those of
    /// the tasks of a worker, or of the transfers over a GPU's link, are the nominal ones times one
    /// random factor within 1 ± uncertainty, drawn by the seed of the run. Speeds that may be equal
    /// then count as equal.
    double uncertainty = 0;
    /// Number of tiles of C that a GPU works on at once, one task of each in turn; at least 1. At
    /// the start it works on at least 4, more if transfers are slow, but at most half its zone. A
    /// GPU whose memory cannot hold all of A and B that its zone needs computes its zone instead in
    /// blocks of tiles that fit, one after the other.
    int open_tiles = 6;
    /// Number of tasks that a GPU, or a CPU worker if there is no GPU, is assigned at most in
    /// addition to its current one, at least 0. The run-time system may allow fewer.
    int planned_tasks = 2;
    /// Number of GPUs, the slowest ones, that take no tasks unless a worker stops: at least 0, and
    /// less than the number of GPUs, or 0 if there are none. The constructor throws InputError if
    /// it is too large.
    int idle_gpus = 0;
  };

  /// Divides the tiles of C among the GPUs, or gives them to the CPU workers if there is none, with
  /// the default parameters, i.e. by the nominal durations; the seed of `context` has no effect.
  /// The objects that `context` refers to (platform, task graph, copies of tiles) must outlive this
  /// object. Throws InputError if there are GPUs, but none has a worker.
  explicit ZoneGrowth(const StrategyContext& context);
  /// Divides the tiles of C among the GPUs, or gives them to the CPU workers if there is none. The
  /// seed of `context` determines the assumed durations. The objects that `context` refers to
  /// (platform, task graph, copies of tiles) must outlive this object. Throws InputError if there
  /// are GPUs, but none has a worker, or if `idle_gpus` is too large. Other parameters are not
  /// checked: outside their ranges, durations may be 0 or less and decisions meaningless.
  ZoneGrowth(const StrategyContext& context, const Parameters& parameters);
  /// Divides the tiles of C among the GPUs, or gives them to the CPU workers if there is none, by
  /// the durations of `assumed`, a platform with the workers and links of the one in `context`.
  /// `assumed` need not outlive this object; the objects that `context` refers to must.
  /// `uncertainty` only makes similar speeds count as equal. Throws InputError if there are GPUs,
  /// but none has a worker, or if `idle_gpus` is too large. Other parameters are not checked.
  ZoneGrowth(const StrategyContext& context, const Parameters& parameters, const Platform& assumed);

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int worker) override;
  std::optional<Task> steal(int worker) override;
  void on_task_end(int worker, const Task& task, double now_s) override;
  void on_worker_stop(int worker) override;
  void on_copy_change(int node, Tile tile) override;

 private:
  using Cell = std::int32_t;  ///< number of a tile of C, row by row

  /// An open tile whose next task is ready, as Zone::ready holds it.
  struct ReadyCell {
    std::int64_t rank = 0;    ///< lower ranks go first
    std::int64_t number = 0;  ///< in the order in which tiles became ready
    Cell cell = 0;

    auto operator<=>(const ReadyCell&) const = default;
  };

  /// The state of a tile of C.
  struct CellState {
    std::int32_t k = 0;        ///< k of its next task; t once the tile is finished
    std::int32_t owner = 0;    ///< node whose zone contains it
    std::int32_t shell = -1;   ///< distance to the zone's corner, for the tiles opened at the start
    std::int32_t place = 0;    ///< in the order of a zone that is computed in blocks
    bool ready = true;         ///< its next task is ready and assigned to no worker
    bool open = false;         ///< its owner, a GPU, works on it
    bool lacks_tiles = false;  ///< it has absent operands: the set in Zone::ready
    ReadyCell entry{};         ///< its entry in Zone::ready, or its last one
  };

  /// The tiles of C that one node owns.
  struct Zone {
    std::vector<Cell> order{};         ///< order in which the node opens them
    std::size_t head = 0;              ///< all tiles before this position are open or finished
    std::size_t tail = 0;              ///< all tiles from this position on are open or finished
    std::int64_t remaining_tasks = 0;  ///< tasks that have not ended
    int open_tiles = 0;                ///< number of open tiles
    int max_open = 0;                  ///< largest number of open tiles
    bool in_blocks = false;            ///< max_open is the size of a block that fits in memory
    bool stopped = false;              ///< all workers of the node have stopped
    bool idle = false;                 ///< takes no tasks (Parameters::idle_gpus)
    /// Open tiles whose next task is ready, by rank: first those whose operands have all been
    /// requested, then those with absent operands.
    std::array<std::set<ReadyCell>, 2> ready{};
    std::optional<Tile> last_request{};  ///< last tile that a task of the node requested
    std::vector<bool> rows{};            ///< rows of A that the node has started to fetch
    std::vector<bool> columns{};         ///< columns of B that the node has started to fetch
  };

  /// The state of a worker and its measured speed.
  struct WorkerState {
    double task_s = 0;           ///< estimated time per task, waiting for data included
    double unit_s = 0;           ///< resolution to which task times are rounded
    double since_s = 0;          ///< date at which it got its first task or last ended one
    std::int64_t ended = 0;      ///< number of tasks that have ended
    int assigned = 0;            ///< number of assigned tasks that have not ended
    bool stopped = false;        ///< takes no more tasks
    std::optional<Cell> cell{};  ///< tile that a worker of the hub worked on last
  };

  void divide_tiles();
  void order_by_blocks(int node);
  void open_first_square(int node);

  bool has_room(int worker) const;
  std::optional<Task> assign_to_hub(int worker);
  bool saves_time(int worker, Cell cell) const;
  bool leaves_rest_to_hub(int worker) const;
  void open(int node, Cell cell);
  void close(Cell cell);
  void mark_ready(Cell cell);
  void update_ready(int node, Cell cell);
  std::optional<Cell> find_next_ready(int node) const;
  bool is_fetching(int node) const;
  Task assign_ready(int worker, Cell cell);
  std::optional<Cell> find_cheapest_unopened(int node);
  std::optional<Cell> close_longest(int node, double step_s, double fetch_s);
  Task take(int worker, Cell cell);

  bool is_unopened(Cell cell) const;
  bool is_open_or_finished(Cell cell) const;
  std::optional<Cell> first_unopened(Zone& zone) const;
  std::optional<Cell> last_unopened(Zone& zone) const;
  std::optional<int> find_latest_zone(int excluded);
  double task_s(int node) const;
  double tile_s(int node) const { return tile_s_[static_cast<std::size_t>(node)]; }
  double finish_s(int node) const;
  double deadline_s(int node, double task_s) const;
  std::int64_t remaining_tasks(Cell cell) const { return size_.t - state(cell).k; }
  int count_new_lines(int node, Cell cell) const;
  int cost(int node, Cell cell) const;
  std::set<ReadyCell>& ready_set(const CellState& cell) {
    return zone(cell.owner).ready[std::size_t{cell.lacks_tiles}];
  }

  int node_of(int worker) const { return context_.platform.worker(worker).node; }
  Zone& zone(int node) { return zones_[static_cast<std::size_t>(node)]; }
  const Zone& zone(int node) const { return zones_[static_cast<std::size_t>(node)]; }
  CellState& state(Cell cell) { return cells_[static_cast<std::size_t>(cell)]; }
  const CellState& state(Cell cell) const { return cells_[static_cast<std::size_t>(cell)]; }

  StrategyContext context_;
  Parameters parameters_;
  ProductSize size_;
  std::vector<Zone> zones_;                   ///< by node
  std::vector<std::vector<int>> workers_;     ///< by node
  std::vector<double> tile_s_;                ///< by node: assumed time to send it a tile
  std::vector<WorkerState> worker_states_{};  ///< by worker
  std::vector<CellState> cells_;              ///< by tile of C
  double now_s_ = 0;
  std::int64_t pushes_ = 0;
  std::int64_t entries_ = 0;  ///< number of times that a tile was added to Zone::ready
};

/// Returns a copy of the platform with the durations of updates, and of transfers between main
/// memory and GPUs, that ZoneGrowth assumes before the start: those of each worker and of each
/// GPU's link are multiplied by a random factor of its own, uniform within 1 ± `uncertainty` (from
/// 0 to less than 1, not checked) and drawn by `seed`.
Platform assume_durations(const Platform& platform, double uncertainty, std::uint64_t seed);

/// Divides the r x s tiles of C, numbered row by row from 0, into one zone per speed by the
/// partitioning method NRRP (zones of one or two rectangles), and returns the tiles of each zone,
/// in the order of `speeds`. Edges of zones are rounded to tiles, or, if a zone would then last
/// more than 10 % longer, the numbers of tiles are in proportion to the speeds. Speeds may be in
/// any unit. A speed of 0 gets an empty zone, and a very small zone may become empty by rounding.
/// Speeds that may be equal if each has a relative error of up to `uncertainty` (from 0 to less
/// than 1, not checked) count as equal. The tiles of a zone are in the order of growing squares
/// around its outermost corner, so that any prefix spans few rows and columns and the last tiles
/// lie where zones meet. Throws InputError unless the speeds are finite, not negative, and at least
/// one is positive.
std::vector<std::vector<std::int32_t>> make_corner_zones(const ProductSize& size,
                                                         const std::vector<double>& speeds,
                                                         double uncertainty);

}  // namespace starport::tiles
