// The demand-driven heuristics: ODDOML (PPoPP'08 section 6.2), DDOML, BMM and OBMM (IPDPS'07
// section 5). They differ by the memory layout only.
#pragma once

#include "sim/platform/per_worker.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/layout.hpp"
#include "sim/star/master_view.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

namespace starport {

/// A worker's request for its next transfer, and the earliest date at which it could receive it.
struct Request {
  int worker = 0;
  double date_s = kUnknown;
};
/// The earlier of two, then that of smaller index.
inline Request earlier(const Request& one, const Request& other) {
  const bool tie = nearly_equal(one.date_s, other.date_s);
  return (tie ? other.worker < one.worker : other.date_s < one.date_s) ? other : one;
}

/// The requests of the workers, at most one of each: all are looked through for the earliest.
class ScannedRequests {
 public:
  explicit ScannedRequests(std::size_t workers, bool two_ports = false, bool by_index = false)
      : requests_(workers), two_ports_(two_ports), by_index_(by_index) {}

  /// The worker asks for a transfer that waits for its `after_update`-th update.
  void post(int worker, std::int64_t after_update, Direction direction = Direction::to_worker) {
    requests_[worker] = {.posted = true, .direction = direction, .after_update = after_update};
    ++outstanding_;
  }
  void update_date(const MasterView&, int) {}  ///< of one that has been idle: not kept
  /// The worker's request is served, or of no use any more.
  void withdraw(int worker) {
    requests_[worker].posted = false;
    --outstanding_;
  }
  bool posted(int worker) const { return requests_[worker].posted; }
  bool none() const { return outstanding_ == 0; }

  /// The request of the earliest date (then the smallest index), on two ports among those whose
  /// port is free; nullopt when there is none at all. An unknown date: none has one yet.
  std::optional<Request> earliest(const MasterView& star) const {
    if (none()) return std::nullopt;
    if (!two_ports_) return first(star, std::nullopt);
    return earlier(first(star, Direction::to_worker), first(star, Direction::to_master));
  }
  /// Whose the earliest of given dates is; `size` when nobody has one.
  template <class Dates>
  static std::size_t earliest_of(const Dates& dates, double /*now_s*/) {
    return first_of(dates, 0);
  }

 protected:
  /// Those before a date count as that.
  template <class Dates>
  static std::size_t first_of(const Dates& dates, double from_s) {
    std::size_t first = dates.size();
    double first_s = kUnknown;
    for (std::size_t i = 0; i < dates.size(); ++i) {
      const double date_s = std::max(dates[i], from_s);
      if (!clearly_less(date_s, first_s)) continue;
      first = i;
      first_s = date_s;
    }
    return first;
  }

 private:
  struct Posted {
    bool posted = false;
    Direction direction = Direction::to_worker;
    std::int64_t after_update = 0;
  };

  Request first(const MasterView& star, std::optional<Direction> direction) const {
    Request first;
    if (direction && !star.is_port_free(*direction)) return first;
    for (int i = 0; i < static_cast<int>(requests_.size()); ++i) {
      const Posted& request = requests_[i];
      if (!request.posted || (direction && request.direction != *direction)) continue;
      const double asked_s = star.request_date_s(i, request.after_update);
      const double date_s = by_index_ ? std::max(asked_s, star.now_s()) : asked_s;
      if (clearly_less(date_s, first.date_s)) first = {.worker = i, .date_s = date_s};
    }
    return first;
  }

  PerWorker<Posted> requests_;
  std::size_t outstanding_ = 0;
  bool two_ports_;
  bool by_index_;  ///< among those that could be served now
};

/// Another reading of "the first worker which can receive": of those that can now, the one of the
/// smallest index.
struct RequestsByIndex : ScannedRequests {
  RequestsByIndex(std::size_t workers, bool two_ports)
      : ScannedRequests(workers, two_ports, true) {}
  template <class Dates>
  static std::size_t earliest_of(const Dates& dates, double now_s) {
    return first_of(dates, now_s);
  }
};

/// Each worker has one request outstanding, for its next transfer, posted at the earliest date at
/// which it could receive it; the free master serves the earliest request, then the smallest
/// index. A panel is taken when the request for its first chunk is posted.
///
/// What a worker that stops leaves of its panel, the rows below the chunks that are home, is cut
/// into panels again, which are taken before fresh columns.
Plan plan_demand_driven(const Platform& platform, const Problem& problem,
                        const MemoryLayout& layout);

struct OddomlParameters {
  bool by_index = false;
};
Plan plan_oddoml(const OddomlParameters& parameters, const Platform& platform,
                 const Problem& problem);

/// Its dispatcher, with the requests scanned (`ScannedRequests`) or followed
/// (`fast::FollowedRequests`).
template <class Requests>
std::unique_ptr<Dispatcher> demand_driven(const Platform& platform, const Problem& problem,
                                          const MemoryLayout& layout);

}  // namespace starport
