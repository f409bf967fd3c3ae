// The run that sweeps are made of: on one port, without noise, nothing kept but the metrics.
#pragma once

#include "sim/star/metrics.hpp"
#include "sim/star/port_clock.hpp"

#include <cstdint>
#include <functional>
#include <utility>

namespace starport {

/// Adds up what is carried out, and looks at the time now and then.
class MeteredSink {
 public:
  /// `look` may throw.
  MeteredSink(MetricsMeter& meter, std::function<void()> look)
      : meter_(meter), look_(std::move(look)) {}

  void operator()(const Message& message, const Dates& dates) {
    meter_.add(message, dates);
    if (--left_ == 0) look_again();
  }

  // For who adds up itself.
  void look() const { look_(); }
  MetricsMeter& meter() { return meter_; }

 private:
  static constexpr std::int64_t kTransfersBetweenLooks = 1 << 16;

  void look_again() {
    left_ = kTransfersBetweenLooks;
    look_();
  }

  MetricsMeter& meter_;
  std::function<void()> look_;
  std::int64_t left_ = kTransfersBetweenLooks;
};

/// A dispatcher drives it by its own class, so that the compiler sees dispatcher, clock and metrics
/// at once: nothing virtual, and nothing copied, for a message.
class PlainRun {
 public:
  /// All outlive it.
  PlainRun(const Platform& platform, const Problem& problem, MeteredSink& sink)
      : platform_(platform), problem_(problem), sink_(sink) {}

  const Platform& platform() const { return platform_; }
  const Problem& problem() const { return problem_; }
  MeteredSink& sink() { return sink_; }

  template <class AnyDispatcher>
  void by(AnyDispatcher& dispatcher) {
    MasterView master(platform_, problem_);
    OnePortClock clock(master);
    run_by_clock(dispatcher, clock, master,
                 [&](const Message& message) { sink_(message, clock.advance(message)); });
  }

 private:
  const Platform& platform_;
  const Problem& problem_;
  MeteredSink& sink_;
};

}  // namespace starport
