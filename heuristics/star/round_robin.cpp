#include "heuristics/star/round_robin.hpp"

#include "heuristics/star/chunk_run.hpp"

namespace starport {
namespace {

class RoundRobin {
 public:
  RoundRobin(std::vector<ChunkWorker> workers, const Problem& problem)
      : workers_(std::move(workers)), columns_(problem) {}

  /// Dates do not matter.
  template <class View>
  ChunkWorker* choose(const View&) {
    for (;;) {
      if (turn_ == workers_.size()) {
        std::erase_if(workers_, [&](const ChunkWorker& worker) { return worker.over(columns_); });
        if (workers_.empty()) return nullptr;
        turn_ = 0;
      }
      ChunkWorker& worker = workers_[turn_++];
      if (worker.holds_chunk() || worker.start_chunk(columns_)) return &worker;
    }
  }
  int next_step() {
    const std::size_t turn = turn_ == workers_.size() ? 0 : turn_;
    if (workers_.empty() || !workers_[turn].send_full_step()) return -1;
    turn_ = turn + 1;
    return workers_[turn].worker();
  }

 private:
  std::vector<ChunkWorker> workers_;
  std::size_t turn_ = 0;  ///< whose visit is next
  ColumnCounter columns_;
};

}  // namespace

Plan plan_round_robin(const Platform& platform, const Problem& problem) {
  return {.dispatcher = std::make_unique<ChoiceDispatcher<RoundRobin>>(
              chunk_workers(platform, problem, kOptimizedOverlapped), problem)};
}

}  // namespace starport
