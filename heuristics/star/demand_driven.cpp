#include "heuristics/star/demand_driven.hpp"

#include "heuristics/star/chunks.hpp"
#include "sim/files/error.hpp"
#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace starport {
namespace {

class DemandDrivenDispatcher final : public ChunkDispatcher {
 public:
  DemandDrivenDispatcher(std::vector<ChunkWorker> workers, const Problem& problem, Port::Kind port)
      : workers_(std::move(workers)), requests_(workers_.size()), columns_(problem) {
    if (port == Port::Kind::two) requests_.for_two_ports();
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (workers_[i].usable()) post_request(static_cast<int>(i));
    }
  }

  Decision next(const MasterView& star) override {
    const bool stopped = star.stops().size() > stops_seen_;
    if (stopped) take_back(star);
    if (served_) post_request(*std::exchange(served_, std::nullopt));
    if (stopped) hand_over(star);
    const auto request = requests_.earliest(star);
    if (!request) return Done{};
    if (clearly_less(star.now_s(), request->date_s)) return Wait{.until_s = request->date_s};
    requests_.withdraw(request->worker);
    served_ = request->worker;
    return serve(workers_[static_cast<std::size_t>(request->worker)]);
  }

 private:
  void post_request(int i) {
    ChunkWorker& worker = workers_[static_cast<std::size_t>(i)];
    if (worker.holds_chunk() || worker.start_chunk(columns_)) {
      requests_.post(i, worker.next_after_update(), worker.next_direction());
    }
  }

  void take_back(const MasterView& star) {
    const auto stops = star.stops();
    for (; stops_seen_ < stops.size(); ++stops_seen_) {
      const int i = stops[stops_seen_].worker;
      ChunkWorker& worker = workers_[static_cast<std::size_t>(i)];
      if (requests_.posted(i)) requests_.withdraw(i);
      if (const auto panel = worker.leave(star.last_transfer_lost(i))) columns_.give_back(*panel);
    }
  }

  /// To those that are idle, who has been for longest first; the others take it when they are over
  /// with their panels.
  void hand_over(const MasterView& star) {
    while (columns_.any_left()) {
      const auto idle = longest_idle(star);
      if (!idle) break;
      post_request(*idle);
      requests_.update_date(star, *idle);
    }
    if (columns_.any_left() && requests_.none()) {
      throw SimulationError(fmt::format("the last worker stopped at {:g} s with columns left",
                                        star.stops().back().at_s));
    }
  }

  std::optional<int> longest_idle(const MasterView& star) const {
    std::optional<int> longest;
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const auto worker = static_cast<int>(i);
      if (!workers_[i].usable() || requests_.posted(worker)) continue;
      if (!longest ||
          clearly_less(star.last_transfer_end_s(worker), star.last_transfer_end_s(*longest))) {
        longest = worker;
      }
    }
    return longest;
  }

  std::vector<ChunkWorker> workers_;
  Requests requests_;
  ColumnCounter columns_;
  std::size_t stops_seen_ = 0;
  std::optional<int> served_;  ///< the last worker, whose next request is not posted yet
};

}  // namespace

Plan DemandDriven::plan(const Platform& platform, const Problem& problem) const {
  return {.dispatcher = std::make_unique<DemandDrivenDispatcher>(
              chunk_workers(platform, problem, layout_), problem, platform.port.kind),
          .details = {},
          .adapts = true};
}

}  // namespace starport
