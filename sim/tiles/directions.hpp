// The directions of the links: each carries one transfer at a time, first come first served.
#pragma once

#include "sim/tiles/task.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace starport::tiles {

struct Transfer {
  Tile tile = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;

  bool operator==(const Transfer&) const = default;
};

/// The link of node m has direction 2 (m - 1) to it and the next one from it. A transfer between
/// two GPUs waits in line for the direction to the one, then for that from the other to be idle,
/// without a place in that line, and takes up both; of several that wait so, the first requested
/// goes first.
class Directions {
 public:
  explicit Directions(int nodes) : directions_(2 * static_cast<std::size_t>(nodes - 1)) {}

  void add(const Transfer& transfer);
  /// Nobody waits for the tile there any more: what has not started leaves the line.
  void drop(Tile tile, int to);
  /// Ends what the direction carries; what it held up starts.
  Transfer end(int direction);
  const Transfer& carried(int direction) const { return at(direction).carried; }
  int under_way() const { return under_way_; }

  /// Directions whose transfers have started since they were last cleared, in order.
  std::vector<int> started{};

 private:
  struct Request {
    Transfer transfer;
    std::int64_t number;
  };
  struct Direction {
    std::deque<Request> queue{};
    bool busy = false;
    bool waiting = false;          ///< its first waits for another's direction
    std::vector<int> waited_by{};  ///< directions whose first waits for this one
    Transfer carried{};
  };

  static bool between_gpus(const Transfer& transfer) {
    return transfer.from != 0 && transfer.to != 0;
  }
  static int to_node(int node) { return 2 * (node - 1); }
  static int from_node(int node) { return 2 * (node - 1) + 1; }
  Direction& at(int direction) { return directions_[static_cast<std::size_t>(direction)]; }
  const Direction& at(int direction) const {
    return directions_[static_cast<std::size_t>(direction)];
  }
  void serve(int direction);
  void serve_waiting(Direction& line);
  void start(int direction);

  std::vector<Direction> directions_;
  std::int64_t requests_ = 0;
  int under_way_ = 0;
};

}  // namespace starport::tiles
