#include "sim/star/engine/analytic_engine.hpp"

#include "sim/files/error.hpp"
#include "sim/process/clock.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/metrics_run.hpp"
#include "sim/star/recurrence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace starport {
namespace {

/// Runs the plan under the recurrence and calls on_message(message, dates) for each message. Under
/// noise fixes the plan's order first unless it adapts.
template <class OnMessage>
void run_plan(Plan& plan, const Platform& platform, const Problem& problem, const Noise& noise,
              std::size_t max_transfers, OnMessage&& on_message) {
  MasterView master(platform, problem);
  if (noise.is_none()) {
    run_recurrence(*plan.dispatcher, master, on_message);
    return;
  }
  if (!fix_order(plan, platform, problem, max_transfers)) {
    throw too_many_transfers(max_transfers);
  }
  const DrawnNoise drawn(noise, platform);
  run_recurrence(*plan.dispatcher, master, on_message, NoisyRecurrence(drawn));
}

void check_time_limit(const Stopwatch& watch, double limit_s) {
  if (limit_s > 0 && watch.elapsed_s() > limit_s) {
    throw MachineError(FailureCause::time, fmt::format("timed out after {:g} s", limit_s));
  }
}

/// Throws SimulationError unless all updates were done and all of C returned. Replaces the
/// validator, which needs a trace.
void check_complete(const Problem& problem, const Noise& noise, const MetricsAccumulator& meter) {
  // Updates of a worker that stopped are repeated elsewhere.
  const std::int64_t updates = meter.metrics().block_updates;
  const bool again = !noise.stops.empty() && updates > problem.updates();
  if ((updates != problem.updates() && !again) ||
      meter.returned_blocks() != problem.r * problem.s) {
    throw SimulationError(fmt::format(
        "the run is incomplete: {} of {} block updates done, {} of {} blocks of C returned",
        updates, problem.updates(), meter.returned_blocks(), problem.r * problem.s));
  }
}

}  // namespace

Run AnalyticEngine::run(const Platform& platform, const Problem& problem, const Planner& planner,
                        const Noise& noise) const {
  return collect_trace(limits_, [&](const TransferConsumer& consumer) {
    return stream(platform, problem, planner, noise, consumer);
  });
}

PlanSummary AnalyticEngine::stream(const Platform& platform, const Problem& problem,
                                   const Planner& planner, const Noise& noise,
                                   const TransferConsumer& consumer) const {
  const auto simulate = [&](Plan& plan, FrameWriter& out) {
    const std::size_t limit = max_transfers(limits_, noise);
    SimulatedTransfer event;
    run_plan(plan, platform, problem, noise, limit, [&](const Message&, const Dates& dates) {
      if (event.index == limit) throw too_many_transfers(limit);
      event.traced = {.transfer = plan.dispatcher->transfer(), .dates = dates};
      out.write(std::as_bytes(std::span(&event, 1)));
      ++event.index;
    });
  };
  return run_isolated(planner, simulate, limits_.time_limit_s, consumer);
}

std::optional<PlanSummary> AnalyticEngine::measure(const Platform& platform, const Problem& problem,
                                                   const Planner& planner, const Noise& noise,
                                                   MetricsAccumulator& meter) const {
  const Stopwatch watch;
  Plan plan = planner();
  PlanSummary summary{.decision_s = watch.elapsed_s(), .details = plan.details};
  MetricsSink sink(meter, [&] { check_time_limit(watch, limits_.time_limit_s); });
  if (noise.is_none() && platform.port.kind == Port::Kind::one) {
    MetricsRun run(platform, problem, sink);
    plan.dispatcher->measure(run);
  } else {
    run_plan(plan, platform, problem, noise, max_transfers(limits_, noise), sink);
  }
  check_complete(problem, noise, meter);
  return summary;
}

}  // namespace starport
