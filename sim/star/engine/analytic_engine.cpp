#include "sim/star/engine/analytic_engine.hpp"

#include "sim/files/error.hpp"
#include "sim/process/clock.hpp"
#include "sim/star/recurrence.hpp"
#include "sim/star/metrics_run.hpp"
#include "sim/star/analytic_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <vector>

namespace starport {
namespace {

/// Runs the plan by the recurrence, made ready for noise where there is some.
template <class OnMessage>
void date(Plan& plan, const Platform& platform, const Problem& problem, const Noise& noise,
          std::size_t most_transfers, OnMessage&& on_message) {
  MasterView master(platform, problem);
  if (noise.none()) {
    run_recurrence(*plan.dispatcher, master, on_message);
    return;
  }
  if (!fix_order(plan, platform, problem, most_transfers)) {
    throw too_many_transfers(most_transfers);
  }
  const DrawnNoise drawn(noise, platform);
  run_recurrence(*plan.dispatcher, master, on_message, NoisyRecurrence(drawn));
}

void check_time(const Stopwatch& watch, double limit_s) {
  if (limit_s > 0 && watch.elapsed_s() > limit_s) {
    throw MachineError(Cause::time, fmt::format("timed out after {:g} s", limit_s));
  }
}

/// No trace, so no validator: what a complete run comes to, all the same.
void check_complete(const Problem& problem, const Noise& noise, const MetricsAccumulator& meter) {
  // A worker that stops takes updates with it, which are done again.
  const std::int64_t updates = meter.metrics().block_updates;
  const bool again = !noise.stops.empty() && updates > problem.updates();
  if ((updates != problem.updates() && !again) || meter.returned_blocks() != problem.r * problem.s) {
    throw SimulationError(
        fmt::format("incomplete: {} of {} block updates, {} of {} blocks of C home", updates,
                    problem.updates(), meter.returned_blocks(), problem.r * problem.s));
  }
}

}  // namespace

Run AnalyticEngine::run(const Platform& platform, const Problem& problem, const Planner& planner,
                        const Noise& noise) const {
  return traced(limits_, [&](const TransferConsumer& take) {
    return stream(platform, problem, planner, noise, take);
  });
}

PlanSummary AnalyticEngine::stream(const Platform& platform, const Problem& problem,
                                const Planner& planner, const Noise& noise,
                                const TransferConsumer& take) const {
  const auto simulate = [&](Plan& plan, FrameWriter& out) {
    const std::size_t most = most_transfers(limits_, noise);
    SimulatedTransfer event;
    date(plan, platform, problem, noise, most, [&](const Message&, const Dates& dates) {
      if (event.index == most) throw too_many_transfers(most);
      event.traced = {.transfer = plan.dispatcher->transfer(), .dates = dates};
      out.write(std::as_bytes(std::span(&event, 1)));
      ++event.index;
    });
  };
  return run_isolated(planner, simulate, limits_.time_limit_s, take);
}

std::optional<PlanSummary> AnalyticEngine::measure(const Platform& platform, const Problem& problem,
                                               const Planner& planner, const Noise& noise,
                                               MetricsAccumulator& meter) const {
  const Stopwatch watch;
  Plan plan = planner();
  PlanSummary about{.decision_s = watch.elapsed_s(), .details = plan.details};
  MetricsSink sink(meter, [&] { check_time(watch, limits_.time_limit_s); });
  if (noise.none() && platform.port.kind == Port::Kind::one) {
    MetricsRun run(platform, problem, sink);
    plan.dispatcher->measure(run);
  } else {
    date(plan, platform, problem, noise, most_transfers(limits_, noise), sink);
  }
  check_complete(problem, noise, meter);
  return about;
}

bool AnalyticEngine::measure_batch(std::span<const PlannedRun> runs) const {
  const bool one_port = std::ranges::all_of(
      runs, [](const PlannedRun& run) { return run.platform->port.kind == Port::Kind::one; });
  if (!one_port) return false;
  const Stopwatch watch;
  const double limit_s = limits_.time_limit_s * static_cast<double>(runs.size());
  std::deque<MetricsSink> sinks;
  std::deque<MetricsRun> plain;
  std::vector<MeasuredRun> driven;
  for (const auto& [platform, problem, plan, meter] : runs) {
    auto& sink = sinks.emplace_back(*meter, [&] { check_time(watch, limit_s); });
    driven.push_back({plan->dispatcher.get(), &plain.emplace_back(*platform, *problem, sink)});
  }
  driven.front().dispatcher->measure_batch(driven);
  for (const PlannedRun& run : runs) check_complete(*run.problem, {}, *run.meter);
  return true;
}

}  // namespace starport
