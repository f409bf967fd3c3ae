#include "heuristics/star/round_robin.hpp"

#include "heuristics/star/fast/chunk_run.hpp"

namespace starport {
namespace {

/// Chooses the workers in turn, as long as they have work.
class RoundRobin {
 public:
  RoundRobin(std::vector<ChunkWorker> workers, const Problem& problem)
      : workers_(std::move(workers)), columns_(problem) {}

  /// Returns the next worker, null when all are finished. Dates do not matter.
  template <class Run>
  ChunkWorker* choose(const Run&) {
    for (;;) {
      if (turn_ == workers_.size()) {
        std::erase_if(workers_,
                      [&](const ChunkWorker& worker) { return worker.is_finished(columns_); });
        if (workers_.empty()) return nullptr;
        turn_ = 0;
      }
      ChunkWorker& worker = workers_[turn_++];
      if (worker.has_chunk() || worker.start_chunk(columns_)) return &worker;
    }
  }

 private:
  std::vector<ChunkWorker> workers_;
  std::size_t turn_ = 0;  ///< index in workers_ of the next visit
  ColumnCounter columns_;
};

}  // namespace

Plan plan_round_robin(const Platform& platform, const Problem& problem) {
  return {.dispatcher = std::make_unique<ChoiceDispatcher<RoundRobin>>(
              make_chunk_workers(platform, problem, kOptimizedOverlapped), problem)};
}

}  // namespace starport
