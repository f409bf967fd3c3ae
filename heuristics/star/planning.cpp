#include "heuristics/star/planning.hpp"

#include "heuristics/star/fast/chunk_run.hpp"
#include "heuristics/star/fast/indexed_requests.hpp"
#include "heuristics/star/fast/tournament.hpp"
#include "sim/files/numbers.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/analytic_run.hpp"

#include <optional>
#include <span>
#include <utility>

namespace starport {
namespace {

/// Chooses workers in a given order of steps, then returns the chunks that are still held. The
/// order must outlive it.
class OrderedSteps {
 public:
  OrderedSteps(std::span<const std::int32_t> order, const Platform& platform,
               const Problem& problem, const MemoryLayout& layout)
      : order_(order), workers_(make_chunk_workers(platform, problem, layout)), columns_(problem) {}

  ChosenWorker choose(const MasterView& master) {
    if (ChunkWorker* worker = choose_by_order()) return worker;
    if (!returns_) {
      returns_.emplace(workers_.size());
      for (const ChunkWorker& worker : workers_) {
        if (worker.has_chunk()) returns_->post(worker.worker(), worker.next_after_update());
      }
    }
    const auto request = returns_->find_earliest(master);
    if (!request) return nullptr;
    if (request->date_s == kUnknown || !master.is_port_free(Direction::to_master)) return Wait{};
    // While transfers are under way, the port is not held: another worker may be done first.
    if (master.has_transfer_under_way() && clearly_less(master.now_s(), request->date_s)) {
      return Wait{.until_s = request->date_s};
    }
    returns_->withdraw(request->worker);
    return &workers_[request->worker];
  }
  template <RunResults results>
  ChunkWorker* choose(const ChunkRun<results>& run) {
    if (ChunkWorker* worker = choose_by_order()) return worker;
    if (!ends_) {
      ends_.emplace(workers_.size());
      for (const ChunkWorker& worker : workers_) {
        if (!worker.has_chunk()) continue;
        ends_->set(static_cast<std::size_t>(worker.worker()),
                   run.last_update_end_s(worker.worker()));
      }
    }
    const std::size_t first = ends_->first_of_least();
    if (first == ends_->size()) return nullptr;
    ends_->set(first, fast::Tournament::kNone);
    return &workers_[static_cast<std::int64_t>(first)];
  }

 private:
  /// Returns the worker of the next message, null when all steps are sent.
  ChunkWorker* choose_by_order() {
    while (step_ < order_.size()) {
      ChunkWorker& worker = workers_[order_[step_]];
      if (worker.full_steps_left() == 0) {                // as is rare
        if (worker.is_ready_to_return()) return &worker;  // RecvC
        if (!worker.has_chunk()) {
          if (worker.start_chunk(columns_)) return &worker;  // SendC
          ++step_;                                           // no column is left
          continue;
        }
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
  // Set when all steps are sent, for the workers that still hold a chunk:
  std::optional<fast::IndexedRequests> returns_;  ///< requests to return it
  std::optional<fast::Tournament> ends_;          ///< ends of the last updates, in a ChunkRun
};

struct OwnedOrder {
  StepOrder order;
};
/// OrderedSteps with an order that it owns.
class OwnedOrderedSteps : OwnedOrder, public OrderedSteps {
 public:
  OwnedOrderedSteps(StepOrder steps, const Platform& platform, const Problem& problem,
                    const MemoryLayout& layout)
      : OwnedOrder{std::move(steps)}, OrderedSteps(OwnedOrder::order, platform, problem, layout) {}
};

}  // namespace

std::vector<StepCosts> compute_step_costs(const Platform& platform, const Problem& problem,
                                          const MemoryLayout& layout) {
  std::vector<StepCosts> costs;
  std::int32_t index = -1;
  for (const Worker& given : platform.workers) {
    const Worker worker = at_chunk_size(given, layout);
    const std::int64_t mu = layout.side(worker.m_blocks);
    ++index;
    if (mu == 0) continue;
    const auto updates = static_cast<double>(mu) * static_cast<double>(mu);
    costs.push_back({.worker = index,
                     .mu = mu,
                     .chunk_steps = problem.t,
                     .panel_steps = problem.t * ceil_div(problem.r, mu),
                     .updates = updates,
                     .ab_s = worker.transfer_time_s(2 * mu),
                     .c_s = worker.transfer_time_s(mu * mu),
                     .computation_s = updates * worker.w_s,
                     .column_s = static_cast<double>(problem.r) *
                                 (static_cast<double>(problem.t) * given.w_s + 2 * worker.c_s)});
  }
  return costs;
}

std::unique_ptr<Dispatcher> make_order_dispatcher(StepOrder order, const Platform& platform,
                                                  const Problem& problem,
                                                  const MemoryLayout& layout) {
  return std::make_unique<ChoiceDispatcher<OwnedOrderedSteps>>(std::move(order), platform, problem,
                                                               layout);
}

double order_makespan_s(const StepOrder& order, const Platform& platform, const Problem& problem,
                        const MemoryLayout& layout) {
  if (platform.port.kind == Port::Kind::one) {
    OrderedSteps steps(order, platform, problem, layout);
    ChunkRun<RunResults::end> run(platform, problem);
    run.execute(steps, [] {});
    return run.now_s();
  }
  Platform two_ports = platform;
  two_ports.port = {.kind = Port::Kind::two};
  ChoiceDispatcher<OrderedSteps> dispatcher(order, two_ports, problem, layout);
  MasterView master(two_ports, problem);
  return run_recurrence(dispatcher, master, [](const Message&, const Dates&) {});
}

}  // namespace starport
