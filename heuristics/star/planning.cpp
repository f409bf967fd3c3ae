#include "heuristics/star/planning.hpp"

#include "heuristics/star/chunks.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/recurrence.hpp"

#include <algorithm>

namespace starport {

PlanningClock::PlanningClock(const Platform& platform, const Problem& problem,
                             const MemoryLayout& layout, bool count_c) {
  const auto column_updates = static_cast<double>(problem.r) * static_cast<double>(problem.t);
  for (const std::int64_t side : chunk_sides(platform, problem, layout)) {
    largest_side_ = std::max(largest_side_, side);
    const Worker& worker = platform.workers[workers_.size()];
    const double step_s = worker.transfer_time_s(2 * side);
    const double c_s = count_c ? worker.transfer_time_s(side * side) : 0;
    workers_.push_back(
        {.side = side,
         .panel_steps = side == 0 ? 0 : problem.t * ((problem.r + side - 1) / side),
         .column_computation_s = column_updates * worker.w_s,
         .communication_s = step_s + c_s,
         .later_communication_s = step_s,
         .computation_s = static_cast<double>(side) * static_cast<double>(side) * worker.w_s,
         .ready_s = side == 0 ? kUnknown : 0});
  }
}

StepOrder PanelOrder::take() {
  std::erase_if(
      order_, [&](std::int32_t i) { return steps_[static_cast<std::size_t>(i)].finished-- <= 0; });
  return std::move(order_);
}

namespace {

class OrderDispatcher final : public ChunkDispatcher {
 public:
  OrderDispatcher(StepOrder order, const Platform& platform, const Problem& problem,
                  const MemoryLayout& layout)
      : order_(std::move(order)),
        workers_(chunk_workers(platform, problem, layout)),
        returns_(workers_.size()),
        columns_(problem) {}

  Decision next(const MasterView& star) override {
    while (step_ < order_.size()) {
      ChunkWorker& worker = workers_[static_cast<std::size_t>(order_[step_])];
      if (worker.ready_to_return()) return serve(worker);  // RecvC
      if (!worker.holds_chunk()) {
        if (worker.start_chunk(columns_)) return serve(worker);  // SendC
        ++step_;                                                 // no column left: skipped
        continue;
      }
      ++step_;
      return serve(worker);  // SendAB
    }
    return next_return(star);
  }

 private:
  Decision next_return(const MasterView& star) {
    if (!returning_) {
      returning_ = true;
      for (std::size_t i = 0; i < workers_.size(); ++i) {
        if (workers_[i].holds_chunk()) {
          returns_.post(static_cast<int>(i), workers_[i].next_after_update());
        }
      }
    }
    const auto request = returns_.earliest(star);
    if (!request) return Done{};
    if (request->date_s == kUnknown || !star.free(Direction::to_master)) return Wait{};
    // Beside transfers under way, to a worker that may be done first, nothing is held.
    if (star.under_way() && clearly_less(star.now_s(), request->date_s)) {
      return Wait{.until_s = request->date_s};
    }
    returns_.withdraw(request->worker);
    return serve(workers_[static_cast<std::size_t>(request->worker)]);
  }

  StepOrder order_;
  std::size_t step_ = 0;
  bool returning_ = false;
  std::vector<ChunkWorker> workers_;
  Requests returns_;
  ColumnCounter columns_;
};

}  // namespace

std::unique_ptr<Dispatcher> run_order(StepOrder order, const Platform& platform,
                                      const Problem& problem, const MemoryLayout& layout) {
  return std::make_unique<OrderDispatcher>(std::move(order), platform, problem, layout);
}

double order_makespan_s(const StepOrder& order, const Platform& platform, const Problem& problem,
                        const MemoryLayout& layout) {
  if (platform.port.kind == Port::Kind::multi) {
    Platform two_ports = platform;
    two_ports.port = {.kind = Port::Kind::two};
    return order_makespan_s(order, two_ports, problem, layout);
  }
  OrderDispatcher dispatcher(order, platform, problem, layout);
  MasterView star(platform, problem);
  run_recurrence(dispatcher, star, [](const Message&, const Dates&) {});
  return star.last_end_s();
}

}  // namespace starport
