// Pending requests of many workers, indexed by date.
#pragma once

#include "heuristics/star/demand_driven.hpp"
#include "heuristics/star/fast/tournament.hpp"
#include "sim/platform/platform.hpp"
#include "sim/platform/ties.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace starport::fast {

/// The pending requests of the workers for their next transfers, at most one per worker, indexed by
/// date. Owned by a dispatcher, for one run. Finds the same earliest requests as ScannedRequests
/// without `by_index`, but in O(log p) per worker whose dates have changed since the last search,
/// for p workers; the first search, and one after more changes than MasterView::changes() keeps,
/// visits all p. A request posted for a worker that has been idle also needs update_date(). Refers
/// to no other object. Worker indices are not checked: beyond the number of workers, the behaviour
/// is undefined.
class IndexedRequests {
 public:
  /// Creates an empty collection of requests for `workers` workers. `two_ports`: the master has one
  /// port for each direction; requests to return blocks then get an index of their own, and only
  /// requests whose port is free are considered.
  explicit IndexedRequests(std::size_t workers, bool two_ports = false)
      : after_update_(workers, kNone),
        dates_(workers),
        returns_(two_ports ? std::make_unique<IndexedRequests>(workers) : nullptr) {}

  /// Adds a pending request of `worker` (index from 0) for a transfer in `direction` (which matters
  /// on two ports only) that must wait for the worker's `after_update`-th update (from 1; 0: none).
  /// The worker must have no pending request (not checked). After the first find_earliest(), the
  /// next search finds the request only if the worker's dates have changed since the last search
  /// (MasterView::changes(): its previous transfer has ended) or update_date() is called.
  void post(int worker, std::int64_t after_update, Direction direction = Direction::to_worker) {
    if (returns_ && direction == Direction::to_master) return returns_->post(worker, after_update);
    after_update_[worker] = after_update;
    ++count_;
  }
  /// Computes anew the date from which the pending request of `worker` (index from 0) can be
  /// served. Needed after post() for a worker that has been idle, whose dates do not change. Does
  /// nothing if it has no request, or one to return blocks on two ports. `master` must be the view
  /// passed to find_earliest(), and is not kept.
  void update_date(const MasterView& master, int worker) {
    if (after_update_[worker] == kNone) return;
    dates_.set(static_cast<std::size_t>(worker),
               master.request_date_s(worker, after_update_[worker]));
    if (worker == withdrawn_) withdrawn_ = kNobody;
  }

  /// Removes the pending request of `worker` (index from 0), which must have one (not checked:
  /// is_empty() would be wrong from then on).
  void withdraw(int worker) {
    if (returns_ && returns_->has_request(worker)) return returns_->withdraw(worker);
    clear_withdrawn();
    after_update_[worker] = kNone;
    --count_;
    withdrawn_ = worker;
  }
  /// Returns true if `worker` (index from 0; beyond the number of workers: undefined behaviour) has
  /// a pending request for its next transfer.
  bool has_request(int worker) const {
    return after_update_[worker] != kNone || (returns_ && returns_->has_request(worker));
  }
  /// Returns true if no worker has a pending request for a transfer.
  bool is_empty() const { return count_ == 0 && (!returns_ || returns_->is_empty()); }

  /// Returns the pending request that can be served from the earliest date on (seconds since the
  /// start of the run, maybe past) in the view `master`; of equal dates (within a relative 1e-9)
  /// the one with the smallest worker index; with two ports, among those whose port is free. A
  /// request posted since the last call may be missed unless the worker's dates have changed since
  /// then or update_date() has been called. Returns nullopt if there is no request, and a Request
  /// of date kUnknown (infinity), whose worker is meaningless, if none whose port is free has a
  /// known date. Must be called with the same `master`, which is not kept, during the life of this
  /// object.
  std::optional<Request> find_earliest(const MasterView& master) {
    update_dates(master);
    if (is_empty()) return std::nullopt;
    if (!returns_) return find_first();
    returns_->update_dates(master);
    return earlier(master.is_port_free(Direction::to_worker) ? find_first() : Request{},
                   master.is_port_free(Direction::to_master) ? returns_->find_first() : Request{});
  }

  /// Returns the index of the worker with the earliest of `dates` (seconds, one per worker;
  /// infinity for a worker without a request), of equal dates (within a relative 1e-9) the smallest
  /// index; dates.size() if all are infinite. The second argument is not used.
  static std::size_t find_earliest_of(const Tournament& dates, double /*now_s*/) {
    return dates.first_of_least();
  }

 private:
  static constexpr std::int64_t kNone = -1;
  static constexpr int kNobody = -1;

  /// Updates the dates of workers whose dates have changed since the last call.
  void update_dates(const MasterView& master) {
    if (changes_seen_ && master.changes().covers_since(*changes_seen_)) {
      for (std::int64_t n = *changes_seen_; n < master.changes().count(); ++n) {
        update_date(master, master.changes().worker(n));
      }
    } else {
      for (std::size_t i = 0; i < after_update_.size(); ++i) {
        const auto worker = static_cast<int>(i);
        if (after_update_[worker] != kNone) {
          dates_.set(i, master.request_date_s(worker, after_update_[worker]));
          if (worker == withdrawn_) withdrawn_ = kNobody;
        }
      }
    }
    changes_seen_ = master.changes().count();
    clear_withdrawn();
  }

  void clear_withdrawn() {
    if (withdrawn_ != kNobody) dates_.set(static_cast<std::size_t>(withdrawn_), kUnknown);
    withdrawn_ = kNobody;
  }

  /// Returns the earliest request in this index; one of date kUnknown if there is none.
  Request find_first() const {
    const std::size_t first = dates_.first_of_least();
    if (first == dates_.size()) return {};
    return {.worker = static_cast<int>(first), .date_s = dates_[first]};
  }

  PerWorker<std::int64_t> after_update_;  ///< by worker; kNone: no request
  std::size_t count_ = 0;
  Tournament dates_;
  std::optional<std::int64_t> changes_seen_;  ///< number of the next change in the log
  /// Worker whose request is withdrawn but still indexed, as its next request mostly replaces it.
  int withdrawn_ = kNobody;
  std::unique_ptr<IndexedRequests> returns_;  ///< on two ports: requests to return blocks
};

}  // namespace starport::fast
