#include "sim/star/engine/engine.hpp"

#include "sim/files/json_text.hpp"
#include "sim/process/clock.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <deque>
#include <optional>
#include <span>

namespace starport {

std::size_t most_transfers(const SimulationLimits& limits, const Noise& noise) {
  constexpr double bytes = 64;
  constexpr double bytes_in_order = 240;
  const double most = limits.memory_bytes / (noise.none() ? bytes : bytes_in_order);
  return most < 0x1p62 ? static_cast<std::size_t>(most) : SIZE_MAX;
}

MachineError too_many_transfers(std::size_t most) {
  return MachineError(
      Cause::memory,
      fmt::format("stopped after {} transfers: a longer run would not fit in memory", most));
}

PlanSummary Engine::stream(const Platform& platform, const Problem& problem, const Planner& planner,
                        const Noise& noise, const TransferConsumer& take) const {
  const Run run = this->run(platform, problem, planner, noise);
  for (const TracedTransfer& traced : run.trace) take(traced);
  return run;
}

namespace {

/// Hands transfers over in their order. Of those that came too early it keeps no more than are
/// under way.
class InOrder {
 public:
  explicit InOrder(const TransferConsumer& take) : take_(take) {}

  void add(const SimulatedTransfer& event) {
    const std::size_t place = event.index - taken_;
    if (place >= early_.size()) early_.resize(place + 1);
    early_[place] = event.traced;
    while (!early_.empty() && early_.front()) {
      take_(*early_.front());
      early_.pop_front();
      ++taken_;
    }
  }
  std::size_t taken() const { return taken_; }
  std::size_t all() const { return taken_ + early_.size(); }  ///< up to the last one that came

 private:
  const TransferConsumer& take_;
  std::deque<std::optional<TracedTransfer>> early_;
  std::size_t taken_ = 0;
};

}  // namespace

PlanSummary run_isolated(const Planner& planner, const Simulate& simulate, double time_limit_s,
                      const TransferConsumer& take) {
  PlanSummary run;
  InOrder transfers(take);
  bool planned = false;
  run_in_child(
      [&](FrameWriter& out) {
        const Stopwatch watch;
        Plan plan = planner();
        // The first frame is the plan's; every other one an event.
        const nlohmann::ordered_json about{{"decision_s", watch.elapsed_s()},
                                           {"details", plan.details}};
        const std::string text = on_one_line(about);
        out.write(std::as_bytes(std::span(text)));
        simulate(plan, out);
      },
      [&](std::span<const std::byte> frame) {
        if (!planned) {
          const auto* text = reinterpret_cast<const char*>(frame.data());
          const auto about = own_json({text, frame.size()});
          about.at("decision_s").get_to(run.decision_s);
          about.at("details").get_to(run.details);
          planned = true;
          return;
        }
        SimulatedTransfer event;
        std::memcpy(&event, frame.data(), sizeof event);
        transfers.add(event);
      },
      time_limit_s);
  if (transfers.taken() != transfers.all()) {
    throw SimulationError(
        fmt::format("incomplete: {} of {} transfers reported", transfers.taken(), transfers.all()));
  }
  return run;
}

}  // namespace starport
