#include "sim/engine/simgrid_simulation.hpp"

#include "sim/model/error.hpp"
#include "sim/model/recurrence.hpp"

#include <fmt/format.h>
#include <simgrid/s4u.hpp>
#include <simgrid/version.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <fstream>
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
  sg::Mailbox* mailbox = nullptr;
  sg::SemaphorePtr order = sg::Semaphore::create(0);     ///< the master has posted an order
  sg::SemaphorePtr progress = sg::Semaphore::create(0);  ///< the awaited update is complete
  sg::SemaphorePtr work = sg::Semaphore::create(0);      ///< an update has been queued
  Order ordered;
  bool enrolled = false;       ///< its actors run
  bool requesting = false;     ///< its request has been posted since its last transfer
  std::deque<Order> queue;     ///< updates whose data has arrived
  std::int64_t completed = 0;  ///< updates
  std::int64_t awaited = 0;    ///< the update that the communicating actor waits for; 0: none
  bool computer_idle = false;
  bool stopping = false;
};

/// One simulation, inside its process.
class Simulation {
 public:
  Simulation(const Platform& platform, const Problem& problem, Dispatcher& dispatcher,
             std::size_t most_transfers, FrameWriter& out)
      : platform_(platform),
        problem_(problem),
        dispatcher_(dispatcher),
        most_transfers_(most_transfers),
        out_(out),
        star_(platform, problem) {}

  void run();

 private:
  static void configure();
  sg::Host* build_platform();

  void master();
  void enrol(WorkerProcess& worker);
  void transfer(const Message& message, std::size_t index);
  void communicate(WorkerProcess& worker);
  void post_request(WorkerProcess& worker, const Message& last, const Dates& dates);
  void compute(WorkerProcess& worker);

  void keep_precision(const Message& message);
  void wait_for_change();
  void signal_change();
  void emit(const PortEvent& event) { out_.write(std::as_bytes(std::span(&event, 1))); }
  double now_s() const { return sg::Engine::get_clock() * unit_s_; }

  const Platform& platform_;
  const Problem& problem_;
  Dispatcher& dispatcher_;
  std::size_t most_transfers_;
  FrameWriter& out_;
  Star star_;  ///< the requests that the workers have posted: what the master knows

  double unit_s_ = 1;         ///< one unit of SimGrid's clock, in seconds
  double precise_until_ = 0;  ///< the date up to which the precision suits the clock, in units
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
}

//                 link 1: 1/c_1        worker 1: 1/w_1
//   master -------link 2: 1/c_2------- worker 2: 1/w_2
//                 link p: 1/c_p        worker p: 1/w_p
sg::Host* Simulation::build_platform() {
  double fastest_c_s = kUnknown;
  for (const Worker& worker : platform_.workers) fastest_c_s = std::min(fastest_c_s, worker.c_s);
  unit_s_ = fastest_c_s / kUnitsPerBlock;

  sg::NetZone* star = sg::create_star_zone("star");
  sg::Host* master = star->create_host("master", 1.0);
  star->add_route(master->get_netpoint(), nullptr, nullptr, nullptr, {}, true);
  for (const Worker& worker : platform_.workers) {
    const std::string number = std::to_string(workers_.size() + 1);
    WorkerProcess& process = workers_.emplace_back();
    process.number = static_cast<int>(workers_.size()) - 1;
    process.host = star->create_host("worker-" + number, kFlopsPerUpdate * unit_s_ / worker.w_s);
    sg::Link* link = star->create_link("link-" + number,
                                       static_cast<double>(kBytesPerBlock) * unit_s_ / worker.c_s);
    link->set_latency(worker.latency_s / unit_s_);
    star->add_route(process.host->get_netpoint(), nullptr, nullptr, nullptr,
                    {sg::LinkInRoute(link)}, true);
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
  sg::Host* master_host = build_platform();
  sg::Engine::on_deadlock_cb([] { abandon_child("the simulated actors are in a deadlock"); });

  sg::Actor::create("master", master_host, [this] {
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

/// The one-port rule holds because the master is one actor and each of its transfers blocks it.
void Simulation::master() {
  std::size_t index = 0;
  for (;;) {
    star_.observe_time(now_s());
    const Decision decision = dispatcher_.next(star_);
    if (std::holds_alternative<Done>(decision)) break;
    if (std::holds_alternative<Wait>(decision)) {
      if (updates_in_progress_ == 0) {
        throw SimulationError("the dispatcher waits though no update is in progress");
      }
      wait_for_change();
      continue;
    }
    if (index == most_transfers_) throw too_many_transfers(index);
    transfer(*std::get<const Message*>(decision), index++);
  }
  for (WorkerProcess& worker : workers_) {
    worker.stopping = true;
    if (worker.enrolled) worker.order->release();
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

/// Widens SimGrid's precision before the clock outgrows it.
void Simulation::keep_precision(const Message& message) {
  const Worker& worker = platform_.workers[static_cast<std::size_t>(message.worker)];
  const double last_update_end =
      star_.update_end_s(message.worker, star_.updates_allowed(message.worker));
  const double horizon =
      (std::max(star_.start_s(message), last_update_end) + worker.transfer_time_s(message.blocks) +
       update_cost(message, problem_) * worker.w_s) /
      unit_s_;
  if (horizon <= precise_until_) return;
  precise_until_ = 2 * horizon;
  sg::Engine::set_config("surf/precision",
                         std::max(kSmallestPrecision, kPrecisionOfClock * precise_until_));
}

void Simulation::transfer(const Message& message, std::size_t index) {
  check_order(star_, message);
  keep_precision(message);
  WorkerProcess& worker = workers_[static_cast<std::size_t>(message.worker)];
  worker.ordered = {
      .message = message,
      .event = {.index = index, .traced = {.transfer = dispatcher_.transfer(), .dates = {}}}};
  enrol(worker);
  worker.requesting = false;
  worker.order->release();
  if (message.allows_update) ++updates_in_progress_;
  if (message.direction == Direction::to_worker) {
    worker.mailbox->put(&worker, bytes_of(message));
  } else {
    worker.mailbox->get<WorkerProcess>();
  }
  while (!worker.requesting) wait_for_change();
}

/// The buffers are respected because a worker takes part in a transfer only once the update that
/// frees them is complete: until then the master stays blocked, and the port held.
void Simulation::communicate(WorkerProcess& worker) {
  for (;;) {
    worker.order->acquire();
    if (worker.stopping) break;
    Order order = worker.ordered;  // the next one may come before this one is dealt with
    const Message& message = order.message;
    if (worker.completed < message.after_update) {
      worker.awaited = message.after_update;
      worker.progress->acquire();
    }
    Dates& dates = order.event.traced.dates;
    dates.start_s = now_s();
    if (message.direction == Direction::to_worker) {
      worker.mailbox->get<WorkerProcess>();
    } else {
      worker.mailbox->put(&worker, bytes_of(message));
    }
    dates.end_s = dates.update_start_s = dates.update_end_s = now_s();
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

/// At the end of a transfer the worker tells the master from when it could take part in the next
/// one: it knows when its updates, the new one included, will end.
void Simulation::post_request(WorkerProcess& worker, const Message& last, const Dates& dates) {
  star_.record(last, dates.start_s, dates.end_s);
  worker.requesting = true;
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
    Order order = worker.queue.front();
    worker.queue.pop_front();
    Dates& dates = order.event.traced.dates;
    dates.update_start_s = now_s();
    sg::this_actor::execute(update_cost(order.message, problem_) * kFlopsPerUpdate);
    dates.update_end_s = now_s();
    ++worker.completed;
    --updates_in_progress_;
    star_.observe_update_end(worker.number, worker.completed, now_s());
    emit(order.event);
    if (worker.awaited > 0 && worker.completed >= worker.awaited) {
      worker.awaited = 0;
      worker.progress->release();
    }
    signal_change();
  }
}

}  // namespace

void simulate_on_simgrid(const Platform& platform, const Problem& problem, Dispatcher& dispatcher,
                         std::size_t most_transfers, FrameWriter& out) {
  Simulation(platform, problem, dispatcher, most_transfers, out).run();
}

std::string simgrid_version() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  sg_version_get(&major, &minor, &patch);
  return fmt::format("{}.{}", major, minor) + (patch > 0 ? fmt::format(".{}", patch) : "");
}

}  // namespace starport
