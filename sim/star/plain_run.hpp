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
  PlainRun(MasterView& master, MeteredSink& sink) : master_(master), sink_(sink) {}

  template <class AnyDispatcher>
  void by(AnyDispatcher& dispatcher) {
    OnePortClock clock(master_);
    run_by_clock(dispatcher, clock, master_,
                 [&](const Message& message) { sink_(message, clock.advance(message)); });
  }

 private:
  MasterView& master_;
  MeteredSink& sink_;
};

}  // namespace starport
