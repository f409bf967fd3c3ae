#include "heuristics/star/polaris/serving.hpp"

#include <limits>

namespace starport::polaris {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

struct Choice {
  std::size_t actor = kNobody;  ///< who has most computation unsent among those that can act
  std::size_t giver = kNobody;  ///< the same among those that have something to take home
  double next_s = kNever;       ///< when another can act
};

/// What the choice looks at, close together, and in blocks of which most are passed over at a
/// glance: with many tasks that is most of the time.
class Agenda {
 public:
  explicit Agenda(const std::vector<Service>& services)
      : services_(services),
        slots_(services.size()),
        blocks_((services.size() + kBlock - 1) / kBlock) {
    for (std::size_t i = 0; i < services.size(); ++i) refresh(i);
  }

  /// The service has been served.
  void refresh(std::size_t i) {
    const Service& service = services_[i];
    slots_[i] = {std::min(service.send_s(), service.return_s()), service.return_s(),
                 service.unsent_s()};
    Slot all{kNever, kNever, -kNever};
    for (std::size_t j = i / kBlock * kBlock; j < end(i / kBlock); ++j) {
      all = {std::min(all.act_s, slots_[j].act_s), std::min(all.return_s, slots_[j].return_s),
             std::max(all.unsent_s, slots_[j].unsent_s)};
    }
    blocks_[i / kBlock] = all;
  }

  Choice choose(double now_s) const {
    Choice choice;
    double most = -kNever;
    double most_giving = -kNever;
    for (std::size_t number = 0; number < blocks_.size(); ++number) {
      const Slot& block = blocks_[number];
      if (block.act_s > now_s) {
        choice.next_s = std::min(choice.next_s, block.act_s);
        continue;
      }
      const bool may_give = block.return_s <= now_s && block.unsent_s > most_giving;
      if (block.unsent_s <= most && !may_give) continue;
      for (std::size_t i = number * kBlock; i < end(number); ++i) {
        const Slot& slot = slots_[i];
        if (slot.act_s > now_s) {
          choice.next_s = std::min(choice.next_s, slot.act_s);
          continue;
        }
        if (slot.unsent_s > most) {
          most = slot.unsent_s;
          choice.actor = i;
        }
        if (slot.return_s <= now_s && slot.unsent_s > most_giving) {
          most_giving = slot.unsent_s;
          choice.giver = i;
        }
      }
    }
    return choice;
  }

 private:
  static constexpr std::size_t kBlock = 32;
  /// Of a service, or the least dates and the most work of a block of them.
  struct Slot {
    double act_s;
    double return_s;
    double unsent_s;
  };
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
    const Choice choice = agenda.choose(now_s);
    if (choice.actor == kNobody) {
      if (choice.next_s == kNever) break;
      now_s = choice.next_s;
      continue;
    }
    const Service& first = services[choice.actor];
    const bool can_send = first.send_s() <= now_s;
    const bool starving =
        can_send && first.busy_until_s() <= now_s + options.patience * first.service_s();
    const bool take_home = !can_send || (!starving && choice.giver != kNobody);
    const std::size_t served = can_send && take_home ? choice.giver : choice.actor;
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
