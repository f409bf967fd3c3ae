#include "sim/tiles/link_directions.hpp"

#include <algorithm>
#include <utility>

namespace starport::tiles {

void LinkDirections::add(const Transfer& transfer, double now_s) {
  if (transfer.from != 0) ++transfers_[key(transfer)];
  const int direction = direction_of(transfer);
  if (cuda_order_ && is_between_gpus(transfer))
    at(from_node(transfer.from)).reads.insert(requests_);
  at(direction).queue.push_back({transfer, requests_++, now_s});
  if (cuda_order_) {
    start_in_order();
  } else {
    start_next(direction);
  }
}

bool LinkDirections::cancel(Tile tile, int to) {
  bool under_way = false;
  const auto is_cancelled = [&](const Request& request) {
    return request.transfer.tile == tile && request.transfer.to == to;
  };
  const auto remove = [&](const Request& request) {
    if (!is_cancelled(request)) return false;
    remove_transfer(request);
    return true;
  };
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
    if (!cuda_order_) start_next(direction);
  }
  if (cuda_order_) start_in_order();
  return under_way;
}

void LinkDirections::remove_transfer(const Request& request) {
  const Transfer& transfer = request.transfer;
  if (transfer.from == 0) return;
  if (cuda_order_) at(from_node(transfer.from)).reads.erase(request.number);
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
  remove_transfer(at(direction).carried);
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

/// Returns true if, in the order of CUDA, the head of the queue of `direction` waits neither for a
/// transfer that is under way nor for one that was requested before. False for an empty queue.
bool LinkDirections::can_start_in_order(int direction) const {
  const Direction& line = at(direction);
  if (line.carries || line.queue.empty()) return false;
  const Request& head = line.queue.front();
  const auto [tile, from, to] = head.transfer;
  if (to == 0) return true;
  // A transfer out of a GPU waits for those requested before into it, so that whatever is under way
  // to another GPU has a lower number than all that wait to get in.
  const auto& reads = at(from_node(to)).reads;
  if (!reads.empty() && *reads.begin() < head.number) return false;
  if (from == 0) return true;
  const Direction& source = at(to_node(from));
  return !source.carries && (source.queue.empty() || source.queue.front().number > head.number);
}

/// Starts all requested transfers that need not wait for one that is under way or was requested
/// before, in the order of their requests. Only the first of a queue can be among them.
void LinkDirections::start_in_order() {
  std::vector<int> starting;
  for (int direction = 0; direction < static_cast<int>(directions_.size()); ++direction) {
    if (can_start_in_order(direction)) starting.push_back(direction);
  }
  std::sort(starting.begin(), starting.end(),
            [&](int a, int b) { return at(a).queue.front().number < at(b).queue.front().number; });
  for (const int direction : starting) start(direction);
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
