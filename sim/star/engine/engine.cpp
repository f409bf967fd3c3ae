#include "sim/star/engine/engine.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/process/machine.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/recurrence.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace starport {
namespace {

/// The child runs code of others, which may write to its pipe, or return twice after a fork.
SimulationError damaged_stream() {
  return SimulationError(
      "the process of the heuristic has written something else than its transfers to its pipe");
}

/// Reads the first frame of a run. Throws SimulationError if it does not describe a plan.
void read_summary(std::span<const std::byte> frame, PlanSummary& summary) {
  try {
    const auto* text = reinterpret_cast<const char*>(frame.data());
    const auto about = parse_trusted_json({text, frame.size()});
    about.at("decision_s").get_to(summary.decision_s);
    about.at("details").get_to(summary.details);
  } catch (const nlohmann::json::exception&) {
    throw damaged_stream();
  }
}

/// Passes transfers to a consumer in the order of their indices. Stores only those that arrive
/// early: no more than are under way at once.
class TransferReorderer {
 public:
  explicit TransferReorderer(const TransferConsumer& consumer) : consumer_(consumer) {}

  void add(const SimulatedTransfer& event) {
    constexpr std::size_t most_early = 1 << 24;  // far more than run at a time
    const std::size_t place = event.index - passed_on_;
    if (place >= most_early) throw damaged_stream();
    if (place >= early_.size()) early_.resize(place + 1);
    if (early_[place]) throw damaged_stream();
    early_[place] = event.traced;
    while (!early_.empty() && early_.front()) {
      consumer_(*early_.front());
      early_.pop_front();
      ++passed_on_;
    }
  }
  std::size_t passed_on() const { return passed_on_; }
  /// Returns the number of transfers up to the largest index received.
  std::size_t expected() const { return passed_on_ + early_.size(); }

 private:
  const TransferConsumer& consumer_;
  std::deque<std::optional<TracedTransfer>> early_;
  std::size_t passed_on_ = 0;
};

/// Dispatcher that decides what another one decides and checks limits at each decision. On
/// multi-port masters any number of transfers may be decided before the first one has dates.
class LimitedDispatcher final : public Dispatcher {
 public:
  LimitedDispatcher(Dispatcher& dispatcher,
                    const std::function<void(std::size_t transfers)>& check_limits)
      : dispatcher_(dispatcher), check_limits_(check_limits) {}

  Decision next(const MasterView& master) override {
    const Decision decision = dispatcher_.next(master);
    if (std::holds_alternative<const Message*>(decision)) check_limits_(++transfers_);
    return decision;
  }
  Transfer transfer() const override { return dispatcher_.transfer(); }

 private:
  Dispatcher& dispatcher_;
  const std::function<void(std::size_t transfers)>& check_limits_;
  std::size_t transfers_ = 0;
};

/// Runs the dispatcher under the recurrence and calls on_message(message, dates) for each message;
/// on multi-port masters also check_limits(transfers), which may throw, for each decision.
template <class OnMessage>
void run_dated(Dispatcher& dispatcher, const Platform& platform, const Problem& problem,
               const Noise& noise, const std::function<void(std::size_t transfers)>& check_limits,
               OnMessage&& on_message) {
  MasterView master(platform, problem);
  if (!noise.is_none()) {
    const DrawnNoise drawn(noise, platform);
    run_recurrence(dispatcher, master, on_message, NoisyRecurrence(drawn));
  } else if (has_recurrence(platform.port)) {
    run_recurrence(dispatcher, master, on_message);
  } else {
    LimitedDispatcher limited(dispatcher, check_limits);
    run_recurrence(limited, master, on_message);
  }
}

void check_time_limit(const Stopwatch& watch, double limit_s) {
  if (limit_s > 0 && watch.elapsed_s() > limit_s) {
    throw MachineError(FailureCause::time, fmt::format("timed out after {:g} s", limit_s));
  }
}

/// Throws SimulationError unless all updates were done and all of C returned, partial sums at least
/// once. Replaces the validator, which needs a trace.
void check_complete(const Problem& problem, const Noise& noise, const MetricsAccumulator& meter) {
  // Updates of a worker that stopped are repeated elsewhere.
  const Metrics metrics = meter.metrics();
  const std::int64_t updates = metrics.block_updates;
  const std::int64_t missing = problem.r * problem.s - meter.returned_blocks();
  const bool again = !noise.stops.empty() && updates > problem.updates();
  if ((updates != problem.updates() && !again) ||
      (metrics.partial_sums > 0 ? missing > metrics.partial_sums : missing != 0)) {
    throw SimulationError(fmt::format(
        "the run is incomplete: {} of {} block updates done, {} of {} blocks of C returned",
        updates, problem.updates(), meter.returned_blocks(), problem.r * problem.s));
  }
}

}  // namespace

std::size_t max_transfers(const SimulationLimits& limits, const Noise& noise, const Port& port) {
  constexpr double bytes = 64;
  constexpr double bytes_with_order = 240;
  const bool stores_order = !noise.is_none() || !has_recurrence(port);
  const double count = limits.memory_bytes / (stores_order ? bytes_with_order : bytes);
  return count < 0x1p62 ? static_cast<std::size_t>(count) : SIZE_MAX;
}

MachineError too_many_transfers(std::size_t limit) {
  return MachineError(
      FailureCause::memory,
      fmt::format("stopped after {} transfers: a longer run would not fit in memory", limit));
}

PlanSummary Engine::stream(const Platform& platform, const Problem& problem, const Planner& planner,
                           const Noise& noise, const TransferConsumer& consumer) const {
  const Run run = this->run(platform, problem, planner, noise);
  for (const TracedTransfer& traced : run.trace) consumer(traced);
  return run;
}

PlanSummary run_isolated(const Planner& planner, const SimulationBody& simulate,
                         double time_limit_s, const TransferConsumer& consumer) {
  PlanSummary summary;
  TransferReorderer transfers(consumer);
  bool planned = false;
  bool ended = false;
  run_in_child(
      [&](FrameWriter& out) {
        const Stopwatch watch;
        Plan plan = planner();
        // The first frame describes the plan, every other one is a SimulatedTransfer.
        const nlohmann::ordered_json about{{"decision_s", watch.elapsed_s()},
                                           {"details", plan.details}};
        const std::string text = to_json_line(about);
        out.write(std::as_bytes(std::span(text)));
        simulate(plan, out);
        out.write({});  // an empty frame ends the run
      },
      [&](std::span<const std::byte> frame) {
        if (ended) throw damaged_stream();
        if (!planned) {
          read_summary(frame, summary);
          planned = true;
          return;
        }
        if (frame.empty()) {
          ended = true;
          return;
        }
        SimulatedTransfer event;
        if (frame.size() != sizeof event) throw damaged_stream();
        std::memcpy(&event, frame.data(), sizeof event);
        transfers.add(event);
      },
      time_limit_s);
  if (!ended) {
    throw SimulationError(fmt::format(
        "the process of the heuristic ended before its {} was complete", planned ? "run" : "plan"));
  }
  if (transfers.passed_on() != transfers.expected()) {
    throw SimulationError(fmt::format("the run is incomplete: {} of {} transfers were reported",
                                      transfers.passed_on(), transfers.expected()));
  }
  return summary;
}

Run AnalyticEngine::run(const Platform& platform, const Problem& problem, const Planner& planner,
                        const Noise& noise) const {
  return collect_trace(limits_, [&](const TransferConsumer& consumer) {
    return stream(platform, problem, planner, noise, consumer);
  });
}

/// Runs a plan and passes its transfers, in order, to `take`.
void AnalyticEngine::date_transfers(
    Plan& plan, const Platform& platform, const Problem& problem, const Noise& noise,
    const std::function<void(const SimulatedTransfer&)>& take) const {
  const std::size_t limit = max_transfers(limits_, noise, platform.port);
  const auto check_limit = [limit](std::size_t transfers) {
    if (transfers > limit) throw too_many_transfers(limit);
  };
  if (!noise.is_none()) fix_order(plan, platform, problem, check_limit);
  TransferRecorder recorder(*plan.dispatcher);
  SimulatedTransfer event;
  const auto on_message = [&](const Message&, const Dates& dates) {
    check_limit(event.index + 1);
    event.traced = {.transfer = recorder.take(), .dates = dates};
    take(event);
    ++event.index;
  };
  run_dated(recorder, platform, problem, noise, check_limit, on_message);
}

PlanSummary AnalyticEngine::stream(const Platform& platform, const Problem& problem,
                                   const Planner& planner, const Noise& noise,
                                   const TransferConsumer& consumer) const {
  const auto simulate = [&](Plan& plan, FrameWriter& out) {
    date_transfers(plan, platform, problem, noise, [&](const SimulatedTransfer& event) {
      out.write(std::as_bytes(std::span(&event, 1)));
    });
  };
  return run_isolated(planner, simulate, limits_.time_limit_s, consumer);
}

std::optional<PlanSummary> AnalyticEngine::stream_here(const Platform& platform,
                                                       const Problem& problem,
                                                       const Planner& planner, const Noise& noise,
                                                       const TransferConsumer& consumer) const {
  const Stopwatch watch;
  Plan plan = planner();
  PlanSummary summary{.decision_s = watch.elapsed_s(), .details = plan.details};
  date_transfers(plan, platform, problem, noise, [&](const SimulatedTransfer& event) {
    check_time_limit(watch, limits_.time_limit_s);
    consumer(event.traced);
  });
  return summary;
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
    constexpr std::size_t transfers_between_checks = 1 << 16;
    const std::size_t limit = max_transfers(limits_, noise, platform.port);
    const auto check_limits = [&](std::size_t transfers) {
      if (transfers > limit) throw too_many_transfers(limit);
      if (transfers % transfers_between_checks == 0) check_time_limit(watch, limits_.time_limit_s);
    };
    if (!noise.is_none()) fix_order(plan, platform, problem, check_limits);
    run_dated(*plan.dispatcher, platform, problem, noise, check_limits, sink);
  }
  check_complete(problem, noise, meter);
  return summary;
}

}  // namespace starport
