#include "sim/star/engine/analytic_engine.hpp"

#include "sim/files/error.hpp"
#include "sim/star/engine/isolated_run.hpp"
#include "sim/star/recurrence.hpp"

#include <fmt/format.h>

#include <chrono>

namespace starport {
namespace {

using Clock = std::chrono::steady_clock;

/// The noise as a star takes it, and the plan made ready for it: nothing where there is none.
std::optional<NoiseClock> prepare(const Noise& noise, Plan& plan, const Platform& platform,
                                  const Problem& problem, std::size_t most_transfers) {
  if (noise.none()) return std::nullopt;
  if (!keep_to_order(plan, platform, problem, most_transfers)) {
    throw too_many_transfers(most_transfers);
  }
  return NoiseClock(noise, platform);
}

}  // namespace

Run AnalyticEngine::run(const Platform& platform, const Problem& problem, const Planner& planner,
                        const Noise& noise) const {
  const auto simulate = [&](Plan& plan, FrameWriter& out) {
    const auto clock = prepare(noise, plan, platform, problem, limits_.most_transfers);
    MasterView star(platform, problem, clock ? &*clock : nullptr);
    Dispatcher& dispatcher = *plan.dispatcher;
    PortEvent event;
    run_recurrence(dispatcher, star, [&](const Message&, const Dates& dates) {
      if (event.index == limits_.most_transfers) throw too_many_transfers(limits_.most_transfers);
      event.traced = {.transfer = dispatcher.transfer(), .dates = dates};
      out.write(std::as_bytes(std::span(&event, 1)));
      ++event.index;
    });
  };
  return run_isolated(planner, simulate, limits_.time_limit_s);
}

std::optional<RunAbout> AnalyticEngine::stream(const Platform& platform, const Problem& problem,
                                               const Planner& planner, const Noise& noise,
                                               const MessageSink& sink) const {
  constexpr std::int64_t transfers_between_looks = 1 << 16;
  const auto begin = Clock::now();
  const auto elapsed_s = [&] {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  Plan plan = planner();
  RunAbout about{.decision_s = elapsed_s(), .details = plan.details};
  const auto clock = prepare(noise, plan, platform, problem, limits_.most_transfers);
  MasterView star(platform, problem, clock ? &*clock : nullptr);
  std::int64_t transfers = 0;
  std::int64_t updates = 0;
  std::int64_t returned = 0;
  run_recurrence(*plan.dispatcher, star, [&](const Message& message, const Dates& dates) {
    sink(message, dates);
    if (dates.fate == Fate::complete) updates += message.block_updates;
    if (dates.fate == Fate::complete && message.direction == Direction::to_master)
      returned += message.blocks;
    if (++transfers % transfers_between_looks == 0 && limits_.time_limit_s > 0 &&
        elapsed_s() > limits_.time_limit_s) {
      throw SimulationError(fmt::format("timed out after {:g} s", limits_.time_limit_s));
    }
  });
  // No trace, so no validator: what a complete run comes to, all the same.
  // A worker that stops takes updates with it, which are done again.
  const bool again = !noise.stops.empty() && updates > problem.updates();
  if ((updates != problem.updates() && !again) || returned != problem.r * problem.s) {
    throw SimulationError(
        fmt::format("incomplete: {} of {} block updates, {} of {} blocks of C home", updates,
                    problem.updates(), returned, problem.r * problem.s));
  }
  return about;
}

}  // namespace starport
