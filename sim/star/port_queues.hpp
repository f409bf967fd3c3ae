// Queues of transfers that have been decided but have not started, for masters with several ports.
// Transfers of one worker start in the order of the schedule. A transfer that waits for an update
// has started as far as its queue is concerned: it holds its port.
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

namespace starport {

/// Queue for a two-port master (one send port, one receive port) of transfers that have been
/// decided but have not started, with the state of the ports and of the workers' links. Decides
/// only which transfer starts next; the caller simulates it. Transfers of one worker, and those of
/// one direction, start in the order in which they were added: the first one of a direction blocks
/// the others while its worker is in another transfer or has an earlier one waiting. Workers are
/// indices from 0, which must exist (not checked: undefined behaviour).
class TwoPortQueue {
 public:
  /// Creates an empty queue in which both ports of the master and all `workers` workers are free,
  /// i.e. in no transfer.
  explicit TwoPortQueue(std::size_t workers) : workers_(workers) {}

  /// Appends to the queue the transfer that was decided next, between the master and `worker`
  /// (index from 0, not checked) in this direction. Starts nothing.
  void add(int worker, Direction direction) {
    workers_[worker].waiting.push_back(next_);
    port(direction).waiting.emplace_back(next_++, worker);
  }
  /// Removes from the queue the first waiting transfer to a worker if that may start (its port and
  /// its worker are free, and no earlier transfer of the worker waits), else the first one to the
  /// master if that may, and marks port and worker as busy. Returns the index from 0 of the worker,
  /// whose transfers start in the order of add(); nullopt if neither may start. After each add()
  /// and end(), call it until it returns nullopt.
  std::optional<int> start_next() {
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
  /// Marks `worker` (index from 0) and the master's port of this direction as free, at the end of a
  /// transfer in this direction that start_next() started (not checked). Starts nothing.
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

/// Queue for a multi-port master (several transfers at once, in either direction) of transfers that
/// have been decided but have not started, with the number of busy ports and the state of the
/// workers' links. Decides only which transfer starts next; the caller simulates it. Transfers
/// whose workers are free get the next free port in the order in which they were added; those of
/// one worker start in that order. Workers are indices from 0, which must exist (not checked:
/// undefined behaviour).
class ManyPortQueue {
 public:
  /// Creates an empty queue in which all `workers` workers are free, i.e. in no transfer.
  /// `max_transfers` is the number of the master's ports, the largest number of transfers at once;
  /// 0: no limit. It must not be negative (not checked: nothing would start).
  ManyPortQueue(std::size_t workers, std::int64_t max_transfers)
      : workers_(workers), max_transfers_(max_transfers) {}

  /// Returns whether fewer transfers are under way (started and not ended) than the master has
  /// ports; true if the number of ports is not limited.
  bool is_any_port_free() const { return max_transfers_ == 0 || busy_ < max_transfers_; }

  /// Appends to the queue the transfer that was decided next, between the master and `worker`
  /// (index from 0, not checked); its direction does not matter. Starts nothing.
  void add(int worker, Direction /*direction*/) {
    Worker& link = workers_[worker];
    link.waiting.push_back(next_);
    if (link.waiting.size() == 1 && !link.busy) ready_.emplace(next_, worker);
    ++next_;
  }
  /// Removes from the queue the first waiting transfer whose worker is free, if a port of the
  /// master is free, and marks one port and the worker as busy. Returns the index from 0 of the
  /// worker, whose transfers start in the order of add(); nullopt if no transfer may start. After
  /// each add() and end(), call it until it returns nullopt.
  std::optional<int> start_next() {
    if (ready_.empty() || !is_any_port_free()) return std::nullopt;
    const int worker = ready_.extract(ready_.begin()).value().second;
    workers_[worker].busy = true;
    workers_[worker].waiting.pop_front();
    ++busy_;
    return worker;
  }
  /// Marks `worker` (index from 0) and one port of the master as free, at the end of a transfer
  /// that start_next() started (not checked); the direction does not matter. Starts nothing.
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
  std::int64_t max_transfers_;
  std::set<std::pair<std::int64_t, int>> ready_;  ///< next transfers of free workers
  std::int64_t next_ = 0;
  std::int64_t busy_ = 0;
};

}  // namespace starport
