// Queues of transfers for the two directions of every GPU link.
#pragma once

#include "sim/tiles/task.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace starport::tiles {

/// The copy of one tile from one memory node to another.
struct Transfer {
  Tile tile = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;

  bool operator==(const Transfer&) const = default;
};

/// All link directions of a machine, numbered 2 (m - 1) to node m and 2 (m - 1) + 1 from node m.
/// Each direction carries one transfer at a time, first come first served. A transfer between two
/// GPUs occupies two directions: it queues for the direction to its destination and, at the head of
/// that queue, waits until the direction from its source is idle and has no queue of its own. Of
/// several such transfers, the one requested first goes first.
class LinkDirections {
 public:
  explicit LinkDirections(int nodes) : directions_(2 * static_cast<std::size_t>(nodes - 1)) {}

  /// Requests a transfer and starts it if its directions are idle.
  void add(const Transfer& transfer);
  /// Cancels the requested transfers of `tile` to node `to` that have not started.
  void cancel(Tile tile, int to);
  /// Ends and returns the transfer that `direction` carries, and starts those that waited for it.
  Transfer end(int direction);
  /// Returns the transfer that `direction` carries, or carried last.
  const Transfer& carried(int direction) const { return at(direction).carried; }
  int active_transfers() const { return active_transfers_; }

  /// Indices of the directions whose transfers have started, in order. The caller clears it.
  std::vector<int> started{};

 private:
  struct Request {
    Transfer transfer;
    std::int64_t number;  ///< in the order of requests
  };
  struct Direction {
    std::deque<Request> queue{};
    bool busy = false;
    bool waiting = false;        ///< the head of the queue waits for the direction from its source
    std::vector<int> waiters{};  ///< directions whose queue's head waits for this direction
    Transfer carried{};
  };

  static bool is_between_gpus(const Transfer& transfer) {
    return transfer.from != 0 && transfer.to != 0;
  }
  static int to_node(int node) { return 2 * (node - 1); }
  static int from_node(int node) { return 2 * (node - 1) + 1; }
  Direction& at(int direction) { return directions_[static_cast<std::size_t>(direction)]; }
  const Direction& at(int direction) const {
    return directions_[static_cast<std::size_t>(direction)];
  }
  void start_next(int direction);
  void start_waiter(Direction& direction);
  void start(int direction);

  std::vector<Direction> directions_;
  std::int64_t requests_ = 0;
  int active_transfers_ = 0;
};

}  // namespace starport::tiles
