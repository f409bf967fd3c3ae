#include "sim/mpi/execution/master.hpp"

#include "sim/files/error.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/star/port_clock.hpp"
#include "sim/star/recurrence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace starport::mpi {
namespace {

int rank_of(int worker) { return worker + 1; }
std::size_t at(int worker) { return worker; }

/// Converts a path for a Setup message; each worker opens the library by this path. Throws
/// InputError if it is too long.
decltype(Setup::kernel) kernel_name(const std::string& path) {
  decltype(Setup::kernel) name{};
  if (path.size() >= name.size()) {
    throw InputError("--kernel", fmt::format("a path of less than {} bytes", name.size()),
                     fmt::format("{} bytes", path.size()));
  }
  std::ranges::copy(path, name.begin());
  return name;
}

/// An emulated run waits for its due dates, so that polling for blocks would only disturb others.
Polling polling_of(const ExecutionOptions& options) {
  return options.emulated ? Polling::relaxed : Polling::eager;
}

}  // namespace

Master::Master(const Communicator& communicator, const Platform& platform, Product& product,
               const ExecutionOptions& options)
    : communicator_(communicator),
      platform_(platform),
      product_(product),
      options_(options),
      affinity_(options.master_cores.communicating),
      monitor_(
          communicator, options.timeout_s, options.time_limit_s,
          [this](int worker, const WorkerEvent& event) { handle_event(worker, event); },
          options.advises_options),
      workers_(platform.workers.size()),
      view_(platform, product.problem()),
      pipeline_(communicator, monitor_, polling_of(options)),
      polling_(polling_of(options)),
      origin_s_(monotonic_time_s()) {
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
        .master_timeout_s = options.master_timeout_s(),
        .advises_options = options.advises_options};
    PendingMessage message = communicator_.send(rank_of(i), Tag::setup, setup);
    monitor_.wait_until(i, "accept its setup", [&] { return message.is_complete(); });
  }
  for (int i = 0; i < p; ++i) {
    monitor_.wait_until(i, "allocate its memory", [&] { return workers_[at(i)].ready; });
  }
  for (int i = 0; i < p; ++i) workers_[at(i)].clock.set(read_clock(i));
}

double Master::now_s() const { return monotonic_time_s() - origin_s_; }

/// Measures the offset of a worker's clock by Cristian's algorithm (1989): of some round trips, the
/// shortest one counts, and the worker is assumed to read its clock in the middle of it.
WorkerClock::Reading Master::read_clock(int worker) {
  constexpr int round_trips = 10;
  const Order order{.kind = Order::Kind::report_time};
  double shortest_s = kUnknown;
  WorkerClock::Reading reading;
  for (int n = 0; n < round_trips; ++n) {
    const double asked_s = monotonic_time_s();
    PendingMessage request = communicator_.send(rank_of(worker), Tag::order, order);
    std::optional<double> clock_reading_s;
    monitor_.wait_until(worker, "report its clock", [&] {
      clock_reading_s = communicator_.receive<double>(rank_of(worker), Tag::clock);
      return clock_reading_s.has_value();
    });
    const double back_s = monotonic_time_s();
    monitor_.wait_until(worker, "report its clock", [&] { return request.is_complete(); });
    if (back_s - asked_s < shortest_s) {
      shortest_s = back_s - asked_s;
      const double middle_s = (asked_s + back_s) / 2;
      reading = {.at_s = middle_s, .offset_s = *clock_reading_s - middle_s};
    }
  }
  return reading;
}

void Master::handle_event(int worker, const WorkerEvent& event) {
  WorkerState& state = workers_[at(worker)];
  switch (event.kind) {
    case WorkerEvent::Kind::ready:
      state.ready = true;
      break;
    case WorkerEvent::Kind::arrived:
      state.arrived = true;
      state.arrived_s = event.end_s;
      state.ordered_s = run_time_s(state, event.ordered_s);
      state.memory_free_s = event.start_s > 0 ? run_time_s(state, event.start_s) : 0;
      break;
    case WorkerEvent::Kind::update_ended:
      if (state.pending_updates.empty()) {
        state.early_events.push_back(event);
      } else {
        record_update_end(worker, event);
      }
      break;
    case WorkerEvent::Kind::sending_c:
      state.ordered_s = run_time_s(state, event.ordered_s);
      break;
    case WorkerEvent::Kind::finished:
      state.finished = true;
      state.peak_blocks = event.blocks;
      break;
    case WorkerEvent::Kind::alive:
    case WorkerEvent::Kind::failed:
      break;  // the monitor handles these
  }
}

void Master::record_update_end(int worker, const WorkerEvent& event) {
  WorkerState& state = workers_[at(worker)];
  TracedTransfer& traced = trace_[state.pending_updates.front()];
  TransferReport& report = reports_[state.pending_updates.front()];
  state.pending_updates.pop_front();
  ++state.updates_ended;
  report.update_start_s = event.start_s;
  report.update_end_s = event.end_s;
  report.latest_s = now_s();
  report.updated = true;
  traced.dates = bounded_dates(state, report, traced.dates);
  state.last_update_end_s = traced.dates.update_end_s;
  view_.correct_update_end(
      worker, state.updates_ended,
      options_.emulated ? run_time_s(state, event.due_end_s) : traced.dates.update_end_s);
}

/// Returns `dates` with those that the worker has reported, limited to the range between the dates
/// of what must come before them and the date at which the master was informed.
Dates Master::bounded_dates(const WorkerState& state, const TransferReport& report,
                            Dates dates) const {
  if (report.arrived) {
    dates.end_s = std::clamp(run_time_s(state, report.arrived_s), dates.start_s, report.done_s);
  }
  dates.update_start_s = dates.update_end_s = dates.end_s;
  if (!report.updated) return dates;
  const double earliest_s = std::max(dates.end_s, state.last_update_end_s);
  const double latest_s = std::max(earliest_s, report.latest_s);
  dates.update_end_s = std::clamp(run_time_s(state, report.update_end_s), earliest_s, latest_s);
  dates.update_start_s =
      std::clamp(run_time_s(state, report.update_start_s), earliest_s, dates.update_end_s);
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
  origin_s_ = monotonic_time_s();
  port_times_.clear();
  for (WorkerState& state : workers_) state.last_update_end_s = 0;
  next_file_check_s_ = 1;
  monitor_.restart();
  run_dispatcher(dispatcher, *this, view_,
                 [&](const Message&) { execute_transfer(dispatcher.transfer()); });
  for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
    monitor_.wait_until(i, "finish its last update",
                        [&] { return workers_[at(i)].pending_updates.empty(); });
  }
  constexpr double short_s = 1;  // in a shorter run, the drift of the clocks is negligible
  if (now_s() > short_s) correct_dates();
  update_times_s_.clear();
  for (const TransferReport& report : reports_) {
    update_times_s_.push_back(report.update_end_s - report.update_start_s);
  }
  reports_.clear();
  return std::exchange(trace_, {});
}

void Master::reach_decision() {
  monitor_.process_events();
  if (!options_.emulated) view_.observe_time(now_s());
}

/// Waits until the given date, or until an update ends. Returns false if no update is in progress.
bool Master::wait(const Wait& wait) {
  if (wait.until_s != kUnknown) {
    monitor_.sleep_until(origin_s_ + wait.until_s);
    view_.observe_time(std::max(view_.now_s(), wait.until_s));
    return true;
  }
  const auto waited_for = std::ranges::find_if(
      workers_, [](const auto& state) { return !state.pending_updates.empty(); });
  if (waited_for == workers_.end()) return false;
  const auto count_ended = [&] {
    std::int64_t sum = 0;
    for (const WorkerState& state : workers_) sum += state.updates_ended;
    return sum;
  };
  const std::int64_t ended = count_ended();
  monitor_.wait_until(static_cast<int>(waited_for - workers_.begin()), "finish an update",
                      [&] { return count_ended() > ended; });
  return true;
}

/// Once a second, checks that nobody has modified the files, since C could not be right any more.
void Master::check_files() {
  if (now_s() < next_file_check_s_) return;
  product_.check_unchanged();
  next_file_check_s_ = now_s() + 1;
}

double Master::slow_down_factor(Activity activity, int worker, double at_s) const {
  double factor = 1;
  double latest_s = -1;
  for (const SlowDown& slow_down : options_.slow_downs) {
    if (slow_down.worker != worker || slow_down.activity != activity) continue;
    if (slow_down.from_s > at_s || slow_down.from_s < latest_s) continue;
    latest_s = slow_down.from_s;
    factor = slow_down.factor;
  }
  return factor;
}

void Master::execute_transfer(const Transfer& transfer) {
  check_files();
  WorkerState& state = workers_[at(transfer.worker)];
  monitor_.wait_until(transfer.worker, "finish an update",
                      [&] { return state.updates_ended >= transfer.after_update; });
  const Worker& worker = platform_.workers[at(transfer.worker)];
  const double due_s = options_.emulated ? view_.earliest_start_s(to_message(transfer)) : now_s();
  const double blocks_s = worker.transfer_time_s(transfer.blocks()) - worker.latency_s;
  const double lasts_s =
      worker.latency_s + blocks_s * slow_down_factor(Activity::transfer, transfer.worker, due_s);
  if (options_.emulated) monitor_.sleep_until(origin_s_ + due_s);
  Dates dates;
  dates.start_s = now_s();
  const Order order{.kind = Order::Kind::transfer,
                    .transfer = transfer,
                    .chunk = options_.chunk_parts.chunk_of(transfer),
                    .due_end_s = state.clock.worker_time_s(origin_s_ + due_s + lasts_s),
                    .update_s = update_cost(to_message(transfer), product_.problem(), worker) *
                                worker.w_s *
                                slow_down_factor(Activity::update, transfer.worker, due_s)};
  trace_.push_back({transfer, dates});
  reports_.emplace_back();
  const bool to_worker = transfer.direction == Direction::to_worker;
  const double order_s = dates.start_s;
  const double packing_s = to_worker ? send(transfer, order) : receive(transfer, order);
  const double done_s = now_s();
  // Until the worker had free memory, the transfer waited for an update that it does not name.
  if (to_worker) dates.start_s = std::clamp(state.memory_free_s, dates.start_s, done_s);
  record_port_time(state, transfer.direction, order_s, packing_s, done_s);
  double due_end_s = done_s;
  if (options_.emulated && due_s + lasts_s > done_s) {
    due_end_s = due_s + lasts_s;
    monitor_.sleep_until(origin_s_ + due_end_s);
  }
  dates.end_s = now_s();
  reports_.back() = {
      .arrived_s = state.arrived_s, .done_s = done_s, .arrived = !options_.emulated && to_worker};
  trace_.back().dates = bounded_dates(state, reports_.back(), dates);
  NominalRecurrence::record(view_, to_message(transfer), due_s, due_end_s);
  if (transfer.update.empty()) return;
  // The end of the update is unknown until the worker reports it.
  view_.correct_update_end(transfer.worker, view_.updates_allowed(transfer.worker), kUnknown);
  state.pending_updates.push_back(trace_.size() - 1);
  for (const WorkerEvent& event : std::exchange(state.early_events, {})) {
    record_update_end(transfer.worker, event);
  }
}

/// Splits the time of a transfer from `start_s` to `done_s`. Latency is the time until the worker
/// has received the order, as far as it is not spent on packing, and from the arrival of the blocks
/// until the master is informed.
void Master::record_port_time(const WorkerState& state, Direction direction, double start_s,
                              double packing_s, double done_s) {
  const bool to_worker = direction == Direction::to_worker;
  if (to_worker && state.memory_free_s > start_s) {  // until then, the port counts as idle
    const double memory_free_s = std::min(state.memory_free_s, done_s);
    packing_s = std::max(0.0, start_s + packing_s - memory_free_s);
    start_s = memory_free_s;
  }
  const double ordered_s = std::clamp(state.ordered_s, start_s, done_s);
  double latency_s = 0;
  if (to_worker) {
    const double arrived_s = std::clamp(run_time_s(state, state.arrived_s), start_s, done_s);
    latency_s = std::max(0.0, ordered_s - (start_s + packing_s)) + (done_s - arrived_s);
  } else {
    latency_s = ordered_s - start_s;
  }
  port_times_.push_back({.start_s = start_s,
                         .packing_s = packing_s,
                         .latency_s = latency_s,
                         .link_s = done_s - start_s - packing_s - latency_s});
}

double Master::send(const Transfer& transfer, const Order& order) {
  WorkerState& state = workers_[at(transfer.worker)];
  state.arrived = false;
  PendingMessage message = communicator_.send(rank_of(transfer.worker), Tag::order, order);
  const double packing_s = pipeline_.send(product_, transfer);
  monitor_.wait_until(
      transfer.worker, "receive blocks", [&] { return state.arrived && message.is_complete(); },
      polling_);
  if (options_.adds_partial_sums) product_.clear_c(transfer.c);
  return packing_s;
}

double Master::receive(const Transfer& transfer, const Order& order) {
  PendingMessage message = communicator_.send(rank_of(transfer.worker), Tag::order, order);
  const double packing_s = pipeline_.receive(product_, transfer);
  monitor_.wait_until(
      transfer.worker, "send blocks of C", [&] { return message.is_complete(); }, polling_);
  return packing_s;
}

std::vector<std::int64_t> Master::finish() {
  std::vector<std::int64_t> peak_blocks;
  const Order order{.kind = Order::Kind::finish};
  for (int i = 0; i < std::ssize(workers_); ++i) {
    PendingMessage message = communicator_.send(rank_of(i), Tag::order, order);
    monitor_.wait_until(i, "shut down",
                        [&] { return workers_[at(i)].finished && message.is_complete(); });
    peak_blocks.push_back(workers_[at(i)].peak_blocks);
  }
  return peak_blocks;
}

}  // namespace starport::mpi
