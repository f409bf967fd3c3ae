#include "heuristics/star/fast/followed_requests.hpp"

#include "sim/platform/ties.hpp"

#include <utility>

namespace starport::fast {

Request FollowedRequests::first() const {
  if (earliest_ == after_update_.size()) return {};
  return {.worker = static_cast<int>(earliest_), .date_s = dates_[earliest_]};
}

std::optional<Request> FollowedRequests::earliest(const MasterView& star) {
  follow(star);
  if (none()) return std::nullopt;
  if (!home_) return first();
  home_->follow(star);
  return earlier(star.free(Direction::to_worker) ? first() : Request{},
                 star.free(Direction::to_master) ? home_->first() : Request{});
}

void FollowedRequests::follow(const MasterView& star) {
  if (changes_seen_ && star.changes().remembers_since(*changes_seen_)) {
    for (std::int64_t n = *changes_seen_; n < star.changes().count(); ++n) {
      update_date(star, star.changes().worker(n));
    }
  } else {
    for (std::size_t i = 0; i < after_update_.size(); ++i) {
      const auto worker = static_cast<int>(i);
      if (after_update_[worker] != kNone) {
        dates_.set(i, star.request_date_s(worker, after_update_[worker]));
      }
    }
    earliest_ = dates_.first_of_least();
  }
  changes_seen_ = star.changes().count();
}

void FollowedRequests::update_date(const MasterView& star, int worker) {
  if (after_update_[worker] == kNone) return;
  const auto i = static_cast<std::size_t>(worker);
  const double new_s = star.request_date_s(worker, after_update_[worker]);
  dates_.set(i, new_s);
  // One date more, far from the least of the others, decides at once.
  const double least_s = first().date_s;
  const bool served = worker == std::exchange(served_, -1);
  if (served && new_s < least_s * (1 - 4 * kRelativeTolerance)) {
    earliest_ = i;
  } else if (!served || new_s <= least_s * (1 + 4 * kRelativeTolerance)) {
    earliest_ = dates_.first_of_least();
  }
}

}  // namespace starport::fast
