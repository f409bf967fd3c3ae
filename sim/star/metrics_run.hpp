// A run of a dispatcher that computes only its metrics: on one port, without noise or trace.
#pragma once

#include "sim/star/metrics.hpp"
#include "sim/star/port_clock.hpp"

#include <cstdint>
#include <functional>
#include <utility>

namespace starport {

/// Receives the messages of a run with their dates, adds them to the metrics, and checks limits
/// such as the time limit every 65536 messages.
class MetricsSink {
 public:
  /// Adds to `metrics`, which must outlive the sink. `check_limits` must not be null; it may throw
  /// to stop the run.
  MetricsSink(MetricsAccumulator& metrics, std::function<void()> check_limits)
      : metrics_(metrics), check_limits_(std::move(check_limits)) {}

  /// Adds a message that has been carried out with its dates in simulated seconds; calls the check
  /// of limits every 65536 messages and lets its exceptions pass.
  void operator()(const Message& message, const Dates& dates) {
    metrics_.add(message, dates);
    if (--left_ > 0) return;
    left_ = kMessagesBetweenChecks;
    check_limits_();
  }

  /// Calls the check of limits at once and lets its exceptions pass. For dispatchers that compute
  /// the metrics of their run themselves, without passing messages to this sink.
  void check_limits() const { check_limits_(); }
  /// Returns the metrics given to the constructor, so that dispatchers that compute the metrics of
  /// their run themselves can store their totals.
  MetricsAccumulator& metrics() { return metrics_; }

 private:
  static constexpr std::int64_t kMessagesBetweenChecks = 1 << 16;

  MetricsAccumulator& metrics_;
  std::function<void()> check_limits_;
  std::int64_t left_ = kMessagesBetweenChecks;
};

/// A run on one port without noise of which only the metrics are wanted. It is executed by a
/// dispatcher of known class, so that the compiler can inline dispatcher, clock and metrics: no
/// virtual call and no copy per message.
class MetricsRun {
 public:
  /// Describes a run; all arguments must outlive it. The platform must have one port (not checked:
  /// it would be simulated as one port).
  MetricsRun(const Platform& platform, const Problem& problem, MetricsSink& sink)
      : platform_(platform), problem_(problem), sink_(sink) {}

  /// Returns the platform of the run.
  const Platform& platform() const { return platform_; }
  /// Returns the matrix product of the run.
  const Problem& problem() const { return problem_; }
  /// Returns the sink that receives the messages or the totals of the run.
  MetricsSink& sink() { return sink_; }

  /// Runs `dispatcher` from date 0 to its end and passes its messages to the sink. Throws
  /// SimulationError on an invalid decision (check_decision()) or if the dispatcher waits for
  /// nothing, and what the sink's check of limits throws. Does not check that the schedule is
  /// complete.
  template <class AnyDispatcher>
  void execute(AnyDispatcher& dispatcher) {
    MasterView master(platform_, problem_);
    OnePortClock clock(master);
    run_dispatcher(dispatcher, clock, master,
                   [&](const Message& message) { sink_(message, clock.advance(message)); });
  }

 private:
  const Platform& platform_;
  const Problem& problem_;
  MetricsSink& sink_;
};

}  // namespace starport
