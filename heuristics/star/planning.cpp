#include "heuristics/star/planning.hpp"

#include "heuristics/star/fast/chunk_run.hpp"
#include "heuristics/star/fast/followed_requests.hpp"
#include "heuristics/star/fast/steps_in_lanes.hpp"
#include "heuristics/star/fast/tournament.hpp"
#include "sim/files/numbers.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/analytic_run.hpp"

#include <algorithm>
#include <optional>
#include <span>

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
                     .column_s = static_cast<double>(problem.r) *
                                 (static_cast<double>(problem.t) * figures.w_s + 2 * worker.c_s)});
  }
  return costs;
}

namespace {

/// The order outlives it.
class OrderedSteps {
 public:
  template <class Number, class Run>
  using InLanes = StepsInLanes<Number, Run, OrderedSteps>;
  static constexpr bool kOneLane = true;
  static constexpr std::size_t kMostAtOnce = 4;
  static constexpr std::size_t kMostInLanes = SIZE_MAX;

  OrderedSteps(std::span<const std::int32_t> order, const Platform& platform,
               const Problem& problem, const MemoryLayout& layout)
      : order_(order), workers_(chunk_workers(platform, problem, layout)), columns_(problem) {}

  Chosen choose(const MasterView& star) {
    if (ChunkWorker* worker = choose_of_order([](ChunkWorker&) {})) return worker;
    if (!returns_) {
      returns_.emplace(workers_.size());
      for (const ChunkWorker& worker : workers_) {
        if (worker.holds_chunk()) returns_->post(worker.worker(), worker.next_after_update());
      }
    }
    const auto request = returns_->earliest(star);
    if (!request) return nullptr;
    if (request->date_s == kUnknown || !star.is_port_free(Direction::to_master)) return Wait{};
    // Beside transfers under way, to a worker that may be done first, nothing is held.
    if (star.has_transfer_under_way() && clearly_less(star.now_s(), request->date_s)) {
      return Wait{.until_s = request->date_s};
    }
    returns_->withdraw(request->worker);
    return &workers_[request->worker];
  }
  template <Kept kept>
  ChunkWorker* choose(const ChunkRun<kept>& run) {
    const auto tell = [&](ChunkWorker& worker) { run.tell(worker); };
    if (ChunkWorker* worker = choose_of_order(tell)) return worker;
    if (!ends_) {
      ends_.emplace(workers_.size());
      std::ranges::for_each(workers_, tell);
      for (const ChunkWorker& worker : workers_) {
        if (!worker.holds_chunk()) continue;
        ends_->set(static_cast<std::size_t>(worker.worker()), run.ready_s(worker.worker()));
      }
    }
    const std::size_t first = ends_->first_of_least();
    if (first == ends_->size()) return nullptr;
    ends_->set(first, fast::Tournament::kNone);
    return &workers_[static_cast<std::int64_t>(first)];
  }
  std::span<const std::int32_t> next_steps() const { return order_.subspan(step_); }
  void sent(std::size_t count) { step_ += count; }

 private:
  /// Nobody once it is over, but for the chunks that are out. `tell` tells a worker what it has
  /// been sent.
  template <class Tell>
  ChunkWorker* choose_of_order(Tell&& tell) {
    while (step_ < order_.size()) {
      ChunkWorker& worker = workers_[order_[step_]];
      tell(worker);
      if (worker.ready_to_return()) return &worker;  // RecvC
      if (!worker.holds_chunk()) {
        if (worker.start_chunk(columns_)) return &worker;  // SendC
        ++step_;                                           // no column left: skipped
        continue;
      }
      ++step_;
      return &worker;  // SendAB
    }
    return nullptr;
  }

  std::span<const std::int32_t> order_;
  std::size_t step_ = 0;
  PerWorker<ChunkWorker> workers_;
  ColumnCounter columns_;
  // Of those that hold a chunk when all steps are sent:
  std::optional<fast::FollowedRequests> returns_;
  std::optional<fast::Tournament> ends_;  ///< of their last updates
};

/// With an order of its own.
struct OwnOrder {
  StepOrder order;
};
class OwnOrderedSteps : OwnOrder, public OrderedSteps {
 public:
  OwnOrderedSteps(StepOrder order, const Platform& platform, const Problem& problem,
                  const MemoryLayout& layout)
      : OwnOrder{std::move(order)}, OrderedSteps(OwnOrder::order, platform, problem, layout) {}
};

}  // namespace

std::unique_ptr<Dispatcher> run_order(StepOrder order, const Platform& platform,
                                      const Problem& problem, const MemoryLayout& layout) {
  return std::make_unique<ChoiceDispatcher<OwnOrderedSteps>>(std::move(order), platform, problem,
                                                             layout);
}

namespace {

double two_port_makespan_s(const Ordered& run, const MemoryLayout& layout) {
  Platform two_ports = *run.platform;
  two_ports.port = {.kind = Port::Kind::two};
  ChoiceDispatcher<OrderedSteps> dispatcher(*run.order, two_ports, *run.problem, layout);
  MasterView star(two_ports, *run.problem);
  return run_recurrence(dispatcher, star, [](const Message&, const Dates&) {});
}

std::vector<double> one_port_makespans_s(std::span<const Ordered> runs,
                                         const MemoryLayout& layout) {
  std::vector<OrderedSteps> steps;
  std::vector<ChunkRun<Kept::end>> chunks;
  for (const auto& [order, platform, problem] : runs) {
    steps.emplace_back(*order, *platform, *problem, layout);
    chunks.emplace_back(*platform, *problem);
  }
  std::vector<OrderedSteps*> choices;
  for (OrderedSteps& choice : steps) choices.push_back(&choice);
  carry_out_runs(std::span(chunks), std::span<OrderedSteps* const>(choices), 0, [] {});
  std::vector<double> makespans_s;
  for (const auto& run : chunks) makespans_s.push_back(run.last_end_s());
  return makespans_s;
}

}  // namespace

std::vector<double> order_makespans_s(std::span<const Ordered> runs, const MemoryLayout& layout) {
  const bool one_port = std::ranges::all_of(
      runs, [](const Ordered& run) { return run.platform->port.kind == Port::Kind::one; });
  if (one_port) return one_port_makespans_s(runs, layout);
  std::vector<double> makespans_s;
  for (const Ordered& run : runs) makespans_s.push_back(two_port_makespan_s(run, layout));
  return makespans_s;
}

}  // namespace starport
