#include "heuristics/demand_driven.hpp"

#include "heuristics/chunks.hpp"
#include "sim/model/ties.hpp"

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

  Decision next(const Star& star) override {
    if (served_) post_request(*std::exchange(served_, std::nullopt));
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

  std::vector<ChunkWorker> workers_;
  Requests requests_;
  ColumnCounter columns_;
  std::optional<int> served_;  ///< the last worker, whose next request is not posted yet
};

}  // namespace

Plan DemandDriven::plan(const Platform& platform, const Problem& problem) const {
  return {.dispatcher = std::make_unique<DemandDrivenDispatcher>(
              chunk_workers(platform, problem, layout_), problem, platform.port.kind),
          .details = {}};
}

}  // namespace starport
