// The requests of many workers, of which only those whose dates change are looked at again.
#pragma once

#include "heuristics/star/demand_driven.hpp"
#include "heuristics/star/fast/tournament.hpp"
#include "sim/platform/per_worker.hpp"
#include "sim/platform/ties.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace starport::fast {

/// As ScannedRequests, in O(log p) for each worker whose dates have changed.
class FollowedRequests {
 public:
  /// On two ports, those to return blocks are kept apart.
  explicit FollowedRequests(std::size_t workers, bool two_ports = false)
      : after_update_(workers, kNone),
        dates_(workers),
        home_(two_ports ? std::make_unique<FollowedRequests>(workers) : nullptr) {}

  /// Once dates have been asked for, a new request gets one when the worker's previous transfer is
  /// recorded.
  void post(int worker, std::int64_t after_update, Direction direction = Direction::to_worker) {
    if (home_ && direction == Direction::to_master) return home_->post(worker, after_update);
    after_update_[worker] = after_update;
    ++outstanding_;
  }
  /// Gives the request of a worker that has been idle its date.
  void update_date(const MasterView& star, int worker) {
    if (after_update_[worker] == kNone) return;
    dates_.set_to_the_root(static_cast<std::size_t>(worker),
                           star.request_date_s(worker, after_update_[worker]));
    if (worker == withdrawn_) withdrawn_ = kNobody;
  }

  void withdraw(int worker) {
    if (home_ && home_->posted(worker)) return home_->withdraw(worker);
    forget_withdrawn();
    after_update_[worker] = kNone;
    --outstanding_;
    withdrawn_ = worker;
  }
  bool posted(int worker) const {
    return after_update_[worker] != kNone || (home_ && home_->posted(worker));
  }
  bool none() const { return outstanding_ == 0 && (!home_ || home_->none()); }

  std::optional<Request> earliest(const MasterView& star) {
    follow(star);
    if (none()) return std::nullopt;
    if (!home_) return first();
    home_->follow(star);
    return earlier(star.is_port_free(Direction::to_worker) ? first() : Request{},
                   star.is_port_free(Direction::to_master) ? home_->first() : Request{});
  }

  /// Whose the earliest of given dates is; `size` when nobody has one.
  static std::size_t earliest_of(const Tournament& dates, double /*now_s*/) {
    return dates.first_of_least();
  }

 private:
  static constexpr std::int64_t kNone = -1;
  static constexpr int kNobody = -1;

  void follow(const MasterView& star) {
    if (changes_seen_ && star.changes().covers_since(*changes_seen_)) {
      for (std::int64_t n = *changes_seen_; n < star.changes().count(); ++n) {
        update_date(star, star.changes().worker(n));
      }
    } else {
      for (std::size_t i = 0; i < after_update_.size(); ++i) {
        const auto worker = static_cast<int>(i);
        if (after_update_[worker] != kNone) {
          dates_.set(i, star.request_date_s(worker, after_update_[worker]));
          if (worker == withdrawn_) withdrawn_ = kNobody;
        }
      }
    }
    changes_seen_ = star.changes().count();
    forget_withdrawn();
  }

  void forget_withdrawn() {
    if (withdrawn_ != kNobody) dates_.set(static_cast<std::size_t>(withdrawn_), kUnknown);
    withdrawn_ = kNobody;
  }

  /// Of those kept here; of an unknown date when there is none.
  Request first() const {
    const std::size_t first = dates_.first_of_least();
    if (first == dates_.size()) return {};
    return {.worker = static_cast<int>(first), .date_s = dates_[first]};
  }

  PerWorker<std::int64_t> after_update_;  ///< kNone: no request
  std::size_t outstanding_ = 0;
  Tournament dates_;
  std::optional<std::int64_t> changes_seen_;  ///< of the star's dates
  /// Whose date is still there though its request is not: mostly the next one takes its place.
  int withdrawn_ = kNobody;
  std::unique_ptr<FollowedRequests> home_;
};

}  // namespace starport::fast
