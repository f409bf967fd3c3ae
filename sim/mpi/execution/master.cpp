#include "sim/mpi/execution/master.hpp"

#include "sim/files/error.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/star/recurrence.hpp"
#include "sim/star/port_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace starport::mpi {
namespace {

int rank_of(int worker) { return worker + 1; }
std::size_t at(int worker) { return worker; }

/// Every worker finds the file by the same path.
decltype(Setup::kernel) kernel_name(const std::string& path) {
  decltype(Setup::kernel) name{};
  if (path.size() >= name.size()) {
    throw InputError("--kernel", fmt::format("a path of less than {} bytes", name.size()),
                     fmt::format("{}", path.size()));
  }
  std::ranges::copy(path, name.begin());
  return name;
}

}  // namespace

Master::Master(const Communicator& communicator, const Platform& platform, Product& product,
               const ExecutionOptions& options)
    : communicator_(communicator),
      platform_(platform),
      product_(product),
      options_(options),
      kept_(options.master_cores.communicating),
      monitor_(communicator, options.timeout_s, options.time_limit_s,
             [this](int worker, const WorkerEvent& news) { handle_event(worker, news); }),
      workers_(platform.workers.size()),
      view_(platform, product.problem()),
      blocks_(communicator, monitor_, !options.emulated),
      origin_s_(clock_s()) {
  set_polling_cores(options.master_cores);
  const int p = static_cast<int>(workers_.size());
  for (int i = 0; i < p; ++i) {
    const Worker& worker = platform.workers[at(i)];
    const Setup setup{
        .problem = product.problem(),
        .m_blocks = worker.m_blocks,
        .expected_blocks = options.expected_blocks.empty() ? 0 : options.expected_blocks[at(i)],
        .type = product.type(),
        .kernel = kernel_name(options.kernel),
        .emulated = options.emulated,
        .cores = options.cores.empty() ? CoreAssignment{} : options.cores[i],
        .threads = options.threads.empty() ? 1 : options.threads[i],
        .timeout_s = options.timeout_s,
        .master_timeout_s = options.master_timeout_s()};
    PendingMessage sending = communicator_.send(rank_of(i), Tag::setup, setup);
    monitor_.wait_until(i, "taking its part", [&] { return sending.is_complete(); });
  }
  for (int i = 0; i < p; ++i) {
    monitor_.wait_until(i, "having its memory", [&] { return workers_[at(i)].ready; });
  }
  for (int i = 0; i < p; ++i) workers_[at(i)].clock.set(read_clock(i));
}

double Master::now_s() const { return clock_s() - origin_s_; }

/// Cristian's method: of some round trips the shortest, in whose middle the worker looked at its
/// clock.
WorkerClock::Reading Master::read_clock(int worker) {
  constexpr int round_trips = 10;
  double shortest_s = kUnknown;
  WorkerClock::Reading reading;
  for (int n = 0; n < round_trips; ++n) {
    const double asked_s = clock_s();
    PendingMessage asking =
        communicator_.send(rank_of(worker), Tag::order, Order{.kind = Order::Kind::report_time});
    std::optional<double> told_s;
    monitor_.wait_until(worker, "telling the time", [&] {
      told_s = communicator_.receive<double>(rank_of(worker), Tag::clock);
      return told_s.has_value();
    });
    const double back_s = clock_s();
    monitor_.wait_until(worker, "telling the time", [&] { return asking.is_complete(); });
    if (back_s - asked_s < shortest_s) {
      shortest_s = back_s - asked_s;
      const double middle_s = (asked_s + back_s) / 2;
      reading = {.at_s = middle_s, .offset_s = *told_s - middle_s};
    }
  }
  return reading;
}

void Master::handle_event(int worker, const WorkerEvent& news) {
  WorkerState& state = workers_[at(worker)];
  switch (news.kind) {
    case WorkerEvent::Kind::ready:
      state.ready = true;
      break;
    case WorkerEvent::Kind::arrived:
      state.arrived = true;
      state.arrived_s = news.end_s;
      state.ordered_s = here_s(state, news.ordered_s);
      state.room_available_s = news.start_s > 0 ? here_s(state, news.start_s) : 0;
      break;
    case WorkerEvent::Kind::update_ended:
      if (state.pending_updates.empty()) {
        state.early_events.push_back(news);
      } else {
        record_update_end(worker, news);
      }
      break;
    case WorkerEvent::Kind::sending_c:
      state.ordered_s = here_s(state, news.ordered_s);
      break;
    case WorkerEvent::Kind::over:
      state.over = true;
      state.peak_blocks = news.blocks;
      break;
    case WorkerEvent::Kind::alive:
    case WorkerEvent::Kind::failed:
      break;  // the monitor has taken them in
  }
}

void Master::record_update_end(int worker, const WorkerEvent& news) {
  WorkerState& state = workers_[at(worker)];
  TracedTransfer& event = trace_[state.pending_updates.front()];
  TransferReport& told = reports_[state.pending_updates.front()];
  state.pending_updates.pop_front();
  ++state.updates_ended;
  told.update_start_s = news.start_s;
  told.update_end_s = news.end_s;
  told.latest_s = now_s();
  told.updated = true;
  event.dates = bounded_dates(state, told, event.dates);
  state.last_update_end_s = event.dates.update_end_s;
  view_.correct_update_end(
      worker, state.updates_ended,
      options_.emulated ? here_s(state, news.due_end_s) : event.dates.update_end_s);
}

/// Between what came before and the news of it.
Dates Master::bounded_dates(const WorkerState& state, const TransferReport& told, Dates dates) const {
  if (told.arrived) {
    dates.end_s = std::clamp(here_s(state, told.arrived_s), dates.start_s, told.done_s);
  }
  dates.update_start_s = dates.update_end_s = dates.end_s;
  if (!told.updated) return dates;
  const double earliest_s = std::max(dates.end_s, state.last_update_end_s);
  const double latest_s = std::max(earliest_s, told.latest_s);
  dates.update_end_s = std::clamp(here_s(state, told.update_end_s), earliest_s, latest_s);
  dates.update_start_s =
      std::clamp(here_s(state, told.update_start_s), earliest_s, dates.update_end_s);
  return dates;
}

void Master::correct_dates() {
  for (int i = 0; i < std::ssize(workers_); ++i) {
    workers_[at(i)].clock.set_last(read_clock(i));
    workers_[at(i)].last_update_end_s = 0;
  }
  for (std::size_t n = 0; n < trace_.size(); ++n) {
    WorkerState& state = workers_[at(trace_[n].transfer.worker)];
    trace_[n].dates = bounded_dates(state, reports_[n], trace_[n].dates);
    if (reports_[n].updated) state.last_update_end_s = trace_[n].dates.update_end_s;
  }
}

Trace Master::run(Dispatcher& dispatcher) {
  origin_s_ = clock_s();
  port_times_.clear();
  for (WorkerState& state : workers_) state.last_update_end_s = 0;
  next_check_s_ = 1;
  monitor_.restart();
  run_dispatcher(dispatcher, *this, view_, [&](const Message&) { execute_transfer(dispatcher.transfer()); });
  for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
    monitor_.wait_until(i, "last update", [&] { return workers_[at(i)].pending_updates.empty(); });
  }
  constexpr double short_s = 1;  // in which clocks do not drift apart by what one could see
  if (now_s() > short_s) correct_dates();
  update_times_s_.clear();
  for (const TransferReport& told : reports_) update_times_s_.push_back(told.update_end_s - told.update_start_s);
  reports_.clear();
  return std::exchange(trace_, {});
}

void Master::reach_decision() {
  monitor_.process_events();
  if (!options_.emulated) view_.observe_time(now_s());
}

/// Until the date named, or news of an update.
bool Master::wait(const Wait& wait) {
  if (wait.until_s != kUnknown) {
    sleep_until(origin_s_ + wait.until_s);
    view_.observe_time(std::max(view_.now_s(), wait.until_s));
    return true;
  }
  const auto waited_for =
      std::ranges::find_if(workers_, [](const auto& state) { return !state.pending_updates.empty(); });
  if (waited_for == workers_.end()) return false;
  const auto count = [&] {
    std::int64_t sum = 0;
    for (const WorkerState& state : workers_) sum += state.updates_ended;
    return sum;
  };
  const std::int64_t ended = count();
  monitor_.wait_until(static_cast<int>(waited_for - workers_.begin()), "update",
                    [&] { return count() > ended; });
  return true;
}

/// Once a second, so that a run whose product cannot be right any more does not go on for long.
void Master::check_files() {
  if (now_s() < next_check_s_) return;
  product_.check_unchanged();
  next_check_s_ = now_s() + 1;
}

double Master::slow_down(Activity activity, int worker, double at_s) const {
  double factor = 1;
  double latest_s = -1;
  for (const SlowDown& one : options_.slow_downs) {
    if (one.worker != worker || one.activity != activity) continue;
    if (one.from_s > at_s || one.from_s < latest_s) continue;
    latest_s = one.from_s;
    factor = one.factor;
  }
  return factor;
}

void Master::execute_transfer(const Transfer& transfer) {
  check_files();
  WorkerState& state = workers_[at(transfer.worker)];
  monitor_.wait_until(transfer.worker, "update",
                    [&] { return state.updates_ended >= transfer.after_update; });
  const Worker& worker = platform_.workers[at(transfer.worker)];
  const double due_s = options_.emulated ? view_.earliest_start_s(to_message(transfer)) : now_s();
  const double lasts_s = worker.transfer_time_s(transfer.blocks()) *
                         slow_down(Activity::transfer, transfer.worker, due_s);
  if (options_.emulated) sleep_until(origin_s_ + due_s);
  Dates dates;
  dates.start_s = now_s();
  const Order order{.kind = Order::Kind::transfer,
                    .transfer = transfer,
                    .chunk = options_.chunk_parts.chunk_of(transfer),
                    .due_end_s = state.clock.worker_time_s(origin_s_ + due_s + lasts_s),
                    .update_s = update_cost(to_message(transfer), product_.problem(), worker) *
                                worker.w_s * slow_down(Activity::update, transfer.worker, due_s)};
  trace_.push_back({transfer, dates});
  reports_.emplace_back();
  const bool home = transfer.direction == Direction::to_master;
  const double turned_s = dates.start_s;
  const double packing_s = home ? receive(transfer, order) : send(transfer, order);
  const double done_s = now_s();
  // Until the worker had room, the transfer waited for an update that it does not name.
  if (!home) dates.start_s = std::clamp(state.room_available_s, dates.start_s, done_s);
  record_port_time(state, home, turned_s, packing_s, done_s);
  double due_end_s = done_s;
  if (options_.emulated && due_s + lasts_s > done_s) {
    due_end_s = due_s + lasts_s;
    sleep_until(origin_s_ + due_end_s);
  }
  dates.end_s = now_s();
  reports_.back() = {
      .arrived_s = state.arrived_s, .done_s = done_s, .arrived = !options_.emulated && !home};
  trace_.back().dates = bounded_dates(state, reports_.back(), dates);
  NominalRecurrence::record(view_, to_message(transfer), due_s, due_end_s);
  if (transfer.update.empty()) return;
  // When it will end is for the worker to tell.
  view_.correct_update_end(transfer.worker, view_.updates_allowed(transfer.worker), kUnknown);
  state.pending_updates.push_back(trace_.size() - 1);
  for (const WorkerEvent& news : std::exchange(state.early_events, {})) record_update_end(transfer.worker, news);
}

/// A transfer waits for the worker to see its order, while the first piece is packed; what the
/// worker tells of its end comes after that.
void Master::record_port_time(const WorkerState& state, bool home, double start_s, double packing_s,
                            double done_s) {
  if (!home && state.room_available_s > start_s) {  // it waited for an update that it does not name
    const double room_available_s = std::min(state.room_available_s, done_s);
    packing_s = std::max(0.0, start_s + packing_s - room_available_s);
    start_s = room_available_s;
  }
  const double ordered_s = std::clamp(state.ordered_s, start_s, done_s);
  double latency_s = 0;
  if (home) {
    latency_s = ordered_s - start_s;
  } else {
    const double arrived_s = std::clamp(here_s(state, state.arrived_s), start_s, done_s);
    latency_s = std::max(0.0, ordered_s - (start_s + packing_s)) + (done_s - arrived_s);
  }
  port_times_.push_back({.start_s = start_s,
                         .packing_s = packing_s,
                         .latency_s = latency_s,
                         .link_s = done_s - start_s - packing_s - latency_s});
}

double Master::send(const Transfer& transfer, const Order& order) {
  WorkerState& state = workers_[at(transfer.worker)];
  state.arrived = false;
  PendingMessage ordering = communicator_.send(rank_of(transfer.worker), Tag::order, order);
  const double packing_s = blocks_.send(product_, transfer);
  monitor_.wait_until(
      transfer.worker, "receiving of blocks", [&] { return state.arrived && ordering.is_complete(); },
      !options_.emulated);
  return packing_s;
}

double Master::receive(const Transfer& transfer, const Order& order) {
  PendingMessage ordering = communicator_.send(rank_of(transfer.worker), Tag::order, order);
  const double packing_s = blocks_.receive(product_, transfer);
  monitor_.wait_until(
      transfer.worker, "blocks of C", [&] { return ordering.is_complete(); }, !options_.emulated);
  return packing_s;
}

std::vector<std::int64_t> Master::finish() {
  std::vector<std::int64_t> peak_blocks;
  for (int i = 0; i < std::ssize(workers_); ++i) {
    PendingMessage sending =
        communicator_.send(rank_of(i), Tag::order, Order{.kind = Order::Kind::finish});
    monitor_.wait_until(i, "end", [&] { return workers_[at(i)].over && sending.is_complete(); });
    peak_blocks.push_back(workers_[at(i)].peak_blocks);
  }
  return peak_blocks;
}

}  // namespace starport::mpi
