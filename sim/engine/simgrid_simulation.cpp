#include "sim/engine/simgrid_simulation.hpp"

#include "sim/engine/port_queue.hpp"
#include "sim/model/error.hpp"
#include "sim/model/noise.hpp"
#include "sim/model/recurrence.hpp"
#include "sim/model/ties.hpp"

#include <fmt/format.h>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <fstream>
#include <optional>
#include <span>
#include <vector>

namespace starport {
namespace {

namespace sg = simgrid::s4u;

// SimGrid's dates carry an absolute error of some nanoseconds a message, and its message sizes are
// integers. So its clock counts in units in which the fastest link takes kUnitsPerBlock a block,
// whatever the platform's own scale, and a block is kBytesPerBlock.
constexpr double kUnitsPerBlock = 1e4;
// SimGrid takes two dates within an absolute precision for one. It must exceed the rounding of the
// clock, which grows with it: events that round one unit in the last place apart would otherwise
// wait for each other for ever.
constexpr double kSmallestPrecision = 1e-9;
constexpr double kPrecisionOfClock = 0x1p-49;  // eight units in the last place
constexpr std::int64_t kBytesPerBlock = 1'000'000;
constexpr double kFlopsPerUpdate = 1e6;

std::uint64_t bytes_of(const Message& message) {
  return static_cast<std::uint64_t>(message.blocks * kBytesPerBlock);
}

/// Each actor's stack and its guard page are two memory maps, of which a process has so many.
std::int64_t most_actors() {
  std::int64_t maps = 65530;
  std::ifstream("/proc/sys/vm/max_map_count") >> maps;
  constexpr std::int64_t maps_of_the_program = 1000;
  return std::max<std::int64_t>(2, (maps - maps_of_the_program) / 2);
}

/// A message, and what is to be told of it.
struct Order {
  Message message;
  PortEvent event;
};

/// What the master and the two actors of one worker share. Control words (the master's orders, the
/// worker's requests and progress) pass through it in no time; blocks travel through the network.
struct WorkerProcess {
  int number = 0;
  sg::Host* host = nullptr;
  sg::Link* link = nullptr;
  sg::Mailbox* mailbox = nullptr;
  sg::SemaphorePtr order = sg::Semaphore::create(0);     ///< the master has posted an order
  sg::SemaphorePtr progress = sg::Semaphore::create(0);  ///< the awaited update is complete
  sg::SemaphorePtr work = sg::Semaphore::create(0);      ///< an update has been queued
  std::deque<Order> orders;                              ///< what it is to take part in, in turn
  bool enrolled = false;                                 ///< its actors run
  bool requesting = false;     ///< its request has been posted since its last transfer
  std::deque<Order> queue;     ///< updates whose data has arrived
  std::int64_t completed = 0;  ///< updates
  std::int64_t awaited = 0;    ///< the update that the communicating actor waits for; 0: none
  bool computer_idle = false;
  bool stopping = false;

  // Under noise.
  double transfer_factor = 1;        ///< of the transfer under way
  double link_factor = 1;            ///< of all of them, since the last change of pace
  int changes_of_speed = 0;          ///< of the host
  double transfer_end_s = kUnknown;  ///< when the transfer under way ends if nothing stops it
  bool engaged = false;              ///< a transfer with it has been ordered and is not over
  bool ready = false;                ///< it has posted its side of that transfer
  bool computing = false;            ///< the first of its queue
  bool stopped = false;
};

/// One simulation, inside its process.
class Simulation {
 public:
  Simulation(const Platform& platform, const Problem& problem, Dispatcher& dispatcher,
             const Noise& noise, std::size_t most_transfers, FrameWriter& out)
      : platform_(platform),
        problem_(problem),
        dispatcher_(dispatcher),
        most_transfers_(most_transfers),
        out_(out),
        noise_(noise.none() ? std::nullopt
                            : std::optional<NoiseClock>(std::in_place, noise, platform)),
        in_step_(!noise.stops.empty() || !noise.slow_downs.empty()),
        star_(platform, problem, noise_ ? &*noise_ : nullptr),
        ports_(platform) {}

  void run();

 private:
  static void configure();
  sg::Host* build_platform();

  void master();
  void one_port();
  void several_ports();
  void decide(const Message& message, std::size_t index);
  void start_transfers();
  void enrol(WorkerProcess& worker);
  void transfer(const Message& message, std::size_t index);
  void communicate(WorkerProcess& worker);
  void move(WorkerProcess& worker, const Message& message);
  void post_request(WorkerProcess& worker, const Message& last, const Dates& dates);
  void compute(WorkerProcess& worker);

  void bring_about();
  void change_pace(const SlowDown& change);
  void let_end(WorkerProcess& worker, double date_s);
  void stop(WorkerProcess& worker, double date_s);
  void take_part_first(WorkerProcess& worker, const Message& message);
  void begin_noisy_transfer(WorkerProcess& worker, const Message& message);

  void exchange_in_step(WorkerProcess& worker, const Message& message);
  void set_bandwidth(WorkerProcess& worker, double pace) const;
  double expected_end_s(const Message& message) const;
  void keep_precision(double until_s);
  void wait_for_change();
  void signal_change();
  void emit(const PortEvent& event) { out_.write(std::as_bytes(std::span(&event, 1))); }
  double bandwidth(const Worker& worker) const {
    return static_cast<double>(kBytesPerBlock) * unit_s_ / worker.c_s;
  }
  double now_s() const { return sg::Engine::get_clock() * unit_s_; }

  const Platform& platform_;
  const Problem& problem_;
  Dispatcher& dispatcher_;
  std::size_t most_transfers_;
  FrameWriter& out_;
  std::optional<NoiseClock> noise_;
  bool in_step_;     ///< whether something may happen during a transfer
  Star star_;        ///< the requests that the workers have posted: what the master knows
  PortQueue ports_;  ///< of a master that can be in several transfers

  double unit_s_ = 1;         ///< one unit of SimGrid's clock, in seconds
  double precise_until_ = 0;  ///< the date up to which the precision suits the clock, in units
  sg::Host* master_host_ = nullptr;
  std::deque<WorkerProcess> workers_;
  std::int64_t enrolled_ = 0;
  std::int64_t most_enrolled_ = most_actors() / 2;
  std::int64_t updates_in_progress_ = 0;
  bool master_waits_ = false;
  sg::SemaphorePtr change_;  ///< a worker has posted a request or ended an update
};

/// The network takes latency + size / bandwidth, nothing else: no cross-traffic, no TCP window.
void Simulation::configure() {
  sg::Engine::set_config("network/model:CM02");
  sg::Engine::set_config("network/crosstraffic:0");
  sg::Engine::set_config("network/TCP-gamma:0");
  sg::Engine::set_config("maxmin/precision:1e-12");  // of shares, in bytes a unit of time
}

//                                 link 1: 1/c_1        worker 1: 1/w_1
//   master -[shared link: 1/c]----link 2: 1/c_2------- worker 2: 1/w_2
//                                 link p: 1/c_p        worker p: 1/w_p
//
// The shared link is there when a multi-port has a bandwidth. SimGrid would weigh its shares by the
// latencies of the links, which are the workers' own business then.
sg::Host* Simulation::build_platform() {
  double fastest_c_s = kUnknown;
  for (const Worker& worker : platform_.workers) fastest_c_s = std::min(fastest_c_s, worker.c_s);
  if (noise_) {
    double least_factor = 1;
    for (const SlowDown& change : noise_->slow_downs()) {
      least_factor = std::min(least_factor, change.factor);
    }
    fastest_c_s *= least_factor;
  }
  unit_s_ = fastest_c_s / kUnitsPerBlock;

  sg::NetZone* star = sg::create_star_zone("star");
  sg::Host* master = star->create_host("master", 1.0);
  std::vector<sg::LinkInRoute> shared;
  if (platform_.port.c_s > 0) {
    shared.emplace_back(star->create_link(
        "shared", static_cast<double>(kBytesPerBlock) * unit_s_ / platform_.port.c_s));
  }
  star->add_route(master->get_netpoint(), nullptr, nullptr, nullptr, shared, true);
  for (const Worker& worker : platform_.workers) {
    const std::string number = std::to_string(workers_.size() + 1);
    WorkerProcess& process = workers_.emplace_back();
    process.number = static_cast<int>(workers_.size()) - 1;
    std::vector<double> speeds{kFlopsPerUpdate * unit_s_ / worker.w_s};
    if (noise_) {
      for (const auto& [from_s, factor] : noise_->pace(Activity::update, process.number)) {
        speeds.push_back(speeds.front() / factor);
      }
    }
    process.host = star->create_host("worker-" + number, speeds);
    process.link = star->create_link("link-" + number, bandwidth(worker));
    if (shared.empty()) process.link->set_latency(worker.latency_s / unit_s_);
    star->add_route(process.host->get_netpoint(), nullptr, nullptr, nullptr,
                    {sg::LinkInRoute(process.link)}, true);
    process.mailbox = sg::Mailbox::by_name("mailbox-" + number);
  }
  star->seal();
  return master;
}

void Simulation::run() {
  std::vector<std::string> arguments{"starport", "--log=root.thresh:error"};  // errors only
#ifdef __SANITIZE_ADDRESS__
  arguments.emplace_back("--cfg=contexts/factory:thread");  // it does not follow other stacks
#endif
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  auto argc = static_cast<int>(argv.size());
  argv.push_back(nullptr);
  // SimGrid takes Ctrl-C to tell where its actors are, which is no handler's work (it allocates)
  // and would pass for a crash: what becomes of the signal was decided before.
  struct sigaction on_interrupt {};
  ::sigaction(SIGINT, nullptr, &on_interrupt);
  const sg::Engine engine(&argc, argv.data());
  ::sigaction(SIGINT, &on_interrupt, nullptr);
  configure();
  change_ = sg::Semaphore::create(0);
  master_host_ = build_platform();
  sg::Engine::on_deadlock_cb([] { abandon_child("the simulated actors are in a deadlock"); });

  if (noise_) {
    sg::Actor::create("noise", master_host_, [this] { bring_about(); })->daemonize();
  }
  sg::Actor::create("master", master_host_, [this] {
    try {
      master();
    } catch (const std::exception& error) {
      abandon_child(error.what());
    }
  });
  engine.run();
  out_.flush();
  _exit(0);  // SimGrid does not survive its own shutdown (and nothing here needs it)
}

void Simulation::master() {
  if (platform_.port.kind == Port::Kind::one) {
    one_port();
  } else {
    several_ports();
  }
  for (WorkerProcess& worker : workers_) {
    worker.stopping = true;
    if (worker.enrolled && !worker.stopped) worker.order->release();
  }
}

/// The one-port rule holds because the master is one actor and each of its transfers blocks it.
void Simulation::one_port() {
  std::size_t index = 0;
  for (;;) {
    star_.observe_time(now_s());
    const Decision decision = dispatcher_.next(star_);
    if (std::holds_alternative<Done>(decision)) return;
    if (std::holds_alternative<Wait>(decision)) {
      if (updates_in_progress_ == 0 && star_.next_stop_s() == kUnknown) {
        throw SimulationError("the dispatcher waits though no update is in progress");
      }
      wait_for_change();
      continue;
    }
    if (index == most_transfers_) throw too_many_transfers(index);
    transfer(*std::get<const Message*>(decision), index++);
  }
}

/// The master decides whenever a port has nothing to do; its transfers go on meanwhile. Nothing
/// blocks it between a look at its ports and waiting for a change, so that it misses none.
void Simulation::several_ports() {
  std::size_t index = 0;
  bool done = false;
  while (!done || ports_.under_way() > 0) {
    star_.observe_time(now_s());
    const bool free = platform_.port.kind == Port::Kind::multi
                          ? ports_.any_free()
                          : star_.free(Direction::to_worker) || star_.free(Direction::to_master);
    if (done || !free) {
      wait_for_change();
      continue;
    }
    const Decision decision = dispatcher_.next(star_);
    if (const auto* message = std::get_if<const Message*>(&decision)) {
      if (index == most_transfers_) throw too_many_transfers(index);
      decide(**message, index++);
    } else if (std::holds_alternative<Done>(decision)) {
      done = true;
    } else if (updates_in_progress_ == 0 && ports_.under_way() == 0) {
      throw SimulationError("the dispatcher waits though no update is in progress");
    } else {
      wait_for_change();
    }
  }
}

/// What the star tells of a transfer decided on two ports follows from the recurrence at once; on
/// many it is not known before the end.
void Simulation::decide(const Message& message, std::size_t index) {
  check_order(star_, message);
  if (platform_.port.kind == Port::Kind::two) {
    const Dates expected = star_.advance(message);
    keep_precision(expected.update_end_s);
  } else {
    star_.decide(message);
  }
  WorkerProcess& worker = workers_[static_cast<std::size_t>(message.worker)];
  worker.orders.push_back(
      {.message = message,
       .event = {.index = index, .traced = {.transfer = dispatcher_.transfer(), .dates = {}}}});
  if (message.allows_update) ++updates_in_progress_;
  ports_.add(message.worker, message.direction);
  enrol(worker);
  start_transfers();
}

void Simulation::start_transfers() {
  while (const auto worker = ports_.start()) {
    workers_[static_cast<std::size_t>(*worker)].order->release();
  }
}

/// A worker's actors start with its first transfer: most of a large platform may never get one.
void Simulation::enrol(WorkerProcess& worker) {
  if (worker.enrolled) return;
  if (++enrolled_ > most_enrolled_) {
    throw SimulationError(fmt::format(
        "SimGrid cannot run more than {} workers here: the stacks of their actors would exceed the "
        "memory maps of a process (vm.max_map_count)",
        most_enrolled_));
  }
  worker.enrolled = true;
  sg::Actor::create("communicate", worker.host, [this, &worker] { communicate(worker); });
  sg::Actor::create("compute", worker.host, [this, &worker] { compute(worker); });
}

void Simulation::wait_for_change() {
  master_waits_ = true;
  change_->acquire();
}

void Simulation::signal_change() {
  if (!master_waits_) return;
  master_waits_ = false;
  change_->release();
}

/// When the worker will be done with a transfer and the update it allows, for all that is known.
double Simulation::expected_end_s(const Message& message) const {
  const int i = message.worker;
  const Worker& worker = platform_.workers[static_cast<std::size_t>(i)];
  const double cost = update_cost(message, problem_);
  double start_s =
      std::max(star_.start_s(message), star_.update_end_s(i, star_.updates_allowed(i)));
  if (!noise_) return start_s + worker.transfer_time_s(message.blocks) + cost * worker.w_s;
  start_s = std::min(start_s, noise_->stop_s(i));
  const double end_s = noise_->transfer_end_s(i, star_.transfers(i) + 1, start_s, message.blocks);
  return noise_->update_end_s(i, star_.updates_allowed(i) + 1, end_s, cost);
}

/// Widens SimGrid's precision before the clock outgrows it.
void Simulation::keep_precision(double until_s) {
  const double horizon = until_s / unit_s_;
  if (horizon <= precise_until_) return;
  precise_until_ = 2 * horizon;
  sg::Engine::set_config("surf/precision",
                         std::max(kSmallestPrecision, kPrecisionOfClock * precise_until_));
}

void Simulation::transfer(const Message& message, std::size_t index) {
  check_order(star_, message);
  keep_precision(expected_end_s(message));
  WorkerProcess& worker = workers_[static_cast<std::size_t>(message.worker)];
  worker.orders.push_back(
      {.message = message,
       .event = {.index = index, .traced = {.transfer = dispatcher_.transfer(), .dates = {}}}});
  enrol(worker);
  worker.requesting = false;
  worker.engaged = true;
  worker.ready = false;
  worker.order->release();
  if (message.allows_update) ++updates_in_progress_;
  if (in_step_) {
    while (!worker.ready) wait_for_change();
    if (!worker.stopped) exchange_in_step(worker, message);
  } else if (message.direction == Direction::to_worker) {
    worker.mailbox->put(&worker, bytes_of(message));
  } else {
    worker.mailbox->get<WorkerProcess>();
  }
  while (!worker.requesting) wait_for_change();
}

/// The master's side of a transfer, after the worker's: were there no worker any more, it would
/// wait for ever. SimGrid never moves bytes faster than the link could when the transfer began: so
/// it begins at the best pace to come, and goes on at that of its date.
void Simulation::exchange_in_step(WorkerProcess& worker, const Message& message) {
  WorkerProcess* received = nullptr;
  try {
    const sg::CommPtr side = message.direction == Direction::to_worker
                                 ? worker.mailbox->put_async(&worker, bytes_of(message))
                                 : worker.mailbox->get_async<WorkerProcess>(&received);
    set_bandwidth(worker, worker.link_factor);
    side->wait();
  } catch (const simgrid::NetworkFailureException&) {
    if (!worker.stopped) throw;
  }
}

/// The buffers are respected because a worker takes part in a transfer only once the update that
/// frees them is complete: until then the master stays blocked, and the port held.
void Simulation::communicate(WorkerProcess& worker) {
  for (;;) {
    worker.order->acquire();
    if (worker.stopping) break;
    Order order = worker.orders.front();
    const Message& message = order.message;
    if (worker.completed < message.after_update) {
      worker.awaited = message.after_update;
      worker.progress->acquire();
    }
    Dates& dates = order.event.traced.dates;
    dates.start_s = now_s();
    move(worker, message);
    dates.end_s = dates.update_start_s = dates.update_end_s = now_s();
    worker.orders.pop_front();
    post_request(worker, message, dates);
    if (!message.allows_update) {
      emit(order.event);
      continue;
    }
    worker.queue.push_back(order);
    if (worker.computer_idle) {
      worker.computer_idle = false;
      worker.work->release();
    }
  }
  if (worker.computer_idle) worker.work->release();
}

/// The worker's side of a transfer. A master with several ports has no actor for each of them: its
/// worker moves the blocks between the two hosts, once the master has given it the port.
void Simulation::move(WorkerProcess& worker, const Message& message) {
  const bool sent = message.direction == Direction::to_worker;
  if (platform_.port.kind == Port::Kind::one) {
    if (noise_) begin_noisy_transfer(worker, message);
    if (in_step_) {
      take_part_first(worker, message);
    } else if (sent) {
      worker.mailbox->get<WorkerProcess>();
    } else {
      worker.mailbox->put(&worker, bytes_of(message));
    }
    return;
  }
  const Worker& figures = platform_.workers[static_cast<std::size_t>(message.worker)];
  const double slowest_c_s =
      std::max(figures.c_s, platform_.port.c_s * static_cast<double>(platform_.workers.size()));
  keep_precision(now_s() + figures.latency_s + static_cast<double>(message.blocks) * slowest_c_s +
                 update_cost(message, problem_) * figures.w_s);
  if (platform_.port.c_s > 0) {
    sg::this_actor::sleep_for(figures.latency_s / unit_s_);
  }
  sg::Host* from = sent ? master_host_ : worker.host;
  sg::Host* to = sent ? worker.host : master_host_;
  sg::Comm::sendto(from, to, bytes_of(message));
}

/// At the end of a transfer the worker tells the master from when it could take part in the next
/// one: it knows when its updates, the new one included, will end.
void Simulation::post_request(WorkerProcess& worker, const Message& last, const Dates& dates) {
  worker.transfer_end_s = kUnknown;
  worker.engaged = false;
  worker.requesting = true;
  if (platform_.port.kind == Port::Kind::one) {
    star_.record(last, dates.start_s, dates.end_s);
  } else {
    if (platform_.port.kind == Port::Kind::multi) {
      keep_precision(star_.end(last, dates.start_s, dates.end_s).update_end_s);
    }
    ports_.end(last.worker, last.direction);
    start_transfers();
  }
  signal_change();
}

/// Updates one at a time, in the order of arrival of their data.
void Simulation::compute(WorkerProcess& worker) {
  for (;;) {
    if (worker.queue.empty()) {
      if (worker.stopping) break;
      worker.computer_idle = true;
      worker.work->acquire();
      continue;
    }
    Order& order = worker.queue.front();
    Dates& dates = order.event.traced.dates;
    dates.update_start_s = now_s();
    worker.computing = true;
    const double factor =
        noise_ ? noise_->factor(Activity::update, worker.number, worker.completed + 1) : 1;
    sg::this_actor::execute(update_cost(order.message, problem_) * factor * kFlopsPerUpdate);
    dates.update_end_s = now_s();
    worker.computing = false;
    ++worker.completed;
    --updates_in_progress_;
    star_.observe_update_end(worker.number, worker.completed, now_s());
    emit(order.event);
    worker.queue.pop_front();
    if (worker.awaited > 0 && worker.completed >= worker.awaited) {
      worker.awaited = 0;
      worker.progress->release();
    }
    signal_change();
  }
}

/// The worker has its link to itself: for the time of a transfer, the factor is its bandwidth's.
void Simulation::begin_noisy_transfer(WorkerProcess& worker, const Message& message) {
  const Worker& figures = platform_.workers[static_cast<std::size_t>(worker.number)];
  const std::int64_t n = star_.transfers(worker.number) + 1;
  worker.transfer_factor = noise_->factor(Activity::transfer, worker.number, n);
  worker.transfer_end_s = noise_->transfer_end_s(worker.number, n, now_s(), message.blocks);
  worker.orders.front().event.traced.dates.start_s = now_s();
  worker.link->set_latency(figures.latency_s * worker.transfer_factor / unit_s_);
  double best = worker.link_factor;
  for (const auto& [from_s, factor] : noise_->pace(Activity::transfer, worker.number)) {
    if (from_s > now_s()) best = std::min(best, factor);
  }
  set_bandwidth(worker, best);
}

void Simulation::set_bandwidth(WorkerProcess& worker, double pace) const {
  const Worker& figures = platform_.workers[static_cast<std::size_t>(worker.number)];
  worker.link->set_bandwidth(bandwidth(figures) / (worker.transfer_factor * pace));
}

/// The worker's side of a transfer, which the master waits for before its own.
void Simulation::take_part_first(WorkerProcess& worker, const Message& message) {
  WorkerProcess* received = nullptr;
  const sg::CommPtr side = message.direction == Direction::to_worker
                               ? worker.mailbox->get_async<WorkerProcess>(&received)
                               : worker.mailbox->put_async(&worker, bytes_of(message));
  worker.ready = true;
  signal_change();
  side->wait();
}

/// Slow-downs and stops, each at its date.
void Simulation::bring_about() {
  const auto& changes = noise_->slow_downs();
  auto change = changes.begin();
  for (const Stop& stopping : noise_->stopped_by(kUnknown)) {
    for (; change != changes.end() && change->from_s <= stopping.at_s; ++change) {
      change_pace(*change);
    }
    sg::this_actor::sleep_until(stopping.at_s / unit_s_);
    stop(workers_[static_cast<std::size_t>(stopping.worker)], stopping.at_s);
  }
  for (; change != changes.end(); ++change) change_pace(*change);
}

/// What is under way goes on at the new pace.
void Simulation::change_pace(const SlowDown& change) {
  sg::this_actor::sleep_until(change.from_s / unit_s_);
  WorkerProcess& worker = workers_[static_cast<std::size_t>(change.worker)];
  if (change.activity == Activity::update) {
    worker.host->set_pstate(++worker.changes_of_speed);
    return;
  }
  worker.link_factor = change.factor;
  set_bandwidth(worker, change.factor);
}

/// What ends at the date of a stop is complete. It may come a rounding error later.
void Simulation::let_end(WorkerProcess& worker, double date_s) {
  constexpr double instant = 1e-11;
  for (;;) {
    const bool update_ends = worker.completed < star_.updates_allowed(worker.number) &&
                             star_.update_end_s(worker.number, worker.completed + 1) != kUnknown;
    const bool transfer_ends = worker.engaged && worker.transfer_end_s != kUnknown &&
                               !clearly_less(date_s, worker.transfer_end_s);
    if (!update_ends && !transfer_ends) return;
    sg::this_actor::sleep_for(std::max(instant * sg::Engine::get_clock(), kSmallestPrecision));
  }
}

/// The worker's host goes off: its actors end there, and the master's side of a transfer with them.
void Simulation::stop(WorkerProcess& worker, double date_s) {
  let_end(worker, date_s);
  worker.stopped = true;
  for (Order& order : worker.queue) {
    Dates& dates = order.event.traced.dates;
    const bool under_way = &order == &worker.queue.front() && worker.computing;
    if (!under_way) dates.update_start_s = date_s;
    dates.update_end_s = date_s;
    dates.fate = Fate::update_lost;
    --updates_in_progress_;
    emit(order.event);
  }
  worker.queue.clear();
  if (worker.engaged) {
    const bool under_way = worker.transfer_end_s != kUnknown;
    const Message& message = worker.orders.front().message;
    Dates& dates = worker.orders.front().event.traced.dates;
    dates = star_.record_lost(message, under_way ? dates.start_s : date_s, date_s);
    if (message.allows_update) --updates_in_progress_;
    emit(worker.orders.front().event);
  }
  worker.host->turn_off();
  worker.engaged = false;
  worker.ready = worker.requesting = true;
  signal_change();
}

}  // namespace

void simulate_on_simgrid(const Platform& platform, const Problem& problem, Dispatcher& dispatcher,
                         const Noise& noise, std::size_t most_transfers, FrameWriter& out) {
  Simulation(platform, problem, dispatcher, noise, most_transfers, out).run();
}

std::string simgrid_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  return fmt::format("{}.{}", major, minor) + (patch > 0 ? fmt::format(".{}", patch) : "");
}

}  // namespace starport
