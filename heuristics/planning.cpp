#include "heuristics/planning.hpp"

#include "heuristics/chunks.hpp"
#include "sim/model/recurrence.hpp"
#include "sim/model/ties.hpp"

#include <algorithm>

namespace starport {

PlanningClock::PlanningClock(const Platform& platform, const Problem& problem,
                             const MemoryLayout& layout)
    : platform_(&platform),
      problem_(&problem),
      sides_(chunk_sides(platform, problem, layout)),
      ready_s_(sides_.size(), 0.0),
      fresh_(sides_.size(), 1) {}

std::int64_t PlanningClock::panel_steps(std::size_t i) const {
  return problem_->t * ((problem_->r + sides_[i] - 1) / sides_[i]);
}

double PlanningClock::communication_s(std::size_t i, bool with_c) const {
  const Worker& worker = platform_->workers[i];
  double time = worker.transfer_time_s(2 * sides_[i]);
  if (with_c) time += worker.transfer_time_s(sides_[i] * sides_[i]);
  return time;
}

void PlanningClock::choose(std::size_t i, bool with_c) {
  communication_end_s_ = std::max(communication_end_s_ + communication_s(i, with_c), ready_s_[i]);
  ready_s_[i] = communication_end_s_ + computation_s(i);
  fresh_[i] = 0;
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

  Decision next(const Star& star) override {
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
  Decision next_return(const Star& star) {
    if (!returning_) {
      returning_ = true;
      for (std::size_t i = 0; i < workers_.size(); ++i) {
        if (workers_[i].holds_chunk()) {
          const ChunkWorker& worker = workers_[i];
          returns_.post(static_cast<int>(i), worker.next_after_update(), worker.next_direction());
        }
      }
    }
    const auto request = returns_.earliest(star);
    if (!request) return Done{};
    if (request->date_s == kUnknown) return Wait{};
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

double makespan_s(Dispatcher& dispatcher, const Platform& platform, const Problem& problem) {
  if (platform.port.kind == Port::Kind::multi) {
    Platform two_ports = platform;
    two_ports.port = {.kind = Port::Kind::two};
    return makespan_s(dispatcher, two_ports, problem);
  }
  Star star(platform, problem);
  run_recurrence(dispatcher, star, [](const Message&, const Dates&) {});
  return star.last_end_s();
}

}  // namespace starport
