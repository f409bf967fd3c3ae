#include "heuristics/star/demand_driven.hpp"

#include "heuristics/star/chunks.hpp"
#include "heuristics/star/fast/chunk_run.hpp"
#include "heuristics/star/fast/indexed_requests.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace starport {

namespace {

/// Chooses the worker of the earliest request.
template <class Requests>
class DemandDriven {
 public:
  DemandDriven(PerWorker<ChunkWorker> workers, const Problem& problem, bool two_ports)
      : workers_(std::move(workers)), two_ports_(two_ports), columns_(problem) {}

  ChosenWorker choose(const MasterView& master) {
    if (!requests_) post_all_requests();
    const bool stopped = master.stops().size() > stops_seen_;
    if (stopped) reclaim_panels(master);
    if (served_) post_request(*std::exchange(served_, std::nullopt));
    if (stopped) assign_panels_to_idle(master);
    const auto request = requests_->find_earliest(master);
    if (!request) return nullptr;
    if (clearly_less(master.now_s(), request->date_s)) return Wait{.until_s = request->date_s};
    requests_->withdraw(request->worker);
    served_ = request->worker;
    return &workers_[request->worker];
  }
  template <RunResults results>
  ChunkWorker* choose(const ChunkRun<results>& run) {
    if (!dates_) {
      dates_.emplace(workers_.size());
      for (ChunkWorker& worker : workers_) {
        if (worker.start_chunk(columns_)) dates_->set(index_of(worker), 0);
      }
    } else if (last_->has_chunk() || last_->start_chunk(columns_)) {
      dates_->set(index_of(*last_), run.request_date_s(*last_));
    } else {
      dates_->set(index_of(*last_), fast::Tournament::kNone);
    }
    const std::size_t first = Requests::find_earliest_of(*dates_, run.now_s());
    if (first == dates_->size()) return nullptr;
    last_ = &workers_[static_cast<std::int64_t>(first)];
    return last_;
  }

 private:
  static std::size_t index_of(const ChunkWorker& worker) {
    return static_cast<std::size_t>(worker.worker());
  }

  void post_all_requests() {
    requests_.emplace(workers_.size(), two_ports_);
    for (const ChunkWorker& worker : workers_) post_request(worker.worker());
  }
  void post_request(int i) {
    ChunkWorker& worker = workers_[i];
    if (worker.has_chunk() || worker.start_chunk(columns_)) {
      requests_->post(i, worker.next_after_update(), worker.next_direction());
    }
  }

  void reclaim_panels(const MasterView& master) {
    const auto stops = master.stops();
    for (; stops_seen_ < stops.size(); ++stops_seen_) {
      const int i = stops[stops_seen_].worker;
      ChunkWorker& worker = workers_[i];
      if (requests_->has_request(i)) requests_->withdraw(i);
      if (const auto panel = worker.stop(master.has_lost_last_transfer(i)))
        columns_.return_panel(*panel);
    }
  }

  /// Assigns returned panels to idle workers, the longest idle first; busy workers take the rest
  /// when they finish their own panels.
  void assign_panels_to_idle(const MasterView& master) {
    while (columns_.has_columns_left()) {
      const auto idle = find_longest_idle(master);
      if (!idle) break;
      post_request(*idle);
      requests_->update_date(master, *idle);
    }
    if (columns_.has_columns_left() && requests_->is_empty()) {
      throw SimulationError(
          fmt::format("the last worker with memory for a chunk stopped at {:g} s with columns left",
                      master.stops().back().at_s));
    }
  }

  std::optional<int> find_longest_idle(const MasterView& master) const {
    std::optional<int> longest;
    for (const ChunkWorker& worker : workers_) {
      if (!worker.is_usable() || requests_->has_request(worker.worker())) continue;
      if (!longest || clearly_less(master.last_transfer_end_s(worker.worker()),
                                   master.last_transfer_end_s(*longest))) {
        longest = worker.worker();
      }
    }
    return longest;
  }

  PerWorker<ChunkWorker> workers_;
  bool two_ports_;
  ColumnCounter columns_;
  std::optional<Requests> requests_;
  std::size_t stops_seen_ = 0;
  std::optional<int> served_;  ///< the worker served last, whose next request is not posted yet

  // Used in a ChunkRun only:
  std::optional<fast::Tournament> dates_;  ///< dates of the requests, by worker
  ChunkWorker* last_ = nullptr;  ///< the worker served last, whose request has no date yet
};

}  // namespace

template <class Requests>
std::unique_ptr<Dispatcher> make_demand_driven(const Platform& platform, const Problem& problem,
                                               const MemoryLayout& layout) {
  return std::make_unique<ChoiceDispatcher<DemandDriven<Requests>>>(
      make_chunk_workers(platform, problem, layout), problem,
      platform.port.kind == Port::Kind::two);
}
template std::unique_ptr<Dispatcher> make_demand_driven<ScannedRequests>(const Platform&,
                                                                         const Problem&,
                                                                         const MemoryLayout&);
template std::unique_ptr<Dispatcher> make_demand_driven<fast::IndexedRequests>(const Platform&,
                                                                               const Problem&,
                                                                               const MemoryLayout&);

Plan plan_demand_driven(const Platform& platform, const Problem& problem,
                        const MemoryLayout& layout) {
  return {.dispatcher = make_demand_driven<fast::IndexedRequests>(platform, problem, layout),
          .adapts = true};
}

Plan plan_oddoml(const OddomlParameters& parameters, const Platform& platform,
                 const Problem& problem) {
  if (!parameters.by_index) return plan_demand_driven(platform, problem, kOptimizedOverlapped);
  return {
      .dispatcher = make_demand_driven<RequestsByIndex>(platform, problem, kOptimizedOverlapped),
      .adapts = true};
}

}  // namespace starport
