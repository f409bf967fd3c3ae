#include "heuristics/star/planning.hpp"

#include "heuristics/star/chunk_run.hpp"
#include "heuristics/star/fast/followed_requests.hpp"
#include "sim/files/numbers.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/recurrence.hpp"

namespace starport {

std::vector<StepCosts> step_costs(const Platform& platform, const Problem& problem,
                                  const MemoryLayout& layout) {
  std::vector<StepCosts> costs;
  std::int32_t number = -1;
  for (const Worker& figures : platform.workers) {
    const Worker worker = at_chunk_size(figures, layout);
    const std::int64_t mu = layout.side(worker.m_blocks);
    ++number;
    if (mu == 0) continue;
    const auto updates = static_cast<double>(mu) * static_cast<double>(mu);
    costs.push_back({.worker = number,
                     .mu = mu,
                     .chunk_steps = problem.t,
                     .panel_steps = problem.t * ceil_div(problem.r, mu),
                     .updates = updates,
                     .ab_s = worker.transfer_time_s(2 * mu),
                     .c_s = worker.transfer_time_s(mu * mu),
                     .computation_s = updates * worker.w_s,
                     .column_s = static_cast<double>(problem.r) * static_cast<double>(problem.t) *
                                 figures.w_s});
  }
  return costs;
}

namespace {

class OrderedSteps {
 public:
  OrderedSteps(StepOrder order, const Platform& platform, const Problem& problem,
               const MemoryLayout& layout)
      : order_(std::move(order)),
        workers_(chunk_workers(platform, problem, layout)),
        returns_(workers_.size()),
        columns_(problem) {}

  template <class View>
  Chosen choose(const View& star) {
    while (step_ < order_.size()) {
      ChunkWorker& worker = workers_[order_[step_]];
      if (worker.ready_to_return()) return &worker;  // RecvC
      if (!worker.holds_chunk()) {
        if (worker.start_chunk(columns_)) return &worker;  // SendC
        ++step_;                                           // no column left: skipped
        continue;
      }
      ++step_;
      return &worker;  // SendAB
    }
    return next_return(star);
  }

 private:
  template <class View>
  Chosen next_return(const View& star) {
    if (!returning_) {
      returning_ = true;
      for (const ChunkWorker& worker : workers_) {
        if (worker.holds_chunk()) returns_.post(worker.worker(), worker.next_after_update());
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
    return &workers_[request->worker];
  }

  StepOrder order_;
  std::size_t step_ = 0;
  bool returning_ = false;
  PerWorker<ChunkWorker> workers_;
  fast::FollowedRequests returns_;
  ColumnCounter columns_;
};

}  // namespace

std::unique_ptr<Dispatcher> run_order(StepOrder order, const Platform& platform,
                                      const Problem& problem, const MemoryLayout& layout) {
  return std::make_unique<ChoiceDispatcher<OrderedSteps>>(std::move(order), platform, problem,
                                                          layout);
}

double order_makespan_s(const StepOrder& order, const Platform& platform, const Problem& problem,
                        const MemoryLayout& layout) {
  if (platform.port.kind == Port::Kind::multi) {
    Platform two_ports = platform;
    two_ports.port = {.kind = Port::Kind::two};
    return order_makespan_s(order, two_ports, problem, layout);
  }
  if (platform.port.kind == Port::Kind::two) {
    ChoiceDispatcher<OrderedSteps> dispatcher(order, platform, problem, layout);
    MasterView star(platform, problem);
    return run_recurrence(dispatcher, star, [](const Message&, const Dates&) {});
  }
  OrderedSteps steps(order, platform, problem, layout);
  ChunkRun<Kept::end> run(platform, problem);
  run.by(steps, [] {});
  return run.last_end_s();
}

}  // namespace starport
