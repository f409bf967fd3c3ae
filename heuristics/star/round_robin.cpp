#include "heuristics/star/round_robin.hpp"

#include "heuristics/star/fast/rounds_in_lanes.hpp"

namespace starport {
namespace {

class RoundRobin {
 public:
  template <class Number, class Run>
  using InLanes = RoundsInLanes<Number, Run, RoundRobin>;
  static constexpr bool kOneLane = true;
  static constexpr std::size_t kMostAtOnce = 16;
  static constexpr std::size_t kMostInLanes = 1 << 10;

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
  Rounds next_rounds() {
    const bool at_first = turn_ == 0 || turn_ == workers_.size();
    return {workers_, at_first ? full_rounds_left(workers_) : 0};
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
