#include "sim/tiles/link_directions.hpp"

#include <algorithm>
#include <utility>

namespace starport::tiles {

void LinkDirections::add(const Transfer& transfer, double now_s) {
  if (transfer.from != 0) ++transfers_[key(transfer)];
  if (cuda_order_) {
    in_order_.push_back({transfer, requests_++, now_s});
    start_in_order();
    return;
  }
  const int direction = direction_of(transfer);
  at(direction).queue.push_back({transfer, requests_++, now_s});
  start_next(direction);
}

bool LinkDirections::cancel(Tile tile, int to) {
  bool under_way = false;
  const auto is_cancelled = [&](const Request& request) {
    return request.transfer.tile == tile && request.transfer.to == to;
  };
  const auto remove = [&](const Request& request) {
    if (!is_cancelled(request)) return false;
    remove_transfer(request.transfer);
    return true;
  };
  std::erase_if(in_order_, remove);
  for (int direction = 0; direction < static_cast<int>(directions_.size()); ++direction) {
    Direction& line = at(direction);
    if (line.waiting && is_cancelled(line.queue.front())) {
      std::erase(at(from_node(line.queue.front().transfer.from)).waiters, direction);
      line.waiting = false;
    }
    std::erase_if(line.queue, remove);
    if (line.carries && is_cancelled(line.carried)) {
      line.cancelled = true;
      under_way = true;
    }
    start_next(direction);
  }
  if (cuda_order_) start_in_order();
  return under_way;
}

void LinkDirections::remove_transfer(const Transfer& transfer) {
  if (transfer.from == 0) return;
  const auto count = transfers_.find(key(transfer));
  if (--count->second == 0) transfers_.erase(count);
}

bool LinkDirections::is_sending(int node, Tile tile) const {
  return std::any_of(directions_.begin(), directions_.end(), [&](const Direction& line) {
    return line.carries && line.carried.transfer.from == node && line.carried.transfer.tile == tile;
  });
}

LinkDirections::Ended LinkDirections::end(int direction) {
  const Transfer transfer = at(direction).carried.transfer;
  const bool cancelled = std::exchange(at(direction).cancelled, false);
  at(direction).busy = at(direction).carries = false;
  --active_transfers_;
  remove_transfer(transfer);
  if (cuda_order_) {
    start_in_order();
    return {.transfer = transfer, .cancelled = cancelled};
  }
  if (is_between_gpus(transfer)) {
    at(from_node(transfer.from)).busy = false;
    start_next(from_node(transfer.from));
  }
  start_next(direction);
  return {.transfer = transfer, .cancelled = cancelled};
}

/// Starts the head of the queue of `direction` if both directions that it needs are idle. If the
/// queue is empty, starts the longest waiting transfer of another queue that needs this direction.
void LinkDirections::start_next(int direction) {
  Direction& line = at(direction);
  if (line.busy || line.waiting || line.blocked) return;
  if (line.queue.empty()) {
    start_waiter(line);
    return;
  }
  const Transfer& first = line.queue.front().transfer;
  if (!is_between_gpus(first)) {
    start(direction);
    return;
  }
  line.waiting = true;
  at(from_node(first.from)).waiters.push_back(direction);
  start_next(from_node(first.from));
}

void LinkDirections::start_waiter(Direction& line) {
  const auto first = std::min_element(line.waiters.begin(), line.waiters.end(), [&](int a, int b) {
    return at(a).queue.front().number < at(b).queue.front().number;
  });
  if (first == line.waiters.end()) return;
  const int chosen = *first;
  line.waiters.erase(first);
  line.busy = true;
  at(chosen).waiting = false;
  start(chosen);
}

/// Starts all requested transfers that need not wait for one that is under way or was requested
/// before.
void LinkDirections::start_in_order() {
  struct Use {
    bool writes = false;  ///< a transfer into the GPU
    bool reads = false;   ///< a transfer from it to another GPU
    bool sends = false;   ///< a transfer from it to main memory
  };
  std::vector<Use> uses(1 + directions_.size() / 2);
  const auto use = [&](int node) -> Use& { return uses[static_cast<std::size_t>(node)]; };
  const auto add_uses = [&](const Transfer& transfer) {
    if (transfer.to == 0) {
      use(transfer.from).sends = true;
      return;
    }
    use(transfer.to).writes = true;
    if (transfer.from != 0) use(transfer.from).reads = true;
  };
  for (const Direction& line : directions_) {
    if (line.carries) add_uses(line.carried.transfer);
  }
  std::erase_if(in_order_, [&](const Request& request) {
    const Transfer& transfer = request.transfer;
    const auto& [tile, from, to] = transfer;
    const bool waits = to == 0 ? use(from).sends
                               : use(to).writes || use(to).reads || (from != 0 && use(from).writes);
    add_uses(transfer);
    if (waits) return false;
    const int direction = direction_of(transfer);
    at(direction).busy = at(direction).carries = true;
    at(direction).carried = request;
    ++active_transfers_;
    started.push_back(direction);
    return true;
  });
}

void LinkDirections::start(int direction) {
  Direction& line = at(direction);
  line.busy = line.carries = true;
  line.carried = line.queue.front();
  line.queue.pop_front();
  ++active_transfers_;
  started.push_back(direction);
}

}  // namespace starport::tiles
