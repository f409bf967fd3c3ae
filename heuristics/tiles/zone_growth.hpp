// Zones that grow from the corners of C, and a hub that computes where they meet. Ours, after the
// allocations of ICPP'18 and its thefts; README.md says why, and what it gains.
#pragma once

#include "sim/tiles/strategy.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport::tiles {

/// C is divided among the GPUs alone. A GPU opens the tiles of its zone one after the other from
/// the zone's outermost corner, square upon square, and keeps a few open at once. The hub's workers
/// take from the other end of the zone that will be done last, one task at a time: that moves
/// nothing, and what they leave the GPU goes on with. A GPU whose zone is done takes tiles that are
/// not open yet, those that bring least with them. Durations are measured as tasks end.
class ZoneGrowth : public Strategy {
 public:
  struct Parameters {
    double uncertainty = 0.2;  ///< of the durations known before the start, a part of them
    int open_tiles = 6;        ///< of C that a GPU works on at once
  };

  explicit ZoneGrowth(const StrategyContext& context);
  ZoneGrowth(const StrategyContext& context, const Parameters& parameters);

  std::optional<int> push(const Task& task, double now_s) override;
  std::optional<Task> pop(int worker) override;
  std::optional<Task> steal(int worker) override;
  void on_task_end(int worker, const Task& task, double now_s) override;
  void on_worker_stop(int worker) override;

 private:
  using Cell = std::int32_t;  ///< a tile of C

  /// Of a tile of C.
  struct Progress {
    std::int32_t k = 0;       ///< of its next task
    std::int32_t owner = 0;   ///< the node in whose zone it is
    std::int32_t shell = -1;  ///< about the corner, for the first tiles of a zone
    bool ready = true;        ///< nobody has its next task
    bool open = false;        ///< at the GPU that owns it
  };

  struct Ready {
    std::int64_t rank = 0;
    Cell cell = 0;
  };

  struct Zone {
    std::vector<Cell> order{};   ///< in which its node opens them
    std::size_t head = 0;        ///< all before it are open or done
    std::size_t tail = 0;        ///< all from it on are open or done
    std::int64_t left = 0;       ///< tasks that have not ended
    int open = 0;                ///< tiles
    bool stopped = false;        ///< its node has no worker any more
    std::vector<Ready> ready{};  ///< open tiles whose next task is ready
    std::optional<Tile> last_request{};
    std::vector<bool> rows{};     ///< of A, that the node has begun to fetch
    std::vector<bool> columns{};  ///< of B
  };

  /// Of a worker.
  struct Pace {
    double task_s = 0;   ///< what a task takes it, waits for data included
    double unit_s = 0;   ///< in which it is measured
    double since_s = 0;  ///< when it last began to have something to do, or ended a task
    std::int64_t ended = 0;
    int given = 0;  ///< tasks that have not ended
    bool stopped = false;
    std::optional<Cell> cell{};  ///< where a worker of the hub was last
  };

  double known_s(double nominal_s, std::uint64_t resource) const;
  void divide();
  void open_square(int node);

  std::optional<Task> help(int worker);
  bool helps(int worker, Cell cell) const;
  void open(int node, Cell cell);
  void close(Cell cell);
  void make_ready(Cell cell);
  std::optional<Cell> next_ready(int node) const;
  bool fetching(int node) const;
  Task take_ready(int worker, Cell cell);
  std::optional<Cell> cheapest_closed(int node);
  std::optional<Cell> close_rest(int node, double step_s, double fetch_s);
  Task take(int worker, Cell cell);

  bool closed(Cell cell) const;
  bool settled(Cell cell) const;
  std::optional<Cell> first_closed(Zone& zone) const;
  std::optional<Cell> last_closed(Zone& zone) const;
  std::optional<int> latest(int but);
  double task_s(int node) const;
  double tile_s(int node) const { return tile_s_[static_cast<std::size_t>(node)]; }
  double finish_s(int node) const;
  std::int64_t left_of(Cell cell) const { return n_ - at(cell).k; }
  int new_lines(int node, Cell cell) const;
  int cost(int node, Cell cell) const;

  int node_of(int worker) const { return context_.platform.worker(worker).node; }
  Zone& zone(int node) { return zones_[static_cast<std::size_t>(node)]; }
  const Zone& zone(int node) const { return zones_[static_cast<std::size_t>(node)]; }
  Progress& at(Cell cell) { return cells_[static_cast<std::size_t>(cell)]; }
  const Progress& at(Cell cell) const { return cells_[static_cast<std::size_t>(cell)]; }

  StrategyContext context_;
  Parameters parameters_;
  std::int32_t n_;
  std::vector<Zone> zones_;                ///< of each node
  std::vector<std::vector<int>> workers_;  ///< of each node
  std::vector<double> tile_s_;             ///< of each node: what it takes to send it a tile
  std::vector<Pace> paces_{};              ///< of each worker
  std::vector<Progress> cells_;            ///< of each tile of C
  double now_s_ = 0;
  std::int64_t pushes_ = 0;
};

}  // namespace starport::tiles
