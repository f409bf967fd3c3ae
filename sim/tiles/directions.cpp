#include "sim/tiles/directions.hpp"

#include <algorithm>

namespace starport::tiles {

void Directions::add(const Transfer& transfer) {
  const int direction = transfer.to == 0 ? from_node(transfer.from) : to_node(transfer.to);
  at(direction).queue.push_back({transfer, requests_++});
  serve(direction);
}

void Directions::drop(Tile tile, int to) {
  const auto dropped = [&](const Request& request) {
    return request.transfer.tile == tile && request.transfer.to == to;
  };
  for (int direction = 0; direction < static_cast<int>(directions_.size()); ++direction) {
    Direction& line = at(direction);
    if (line.waiting && dropped(line.queue.front())) {
      std::erase(at(from_node(line.queue.front().transfer.from)).waited_by, direction);
      line.waiting = false;
    }
    std::erase_if(line.queue, dropped);
    serve(direction);
  }
}

Transfer Directions::end(int direction) {
  const Transfer transfer = at(direction).carried;
  at(direction).busy = false;
  --under_way_;
  if (between_gpus(transfer)) {
    at(from_node(transfer.from)).busy = false;
    serve(from_node(transfer.from));
  }
  serve(direction);
  return transfer;
}

/// Starts the first in line for a direction, else the first requested of those that wait for it to
/// be idle.
void Directions::serve(int direction) {
  Direction& line = at(direction);
  if (line.busy || line.waiting) return;
  if (line.queue.empty()) {
    serve_waiting(line);
    return;
  }
  const Transfer& first = line.queue.front().transfer;
  if (!between_gpus(first)) {
    start(direction);
    return;
  }
  line.waiting = true;
  at(from_node(first.from)).waited_by.push_back(direction);
  serve(from_node(first.from));
}

void Directions::serve_waiting(Direction& line) {
  const auto first = std::min_element(
      line.waited_by.begin(), line.waited_by.end(),
      [&](int a, int b) { return at(a).queue.front().number < at(b).queue.front().number; });
  if (first == line.waited_by.end()) return;
  const int chosen = *first;
  line.waited_by.erase(first);
  line.busy = true;
  at(chosen).waiting = false;
  start(chosen);
}

void Directions::start(int direction) {
  Direction& line = at(direction);
  line.busy = true;
  line.carried = line.queue.front().transfer;
  line.queue.pop_front();
  ++under_way_;
  started.push_back(direction);
}

}  // namespace starport::tiles
