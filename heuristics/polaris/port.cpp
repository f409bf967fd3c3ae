#include "heuristics/polaris/port.hpp"

#include "heuristics/polaris/service.hpp"

#include <limits>

namespace starport::polaris {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

PortRun run_port(const Platform& platform, const Problem& problem, const std::vector<Task>& tasks,
                 const PortOptions& options, bool keep_order, double limit_s) {
  std::vector<Service> services;
  services.reserve(tasks.size());
  for (const Task& task : tasks) services.emplace_back(platform, problem, task, options);
  PortRun run;
  double now_s = 0;
  for (;;) {
    // The one with most computation unsent among those that can act, and among those that can
    // return; or the date at which one can.
    std::size_t actor = services.size();
    std::size_t giver = services.size();
    double next_s = kNever;
    for (std::size_t i = 0; i < services.size(); ++i) {
      const Service& service = services[i];
      const double send_s = service.send_s();
      const double return_s = service.return_s();
      const double act_s = std::min(send_s, return_s);
      if (act_s > now_s) {
        next_s = std::min(next_s, act_s);
        continue;
      }
      if (actor == services.size() || service.unsent_s() > services[actor].unsent_s()) actor = i;
      if (return_s <= now_s &&
          (giver == services.size() || service.unsent_s() > services[giver].unsent_s())) {
        giver = i;
      }
    }
    if (actor == services.size()) {
      if (next_s == kNever) break;
      now_s = next_s;
      continue;
    }
    const Service& first = services[actor];
    const bool can_send = first.send_s() <= now_s;
    const bool starving =
        can_send && first.busy_until_s() <= now_s + options.patience * first.service_s();
    const bool take_home = !can_send || (!starving && giver != services.size());
    const std::size_t served = !can_send ? actor : take_home ? giver : actor;
    const double begin_s = now_s;
    now_s = take_home ? services[served].take_home(now_s, nullptr)
                      : services[served].send(now_s, nullptr);
    run.port_busy_s += now_s - begin_s;
    ++run.transfers;
    if (keep_order)
      run.order.push_back(static_cast<std::uint32_t>(2 * served + (take_home ? 1 : 0)));
    if (now_s >= limit_s) {
      run.makespan_s = kNever;
      return run;
    }
  }
  for (const Service& service : services) {
    if (!service.over()) {  // its next message never fits
      run.makespan_s = kNever;
      return run;
    }
  }
  run.makespan_s = now_s;
  for (const Service& service : services) run.tasks.push_back(service.outcome());
  return run;
}

}  // namespace starport::polaris
