#include "heuristics/star/demand_driven.hpp"

#include "heuristics/star/chunks.hpp"
#include "heuristics/star/fast/chunk_run.hpp"
#include "heuristics/star/fast/followed_requests.hpp"
#include "heuristics/star/fast/requests_in_lanes.hpp"
#include "sim/files/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

namespace starport {

namespace {

template <class Requests>
class DemandDriven {
 public:
  template <class Number, class Run>
  using InLanes = fast::RequestsInLanes<Number, Run, DemandDriven>;
  static constexpr std::size_t kMostAtOnce = 16;
  static constexpr std::size_t kMostInLanes = 32;
  static constexpr bool kByIndex = std::is_same_v<Requests, RequestsByIndex>;
  PerWorker<ChunkWorker>& workers() { return workers_; }
  bool next_chunk(ChunkWorker& worker) { return worker.start_chunk(columns_); }

  DemandDriven(PerWorker<ChunkWorker> workers, const Problem& problem, bool two_ports)
      : workers_(std::move(workers)), two_ports_(two_ports), columns_(problem) {}

  Chosen choose(const MasterView& star) {
    if (!requests_) post_all();
    const bool stopped = star.stops().size() > stops_seen_;
    if (stopped) take_back(star);
    if (served_) post_request(*std::exchange(served_, std::nullopt));
    if (stopped) hand_over(star);
    const auto request = requests_->earliest(star);
    if (!request) return nullptr;
    if (clearly_less(star.now_s(), request->date_s)) return Wait{.until_s = request->date_s};
    requests_->withdraw(request->worker);
    served_ = request->worker;
    return &workers_[request->worker];
  }
  template <Kept kept>
  ChunkWorker* choose(const ChunkRun<kept>& run) {
    if (!dates_) {
      dates_.emplace(workers_.size());
      for (ChunkWorker& worker : workers_) {
        if (worker.start_chunk(columns_)) dates_->set(number_of(worker), 0);
      }
    } else if (last_->holds_chunk() || last_->start_chunk(columns_)) {
      dates_->set_to_the_root(number_of(*last_), run.request_date_s(*last_));
    } else {
      dates_->set(number_of(*last_), fast::Tournament::kNone);
    }
    const std::size_t first = Requests::earliest_of(*dates_, run.now_s());
    if (first == dates_->size()) return nullptr;
    last_ = &workers_[static_cast<std::int64_t>(first)];
    return last_;
  }

 private:
  static std::size_t number_of(const ChunkWorker& worker) {
    return static_cast<std::size_t>(worker.worker());
  }

  void post_all() {
    requests_.emplace(workers_.size(), two_ports_);
    for (const ChunkWorker& worker : workers_) post_request(worker.worker());
  }
  void post_request(int i) {
    ChunkWorker& worker = workers_[i];
    if (worker.holds_chunk() || worker.start_chunk(columns_)) {
      requests_->post(i, worker.next_after_update(), worker.next_direction());
    }
  }

  void take_back(const MasterView& star) {
    const auto stops = star.stops();
    for (; stops_seen_ < stops.size(); ++stops_seen_) {
      const int i = stops[stops_seen_].worker;
      ChunkWorker& worker = workers_[i];
      if (requests_->posted(i)) requests_->withdraw(i);
      if (const auto panel = worker.leave(star.has_lost_last_transfer(i))) columns_.give_back(*panel);
    }
  }

  /// To those that are idle, who has been for longest first; the others take it when they are over
  /// with their panels.
  void hand_over(const MasterView& star) {
    while (columns_.any_left()) {
      const auto idle = longest_idle(star);
      if (!idle) break;
      post_request(*idle);
      requests_->update_date(star, *idle);
    }
    if (columns_.any_left() && requests_->none()) {
      throw SimulationError(fmt::format("the last worker stopped at {:g} s with columns left",
                                        star.stops().back().at_s));
    }
  }

  std::optional<int> longest_idle(const MasterView& star) const {
    std::optional<int> longest;
    for (const ChunkWorker& worker : workers_) {
      if (!worker.usable() || requests_->posted(worker.worker())) continue;
      if (!longest || clearly_less(star.last_transfer_end_s(worker.worker()),
                                   star.last_transfer_end_s(*longest))) {
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
  std::optional<int> served_;  ///< the last worker, whose next request is not posted yet

  // In a run without waits:
  std::optional<fast::Tournament> dates_;  ///< of the requests
  ChunkWorker* last_ = nullptr;            ///< served last, whose request has no date yet
};

}  // namespace

template <class Requests>
std::unique_ptr<Dispatcher> demand_driven(const Platform& platform, const Problem& problem,
                                          const MemoryLayout& layout) {
  return std::make_unique<ChoiceDispatcher<DemandDriven<Requests>>>(
      chunk_workers(platform, problem, layout), problem, platform.port.kind == Port::Kind::two);
}
template std::unique_ptr<Dispatcher> demand_driven<ScannedRequests>(const Platform&, const Problem&,
                                                                    const MemoryLayout&);
template std::unique_ptr<Dispatcher> demand_driven<fast::FollowedRequests>(const Platform&,
                                                                           const Problem&,
                                                                           const MemoryLayout&);

Plan plan_demand_driven(const Platform& platform, const Problem& problem,
                        const MemoryLayout& layout) {
  return {.dispatcher = demand_driven<fast::FollowedRequests>(platform, problem, layout),
          .adapts = true};
}

Plan plan_oddoml(const OddomlParameters& parameters, const Platform& platform,
                 const Problem& problem) {
  if (!parameters.by_index) return plan_demand_driven(platform, problem, kOptimizedOverlapped);
  return {.dispatcher = demand_driven<RequestsByIndex>(platform, problem, kOptimizedOverlapped),
          .adapts = true};
}

}  // namespace starport
