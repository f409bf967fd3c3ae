// Queues of transfers for the two directions of every GPU link.
#pragma once

#include "sim/tiles/task_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace starport::tiles {

/// The copying of one tile (a square block of a matrix) from one memory node (0: main memory, from
/// 1: GPUs) to another. A plain value without state and dates: it names a transfer that is
/// requested, under way or over.
struct Transfer {
  /// Number of the tile that is copied, from 0, as in TaskGraph::numbering(): one numbering of the
  /// tiles of A, B and C and of the auxiliary ones (partial sums).
  Tile tile = 0;
  /// Memory node that the tile is copied from: 0 is main memory, from 1 on a GPU.
  std::int32_t from = 0;
  /// Memory node that gets the copy: 0 is main memory, from 1 on a GPU; must differ from `from`.
  std::int32_t to = 0;

  bool operator==(const Transfer&) const = default;
};

/// Queues of tile transfers for all link directions (to and from each GPU) of a machine. Direction
/// 2 (m - 1) leads to GPU m (from 1) and 2 (m - 1) + 1 comes from it. Each direction carries one
/// transfer at a time, first come first served. A transfer between two GPUs occupies two directions
/// and is reported under the one to its destination: it queues there and, at the head of that
/// queue, waits until the direction from its source is idle and has no queue of its own. If several
/// such transfers wait for one source, the one requested first goes first. Has no clock: the caller
/// decides when a transfer ends, and reads and clears `started` after each add(), cancel(), end()
/// and set_blocked().
///
/// In the order of CUDA, as StarPU simulates it, a transfer from one GPU to another waits for all
/// transfers into either of them that were requested before, and transfers into either of them that
/// are requested later wait for it. It does not occupy the direction from its source, which may
/// send to main memory and to other GPUs meanwhile.
class LinkDirections {
 public:
  /// Creates idle link directions for a machine with `nodes` memory nodes, main memory and the GPUs
  /// (at least 1, not checked). `cuda_order`: transfers start in the order of CUDA, i.e. one from
  /// GPU to GPU waits for all requested before into either of them, and later ones into either wait
  /// for it; set_blocked() then has no effect.
  explicit LinkDirections(int nodes, bool cuda_order = false)
      : directions_(2 * static_cast<std::size_t>(nodes - 1)), cuda_order_(cuda_order) {}

  /// Requests a transfer and starts it (see `started`) if no transfer comes before it and
  /// set_blocked() does not hold it back; otherwise it waits in a queue. `now_s`, the simulated
  /// date in seconds, is only stored (Request::date_s). The memory nodes of `transfer` must exist
  /// and differ (not checked; undefined behaviour otherwise).
  void add(const Transfer& transfer, double now_s = 0);
  /// Cancels the transfers of `tile` to memory node `to` (0: main memory, from 1: GPUs), if any.
  /// One that has not started is removed, which may let others start (see `started`); one that is
  /// under way goes on, but end() reports it as cancelled. Returns true if one is under way. Walks
  /// all queues.
  bool cancel(Tile tile, int to);
  /// A transfer of a tile that add() has requested, with the number and the date of the request;
  /// carried() returns it once it has started.
  struct Request {
    /// The tile and the memory nodes from and to which it is copied.
    Transfer transfer{};
    /// Number of the transfer in the order of requests, from 0.
    std::int64_t number = 0;
    /// Simulated date in seconds of the request.
    double date_s = 0;
  };
  /// A transfer of a tile that has ended, and whether it was cancelled, as end() returns it.
  struct Ended {
    /// The transfer that has ended: its tile and the memory nodes from and to which it was copied.
    Transfer transfer{};
    /// True if it was cancelled while it was under way, so that the copy is out of date.
    bool cancelled = false;
  };
  /// Ends and returns the transfer that the link direction with this number carries, and starts
  /// those that waited for it (see `started`). The direction must be one that `started` listed and
  /// that has not ended since (not checked: otherwise the queues are wrong from then on).
  Ended end(int direction);
  /// Returns true if a transfer of `tile` from GPU `node` (from 1) waits in a queue or is under
  /// way, cancelled or not.
  bool has_transfer_from(int node, Tile tile) const {
    return transfers_.contains(key({.tile = tile, .from = node}));
  }
  /// Returns true if a transfer of `tile` from memory node `node` (0: main memory, from 1: GPUs) is
  /// under way, cancelled or not. Walks all directions.
  bool is_sending(int node, Tile tile) const;
  /// Returns true if either link direction of the GPU `node` (from 1, must exist, not checked) is
  /// in use by a transfer or has transfers in its queue. A transfer between two GPUs that waits
  /// counts for its destination only. In the order of CUDA (`cuda_order` of the constructor), no
  /// transfer that waits counts, and one between two GPUs that is under way counts for its
  /// destination only.
  bool has_transfers(int node) const {
    const auto is_used = [this](const Direction& line) {
      return line.busy || (!cuda_order_ && !line.queue.empty());
    };
    return is_used(at(to_node(node))) || is_used(at(from_node(node)));
  }
  /// Holds back (true) the transfers in the two link directions of the GPU `node` (from 1, must
  /// exist, not checked) that have not started, or lets them start (false; see `started`); those
  /// under way go on. For use where tiles move between main memory and GPUs only: a transfer from
  /// GPU to GPU that waits for its source may start all the same. Has no effect in the order of
  /// CUDA (`cuda_order` of the constructor).
  void set_blocked(int node, bool blocked) {
    if (cuda_order_) return;
    for (const int direction : {to_node(node), from_node(node)}) {
      at(direction).blocked = blocked;
      start_next(direction);
    }
  }
  /// Returns the transfer that the link direction with this number carries, or the last one that it
  /// carried; a default Request if there was none. Direction 2 (m - 1) leads to GPU m (from 1), and
  /// 2 (m - 1) + 1 comes from it; a transfer between two GPUs is found under the direction to its
  /// destination. The reference is valid as long as this object; its content changes when the
  /// direction starts another transfer. A direction out of range is undefined behaviour.
  const Request& carried(int direction) const { return at(direction).carried; }
  /// Returns the number of transfers, in all link directions, that have started and not ended.
  int active_transfers() const { return active_transfers_; }

  /// Number of the link direction (see LinkDirections) of each transfer that has started since the
  /// caller last cleared this list, in the order of their starts; carried() returns the transfer.
  std::vector<int> started{};

 private:
  struct Direction {
    std::deque<Request> queue{};
    bool busy = false;
    bool carries = false;        ///< `carried` is under way
    bool cancelled = false;      ///< `carried` has been cancelled
    bool blocked = false;        ///< starts nothing
    bool waiting = false;        ///< the head of the queue waits for the direction from its source
    std::vector<int> waiters{};  ///< directions whose queue's head waits for this direction
    /// In the order of CUDA, for a direction that comes from a GPU: numbers of the transfers from
    /// it to other GPUs that are requested or under way.
    std::set<std::int64_t> reads{};
    Request carried{};
  };

  static bool is_between_gpus(const Transfer& transfer) {
    return transfer.from != 0 && transfer.to != 0;
  }
  static int to_node(int node) { return 2 * (node - 1); }
  static int from_node(int node) { return 2 * (node - 1) + 1; }
  static int direction_of(const Transfer& transfer) {
    return transfer.to == 0 ? from_node(transfer.from) : to_node(transfer.to);
  }
  Direction& at(int direction) { return directions_[static_cast<std::size_t>(direction)]; }
  const Direction& at(int direction) const {
    return directions_[static_cast<std::size_t>(direction)];
  }
  static std::int64_t key(const Transfer& transfer) {
    return (std::int64_t{transfer.from} << 32) + transfer.tile;
  }
  void remove_transfer(const Request& request);
  void start_next(int direction);
  void start_waiter(Direction& direction);
  void start(int direction);
  bool can_start_in_order(int direction) const;
  void start_in_order();

  std::vector<Direction> directions_;
  bool cuda_order_;
  std::unordered_map<std::int64_t, int> transfers_{};  ///< from GPUs: counted by source and tile
  std::int64_t requests_ = 0;
  int active_transfers_ = 0;
};

}  // namespace starport::tiles
