#include "sim/star/engine/engine.hpp"

#include "sim/process/clock.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstring>
#include <span>

namespace starport {

MachineError too_many_transfers(std::size_t most) {
  return MachineError(
      Cause::memory,
      fmt::format("stopped after {} transfers: a longer trace would not fit in memory", most));
}

Run run_isolated(const Planner& planner, const Simulate& simulate, double time_limit_s) {
  Run run;
  std::size_t received = 0;
  bool planned = false;
  run_in_child(
      [&](FrameWriter& out) {
        const Stopwatch watch;
        Plan plan = planner();
        // The first frame is the plan's; every other one an event.
        const nlohmann::json about{{"decision_s", watch.elapsed_s()}, {"details", plan.details}};
        const std::string text = about.dump();
        out.write(std::as_bytes(std::span(text)));
        simulate(plan, out);
      },
      [&](std::span<const std::byte> frame) {
        if (!planned) {
          const auto* text = reinterpret_cast<const char*>(frame.data());
          const auto about = nlohmann::json::parse(text, text + frame.size());
          about.at("decision_s").get_to(run.decision_s);
          about.at("details").get_to(run.details);
          planned = true;
          return;
        }
        PortEvent event;
        std::memcpy(&event, frame.data(), sizeof event);
        if (event.index >= run.trace.size()) run.trace.resize(event.index + 1);
        run.trace[event.index] = event.traced;
        ++received;
      },
      time_limit_s);
  if (received != run.trace.size()) {
    throw SimulationError(
        fmt::format("incomplete: {} of {} transfers reported", received, run.trace.size()));
  }
  return run;
}

}  // namespace starport
