// The demand-driven heuristics: ODDOML (PPoPP'08 section 6.2), DDOML, BMM and OBMM (IPDPS'07
// section 5). They differ only in their memory layout.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/dispatcher.hpp"
#include "sim/star/heuristic.hpp"
#include "sim/star/master_view.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

namespace starport {

/// A worker's request for its next transfer: the worker, and the earliest date from which it could
/// take part, as known at the date of the search that returned it, such as
/// ScannedRequests::find_earliest(). A plain value.
struct Request {
  /// Index in the platform, from 0, of the worker that requests a transfer.
  int worker = 0;
  /// Earliest date, maybe in the past, at which the worker could take part in the transfer, in
  /// seconds since the start of the run; kUnknown (infinity) if it is not known yet or this object
  /// stands for no request.
  double date_s = kUnknown;
};
/// Returns the one of two requests of workers with the earlier date; of dates equal within a
/// relative 1e-9, the one with the smaller worker index.
inline Request earlier(const Request& x, const Request& y) {
  const bool tie = nearly_equal(x.date_s, y.date_s);
  return (tie ? y.worker < x.worker : y.date_s < x.date_s) ? y : x;
}

/// The pending requests of the workers for their next transfers, at most one per worker. Owned by a
/// dispatcher, which posts and withdraws them. Finds the earliest by scanning all of them, in O(p)
/// for p workers; the reference for the faster fast::IndexedRequests. Refers to no other object.
/// Worker indices are not checked: beyond the number of workers, the behaviour is undefined.
class ScannedRequests {
 public:
  /// Creates an empty collection of requests for `workers` workers. `two_ports`: the master has one
  /// port for each direction, and only requests whose port is free are considered. `by_index`:
  /// among requests that can be served now, the one of the smallest worker index is first, instead
  /// of the one of the earliest date.
  explicit ScannedRequests(std::size_t workers, bool two_ports = false, bool by_index = false)
      : requests_(workers), two_ports_(two_ports), by_index_(by_index) {}

  /// Adds a pending request of `worker` (index from 0) for a transfer in `direction` (which matters
  /// on two ports only) that must wait for the worker's `after_update`-th update (from 1; 0: none).
  /// The worker must have no pending request (not checked: is_empty() would be wrong from then on).
  void post(int worker, std::int64_t after_update, Direction direction = Direction::to_worker) {
    requests_[worker] = {.posted = true, .direction = direction, .after_update = after_update};
    ++count_;
  }
  /// Does nothing, as the dates of requests are computed at each search. Exists for the interface
  /// of IndexedRequests, which stores the date of the given worker's request.
  void update_date(const MasterView&, int) {}
  /// Removes the pending request of `worker` (index from 0), which must have one (not checked:
  /// is_empty() would be wrong from then on).
  void withdraw(int worker) {
    requests_[worker].posted = false;
    --count_;
  }
  /// Returns true if `worker` (index from 0; beyond the number of workers: undefined behaviour) has
  /// a pending request for its next transfer, i.e. post() was called for it and withdraw() was not.
  bool has_request(int worker) const { return requests_[worker].posted; }
  /// Returns true if no worker has a pending request for a transfer.
  bool is_empty() const { return count_ == 0; }

  /// Returns the pending request with the earliest date in the view `master`, of equal dates
  /// (within a relative 1e-9) the one with the smallest worker index; with `by_index`, dates before
  /// master.now_s() count as now_s(), also in the result; with two ports, only requests whose port
  /// is free count. Returns nullopt if there is no request, and a Request of date kUnknown
  /// (infinity), whose worker is meaningless, if none whose port is free has a known date. O(p) for
  /// p workers.
  std::optional<Request> find_earliest(const MasterView& master) const {
    if (is_empty()) return std::nullopt;
    if (!two_ports_) return find_first(master, std::nullopt);
    return earlier(find_first(master, Direction::to_worker),
                   find_first(master, Direction::to_master));
  }
  /// Returns the index of the worker with the earliest of `dates` (seconds >= 0, one per worker, in
  /// a container with size() and []; infinity for a worker without a request), of equal dates
  /// (within a relative 1e-9) the smallest index; dates.size() if all are infinite. The second
  /// argument is not used.
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

/// The pending requests of the workers, at most one per worker, for their next transfers. Of those
/// that can be served now, the one of the smallest worker index is first; if none can be served
/// now, the one that can be served earliest. Owned by a dispatcher. Each search takes O(p) for p
/// workers.
struct RequestsByIndex : ScannedRequests {
  /// Creates an empty collection of requests for `workers` workers. `two_ports`: the master has one
  /// port for each direction, and only requests whose port is free are considered.
  RequestsByIndex(std::size_t workers, bool two_ports)
      : ScannedRequests(workers, two_ports, true) {}
  /// Returns the smallest index of a worker whose date is not after `now_s` (seconds) or, if there
  /// is none, the index of the worker with the earliest date (of equal ones the smallest index),
  /// dates being compared with a relative tolerance of 1e-9; dates.size() if all are infinite.
  /// `dates` has size() and [], with one date per worker in seconds, infinity for one without a
  /// request.
  template <class Dates>
  static std::size_t find_earliest_of(const Dates& dates, double now_s) {
    return find_first_of(dates, now_s);
  }
};

/// Makes a demand-driven plan: each worker has one pending request, for its next transfer, and the
/// free master serves the earliest (of equal dates, that of the smallest worker index). Chunks
/// (rectangles of C that a worker holds and updates) have at most the side that chunk_side() gives
/// for `layout`: the largest that fits in the worker's memory, or the fastest if its speed depends
/// on the size. A worker that requests a chunk and has finished its panel (block columns of C)
/// takes a new panel. If a worker stops, the rest of its panel is given to others before new
/// columns. The plan sends nothing if no worker has memory for a chunk; a run throws
/// SimulationError if the last worker that has it stops with columns left. The problem must outlive
/// the plan; the platform and the layout need not.
Plan plan_demand_driven(const Platform& platform, const Problem& problem,
                        const MemoryLayout& layout);

/// Options of the heuristic ODDOML, in which a free master serves the workers' requests for their
/// next transfers: which of several requests comes first. A plain value.
struct OddomlParameters {
  /// True: of the workers that can take part in a transfer now, the one of the smallest index is
  /// served or, if none can, the one whose request has the earliest date. False: always the latter.
  /// Of equal dates, the smallest index wins.
  bool by_index = false;
};
/// Makes the plan of ODDOML: demand-driven, with two sets of buffers for A and B so that
/// communication and computation overlap. Of the workers' requests for their next transfers, the
/// free master serves the earliest or, with parameters.by_index, that of the smallest worker index
/// among those that it can serve now, if any. The plan sends nothing if no worker has memory for a
/// chunk of one block of C (5 blocks). A run throws SimulationError if the last worker stops with
/// columns left. The problem must outlive the plan; the platform need not.
Plan plan_oddoml(const OddomlParameters& parameters, const Platform& platform,
                 const Problem& problem);

/// Creates the dispatcher of a demand-driven plan (the free master serves the earliest request of a
/// worker), with chunks of C of the sides that chunk_side() gives for `layout`: the largest that
/// fit in the workers' memories, or the fastest where the speed depends on the size. `Requests`
/// finds the earliest request; it must be ScannedRequests or fast::IndexedRequests (others do not
/// link outside demand_driven.cpp). next() throws SimulationError if the last worker that has
/// memory for a chunk has stopped with columns left. Never null. If no worker has memory for a
/// chunk, its first decision is Done. The problem must outlive the dispatcher; the platform and the
/// layout need not.
template <class Requests>
std::unique_ptr<Dispatcher> make_demand_driven(const Platform& platform, const Problem& problem,
                                               const MemoryLayout& layout);

}  // namespace starport
