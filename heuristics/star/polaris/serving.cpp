#include "heuristics/star/polaris/serving.hpp"

#include <limits>

namespace starport::polaris {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

struct Choice {
  std::size_t service = kNobody;
  double from_s = kNever;  ///< now, or as soon as one can
};

/// What the choice looks at, close together, and in blocks of which most are passed over at a
/// glance: with many tasks that is most of the time.
class Agenda {
 public:
  explicit Agenda(const std::vector<Service>& services)
      : services_(services),
        slots_(services.size()),
        blocks_((services.size() + kBlock - 1) / kBlock, {-kNever, -kNever, kNever}) {
    for (std::size_t i = 0; i < services.size(); ++i) refresh(i);
  }

  /// The service has been served.
  void refresh(std::size_t i) {
    const Service& service = services_[i];
    slots_[i] = {std::min(service.send_s(), service.return_s()), service.return_s(),
                 service.unsent_s()};
    if (blocks_.size() == 1) return;
    Slot all{kNever, kNever, -kNever};
    for (std::size_t j = i / kBlock * kBlock; j < end(i / kBlock); ++j) {
      all = {std::min(all.act_s, slots_[j].act_s), std::min(all.return_s, slots_[j].return_s),
             std::max(all.unsent_s, slots_[j].unsent_s)};
    }
    blocks_[i / kBlock] = all;
  }

  /// Who has most computation unsent among those that can act now, or else first.
  Choice actor(double now_s) const { return choose<&Slot::act_s>(now_s); }
  /// The same among those that have something to take home.
  Choice giver(double now_s) const { return choose<&Slot::return_s>(now_s); }

 private:
  static constexpr std::size_t kBlock = 32;
  /// Of a service, or the least dates and the most work of a block of them.
  struct Slot {
    double act_s;
    double return_s;
    double unsent_s;
  };
  template <double Slot::*date_s>
  Choice choose(double now_s) const {
    Choice best;
    double most_s = -kNever;
    // No branches: which is better is hard to foretell.
    const auto better = [&](const Slot& slot, double from_s) {
      return (from_s < best.from_s) | ((from_s == best.from_s) & (slot.unsent_s > most_s));
    };
    for (std::size_t number = 0; number < blocks_.size(); ++number) {
      if (!better(blocks_[number], std::max(blocks_[number].*date_s, now_s))) continue;
      for (std::size_t i = number * kBlock; i < end(number); ++i) {
        const double from_s = std::max(slots_[i].*date_s, now_s);
        const bool is_better = better(slots_[i], from_s);
        best = {is_better ? i : best.service, is_better ? from_s : best.from_s};
        most_s = is_better ? slots_[i].unsent_s : most_s;
      }
    }
    return best;
  }
  std::size_t end(std::size_t number) const {
    return std::min(slots_.size(), (number + 1) * kBlock);
  }

  const std::vector<Service>& services_;
  std::vector<Slot> slots_;
  std::vector<Slot> blocks_;
};

}  // namespace

ServedTasks serve_tasks(const Platform& platform, const Problem& problem,
                        const std::vector<Task>& tasks, const ServingOptions& options,
                        bool keep_order, double limit_s) {
  std::vector<Service> services;
  services.reserve(tasks.size());
  for (const Task& task : tasks) services.emplace_back(platform, problem, task, options);
  Agenda agenda(services);
  ServedTasks run;
  double now_s = 0;
  for (;;) {
    const Choice actor = agenda.actor(now_s);
    if (actor.from_s == kNever) break;
    now_s = actor.from_s;
    std::size_t served = actor.service;
    const Service& first = services[served];
    bool take_home = first.send_s() > now_s;
    if (!take_home &&
        first.busy_until_s() > now_s + options.patience * first.service_s()) {  // not starving
      const Choice giver = agenda.giver(now_s);
      take_home = giver.from_s == now_s;
      if (take_home) served = giver.service;
    }
    now_s = take_home ? services[served].take_home(now_s, nullptr)
                      : services[served].send(now_s, nullptr);
    agenda.refresh(served);
    ++run.transfers;
    if (keep_order) {
      run.order.push_back(static_cast<std::uint32_t>(2 * served + (take_home ? 1 : 0)));
    } else {
      run.ends_s.push_back(now_s);
    }
    if (now_s >= limit_s) {
      run.stopped = true;
      return run;
    }
  }
  for (const Service& service : services) {
    if (!service.over()) return run;  // its next message never fits
  }
  run.makespan_s = now_s;
  for (const Service& service : services) run.tasks.push_back(service.outcome());
  return run;
}

}  // namespace starport::polaris
