#include "heuristics/star/polaris/serving.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace starport::polaris {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// Integers in the order of the numbers: of dates, which are not negative, and of any but -0.
std::uint64_t ordered_date(double s) { return std::bit_cast<std::uint64_t>(s); }
std::uint64_t ordered(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

struct Choice {
  std::size_t service = 0;
  double from_s = kNever;  ///< now, or as soon as one can
};

/// What the choice looks at, close together, and in blocks of which most are passed over at a
/// glance: with many tasks that is most of the time. Dates and work are integers, so that an
/// earlier date or else more work is one comparison, and no branch that nobody can foretell.
class Agenda {
 public:
  Agenda(const std::vector<Service>& services, double patience)
      : services_(services),
        patience_(patience),
        slots_(services.size()),
        blocks_((services.size() + kBlock - 1) / kBlock) {
    for (std::size_t i = 0; i < services.size(); ++i) refresh(i);
  }

  /// The service has been served.
  void refresh(std::size_t i) {
    const Service& service = services_[i];
    const std::uint64_t give = ordered_date(service.return_s());
    slots_[i] = {std::min(ordered_date(service.send_s()), give),
                 give,
                 ~ordered(service.unsent_s()),
                 service.send_s(),
                 service.busy_until_s(),
                 patience_ * service.service_s()};
    if (blocks_.size() == 1) return;
    Slot all = slots_[i];
    for (std::size_t j = i / kBlock * kBlock; j < end(i / kBlock); ++j) {
      all.act = std::min(all.act, slots_[j].act);
      all.give = std::min(all.give, slots_[j].give);
      all.rank = std::min(all.rank, slots_[j].rank);
    }
    blocks_[i / kBlock] = all;
  }

  /// Who has most computation unsent among those that can act now, or else first.
  Choice actor(double now_s) const { return choose<&Slot::act>(now_s); }
  /// The same among those that have something to take home.
  Choice giver(double now_s) const { return choose<&Slot::give>(now_s); }

  bool can_send(const Choice& choice) const {
    return slots_[choice.service].send_s <= choice.from_s;
  }
  /// Not about to starve.
  bool has_time(const Choice& choice) const {
    const Slot& slot = slots_[choice.service];
    return slot.busy_until_s > choice.from_s + slot.patience_s;
  }

 private:
  static constexpr std::size_t kBlock = 32;
  /// Of a service, or the least of a block of them.
  struct Slot {
    std::uint64_t act;   ///< a date
    std::uint64_t give;  ///< a date
    std::uint64_t rank;  ///< the less, the more computation is unsent
    double send_s;
    double busy_until_s;
    double patience_s;
  };
  __extension__ using Key = unsigned __int128;

  template <std::uint64_t Slot::*date>
  Choice choose(double now_s) const {
    const std::uint64_t now = ordered_date(now_s);
    const auto key = [now](const Slot& slot) {
      return Key{std::max(slot.*date, now)} << 64 | slot.rank;
    };
    Key least = Key{ordered_date(kNever)} << 64 | std::numeric_limits<std::uint64_t>::max();
    std::size_t service = 0;
    for (std::size_t number = 0; number < blocks_.size(); ++number) {
      if (key(blocks_[number]) >= least) continue;
      for (std::size_t i = number * kBlock; i < end(number); ++i) {
        const Key other = key(slots_[i]);
        service = other < least ? i : service;
        least = other < least ? other : least;
      }
    }
    return {service, std::bit_cast<double>(static_cast<std::uint64_t>(least >> 64))};
  }
  std::size_t end(std::size_t number) const {
    return std::min(slots_.size(), (number + 1) * kBlock);
  }

  const std::vector<Service>& services_;
  double patience_;
  std::vector<Slot> slots_;
  std::vector<Slot> blocks_;
};

}  // namespace

void Service::make() {
  at_ = 0;
  for (count_ = 0; count_ < kAhead && !bundles_.over(); ++count_) {
    const Bundle bundle = bundles_.next();
    const starport::Message figures{.block_updates = bundle.block_updates(),
                                    .updated_blocks = bundle.updated_blocks(),
                                    .additions = bundle.additions()};
    ahead_[count_] = {.service_s = worker_->transfer_time_s(bundle.blocks()),
                      .update_s = update_cost(figures, problem_, *worker_) * worker_->w_s,
                      .sent_s = static_cast<double>(figures.block_updates) * update_s_,
                      .taken = bundle.taken(),
                      .released = bundle.released(),
                      .band = bundle.band,
                      .finished = bundle.finished};
  }
}

ServedTasks serve_tasks(const Platform& platform, const Problem& problem,
                        const std::vector<Task>& tasks, const ServingOptions& options,
                        double limit_s) {
  std::vector<Service> services;
  services.reserve(tasks.size());
  for (const Task& task : tasks) services.emplace_back(platform, problem, task, options);
  Agenda agenda(services, options.patience);
  ServedTasks run;
  double now_s = 0;
  for (;;) {
    const Choice actor = agenda.actor(now_s);
    if (actor.from_s == kNever) break;
    now_s = actor.from_s;
    std::size_t served = actor.service;
    bool take_home = !agenda.can_send(actor);
    if (!take_home && agenda.has_time(actor)) {
      const Choice giver = agenda.giver(now_s);
      take_home = giver.from_s == now_s;
      if (take_home) served = giver.service;
    }
    now_s = take_home ? services[served].take_home(now_s) : services[served].send(now_s);
    agenda.refresh(served);
    ++run.transfers;
    run.order.push_back(static_cast<std::uint32_t>(2 * served + (take_home ? 1 : 0)));
    run.ends_s.push_back(now_s);
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
