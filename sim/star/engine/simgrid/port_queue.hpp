// Which of the transfers that have been decided may start, on a master that can be in several.
// Transfers of one worker stream each other in the order of the schedule. Whether an update is over
// is the worker's business: it holds its port meanwhile.
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/star/schedule.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <utility>

namespace starport {

/// Two ports: those of one direction stream each other too. The first of them holds its port while
/// its worker is not ready.
class TwoPortQueue {
 public:
  explicit TwoPortQueue(std::size_t workers) : workers_(workers) {}

  /// The next transfer of the schedule.
  void add(int worker, Direction direction) {
    workers_[worker].waiting.push_back(next_);
    port(direction).waiting.emplace_back(next_++, worker);
  }
  /// The worker whose next transfer may start, which then has its port; nullopt when there is none.
  std::optional<int> start() {
    for (Port& port : ports_) {
      if (port.busy || port.waiting.empty()) continue;
      const auto [number, worker] = port.waiting.front();
      Worker& link = workers_[worker];
      if (link.busy || link.waiting.front() != number) continue;
      port.busy = link.busy = true;
      port.waiting.pop_front();
      link.waiting.pop_front();
      return worker;
    }
    return std::nullopt;
  }
  /// The worker's transfer is over, and its port free.
  void end(int worker, Direction direction) {
    workers_[worker].busy = port(direction).busy = false;
  }

 private:
  struct Worker {
    std::deque<std::int64_t> waiting;  ///< numbers of transfers
    bool busy = false;
  };
  struct Port {
    std::deque<std::pair<std::int64_t, int>> waiting;  ///< number, worker
    bool busy = false;
  };

  Port& port(Direction direction) { return ports_[static_cast<std::size_t>(direction)]; }

  PerWorker<Worker> workers_;
  std::array<Port, 2> ports_;
  std::int64_t next_ = 0;
};

/// Many ports: those that could start get the next free one in the order of the schedule.
class ManyPortQueue {
 public:
  /// At most so many transfers at once; 0: no limit.
  ManyPortQueue(std::size_t workers, std::int64_t max_transfers)
      : workers_(workers), most_(max_transfers) {}

  bool any_free() const { return most_ == 0 || busy_ < most_; }

  void add(int worker, Direction /*direction*/) {
    Worker& link = workers_[worker];
    link.waiting.push_back(next_);
    if (link.waiting.size() == 1 && !link.busy) ready_.emplace(next_, worker);
    ++next_;
  }
  std::optional<int> start() {
    if (ready_.empty() || !any_free()) return std::nullopt;
    const int worker = ready_.extract(ready_.begin()).value().second;
    workers_[worker].busy = true;
    workers_[worker].waiting.pop_front();
    ++busy_;
    return worker;
  }
  void end(int worker, Direction /*direction*/) {
    Worker& link = workers_[worker];
    link.busy = false;
    if (!link.waiting.empty()) ready_.emplace(link.waiting.front(), worker);
    --busy_;
  }

 private:
  struct Worker {
    std::deque<std::int64_t> waiting;  ///< numbers of transfers
    bool busy = false;
  };

  PerWorker<Worker> workers_;
  std::int64_t most_;
  std::set<std::pair<std::int64_t, int>> ready_;  ///< workers free, by their next transfers
  std::int64_t next_ = 0;
  std::int64_t busy_ = 0;
};

}  // namespace starport
