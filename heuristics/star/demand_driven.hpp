// The demand-driven heuristics: ODDOML (PPoPP'08 section 6.2), DDOML, BMM and OBMM (IPDPS'07
// section 5). They differ only in their memory layout.
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

/// A worker's request for its next transfer. Its date is the earliest at which the worker could
/// take part; kUnknown if not known yet, or if there is no request.
struct Request {
  int worker = 0;
  double date_s = kUnknown;
};
/// Returns the earlier of two requests; of nearly equal dates, the one of smaller worker index.
inline Request earlier(const Request& x, const Request& y) {
  const bool tie = nearly_equal(x.date_s, y.date_s);
  return (tie ? y.worker < x.worker : y.date_s < x.date_s) ? y : x;
}

/// The pending requests of the workers, at most one each. The definition: finds the earliest by
/// scanning all of them.
class ScannedRequests {
 public:
  /// `two_ports`: the master has a port for each direction. `by_index`: among requests that can be
  /// served now, the smallest index is first, not the earliest date.
  explicit ScannedRequests(std::size_t workers, bool two_ports = false, bool by_index = false)
      : requests_(workers), two_ports_(two_ports), by_index_(by_index) {}

  /// Adds a request of `worker`, which has none, for a transfer that waits for its
  /// `after_update`-th update.
  void post(int worker, std::int64_t after_update, Direction direction = Direction::to_worker) {
    requests_[worker] = {.posted = true, .direction = direction, .after_update = after_update};
    ++count_;
  }
  /// Does nothing: dates are not cached.
  void update_date(const MasterView&, int) {}
  /// Removes the request of `worker`, which must have one.
  void withdraw(int worker) {
    requests_[worker].posted = false;
    --count_;
  }
  bool has_request(int worker) const { return requests_[worker].posted; }
  bool is_empty() const { return count_ == 0; }

  /// Returns the request of the earliest date, then of the smallest index; on two ports, among
  /// those whose port is free. Returns nullopt if there is no request at all, and one of date
  /// kUnknown if none can be served or has a date yet.
  std::optional<Request> find_earliest(const MasterView& master) const {
    if (is_empty()) return std::nullopt;
    if (!two_ports_) return find_first(master, std::nullopt);
    return earlier(find_first(master, Direction::to_worker),
                   find_first(master, Direction::to_master));
  }
  /// Returns the index of the earliest of the dates of requests, by worker; dates.size() if all are
  /// infinite.
  template <class Dates>
  static std::size_t find_earliest_of(const Dates& dates, double /*now_s*/) {
    return find_first_of(dates, 0);
  }

 protected:
  /// Returns the index of the earliest date, where dates before `from_s` count as `from_s`.
  template <class Dates>
  static std::size_t find_first_of(const Dates& dates, double from_s) {
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

  Request find_first(const MasterView& master, std::optional<Direction> direction) const {
    Request first;
    if (direction && !master.is_port_free(*direction)) return first;
    for (int i = 0; i < static_cast<int>(requests_.size()); ++i) {
      const Posted& request = requests_[i];
      if (!request.posted || (direction && request.direction != *direction)) continue;
      const double asked_s = master.request_date_s(i, request.after_update);
      const double date_s = by_index_ ? std::max(asked_s, master.now_s()) : asked_s;
      if (clearly_less(date_s, first.date_s)) first = {.worker = i, .date_s = date_s};
    }
    return first;
  }

  PerWorker<Posted> requests_;
  std::size_t count_ = 0;
  bool two_ports_;
  bool by_index_;
};

/// Pending requests under another reading of "the first worker which can receive": of the workers
/// that can receive now, the one of the smallest index.
struct RequestsByIndex : ScannedRequests {
  RequestsByIndex(std::size_t workers, bool two_ports)
      : ScannedRequests(workers, two_ports, true) {}
  template <class Dates>
  static std::size_t find_earliest_of(const Dates& dates, double now_s) {
    return find_first_of(dates, now_s);
  }
};

/// Makes a demand-driven plan with the chunks of `layout`. Each worker has one pending request, for
/// its next transfer, posted at the earliest date at which it could take part; the free master
/// serves the earliest request, then the smallest index. A panel is taken when the request for its
/// first chunk is posted. If a worker stops, the rows of its panel below its returned chunks are
/// cut into panels again, which are taken before new columns. The platform and the problem must
/// outlive the plan; a run throws SimulationError if the last worker stops with columns left.
Plan plan_demand_driven(const Platform& platform, const Problem& problem,
                        const MemoryLayout& layout);

/// Parameters of ODDOML.
struct OddomlParameters {
  bool by_index = false;  ///< serve the smallest index of those that can receive (RequestsByIndex)
};
/// ODDOML: plan_demand_driven() with the optimized overlapped layout, or its other reading.
Plan plan_oddoml(const OddomlParameters& parameters, const Platform& platform,
                 const Problem& problem);

/// Makes the dispatcher of a demand-driven plan. Requests is ScannedRequests, RequestsByIndex or
/// fast::IndexedRequests. The platform and the problem must outlive it.
template <class Requests>
std::unique_ptr<Dispatcher> make_demand_driven(const Platform& platform, const Problem& problem,
                                               const MemoryLayout& layout);

}  // namespace starport
