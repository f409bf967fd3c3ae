// Which of the transfers that have been decided may start, on a master that can be in several.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/star/schedule.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace starport {

/// The rules of README, "What is modelled", for two and many ports: transfers of one worker follow
/// each other in the order of the schedule; so do those of one direction on two ports, where the
/// first of them holds its port while its worker is not ready; on many ports, those that could
/// start get the next one in the order of the schedule. Whether an update is over is the worker's
/// business: it holds its port meanwhile.
class PortQueue {
 public:
  explicit PortQueue(const Platform& platform)
      : two_(platform.port.kind == Port::Kind::two),
        most_(platform.port.most_transfers),
        workers_(platform.workers.size()) {}

  /// The next transfer of the schedule.
  void add(int worker, Direction direction) {
    Worker& link = workers_[static_cast<std::size_t>(worker)];
    link.waiting.push_back({next_, direction});
    if (two_) {
      directions_[at(direction)].waiting.emplace_back(next_, worker);
    } else if (link.waiting.size() == 1 && !link.busy) {
      ready_.emplace(next_, worker);
    }
    ++next_;
    ++under_way_;
  }

  /// The worker whose next transfer may start, which then has its port; nullopt when there is none.
  std::optional<int> start() {
    const std::optional<int> worker = two_ ? first_of_a_direction() : first_ready();
    if (!worker) return std::nullopt;
    Worker& link = workers_[static_cast<std::size_t>(*worker)];
    link.busy = true;
    link.waiting.pop_front();
    ++busy_;
    return worker;
  }

  /// The worker's transfer is over, and its port free.
  void end(int worker, Direction direction) {
    Worker& link = workers_[static_cast<std::size_t>(worker)];
    link.busy = false;
    directions_[at(direction)].busy = false;
    if (!two_ && !link.waiting.empty()) ready_.emplace(link.waiting.front().number, worker);
    --busy_;
    --under_way_;
  }

  /// Many ports: one is free.
  bool any_free() const { return most_ == 0 || busy_ < most_; }
  std::int64_t under_way() const { return under_way_; }

 private:
  struct Waiting {
    std::size_t number;
    Direction direction;
  };
  struct Worker {
    std::deque<Waiting> waiting;
    bool busy = false;
  };
  struct OneDirection {
    std::deque<std::pair<std::size_t, int>> waiting;  ///< number, worker
    bool busy = false;
  };

  static std::size_t at(Direction direction) { return static_cast<std::size_t>(direction); }

  std::optional<int> first_of_a_direction() {
    for (OneDirection& direction : directions_) {
      if (direction.busy || direction.waiting.empty()) continue;
      const auto [number, worker] = direction.waiting.front();
      const Worker& link = workers_[static_cast<std::size_t>(worker)];
      if (link.busy || link.waiting.front().number != number) continue;
      direction.busy = true;
      direction.waiting.pop_front();
      return worker;
    }
    return std::nullopt;
  }

  std::optional<int> first_ready() {
    if (ready_.empty() || !any_free()) return std::nullopt;
    const int worker = ready_.begin()->second;
    ready_.erase(ready_.begin());
    return worker;
  }

  bool two_;
  std::int64_t most_;  ///< transfers at once on many ports; 0: no limit
  std::vector<Worker> workers_;
  std::array<OneDirection, 2> directions_;
  std::set<std::pair<std::size_t, int>> ready_;  ///< many ports: workers free, by next transfer
  std::size_t next_ = 0;
  std::int64_t busy_ = 0;
  std::int64_t under_way_ = 0;
};

}  // namespace starport
