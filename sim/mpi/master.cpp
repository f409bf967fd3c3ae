#include "sim/mpi/master.hpp"

#include "sim/mpi/clock.hpp"
#include "sim/star/date_recurrence.hpp"
#include "sim/star/port_clock.hpp"

#include <algorithm>
#include <utility>

namespace starport::mpi {
namespace {

int rank_of(int worker) { return worker + 1; }
std::size_t at(int worker) { return worker; }

}  // namespace

Master::Master(const Communicator& communicator, const Platform& platform, Product& product,
               const ExecutionOptions& options)
    : communicator_(communicator),
      platform_(platform),
      product_(product),
      options_(options),
      watch_(communicator, options.time_out_s, options.time_limit_s,
             [this](int worker, const News& news) { take_in(worker, news); }),
      workers_(platform.workers.size()),
      view_(platform, product.problem()),
      origin_s_(clock_s()) {
  const int p = static_cast<int>(workers_.size());
  for (int i = 0; i < p; ++i) {
    const Worker& worker = platform.workers[at(i)];
    const Setup setup{
        .problem = product.problem(),
        .m_blocks = worker.m_blocks,
        .expected_blocks = options.expected_blocks.empty() ? 0 : options.expected_blocks[at(i)],
        .paced = options.paced,
        .threads = options.threads,
        .time_out_s = options.time_out_s,
        .patience_s = options.patience_s()};
    Sending sending = communicator_.send(rank_of(i), Tag::setup, setup);
    watch_.wait_until(i, "taking its part", [&] { return sending.complete(); });
  }
  for (int i = 0; i < p; ++i) {
    watch_.wait_until(i, "having its memory", [&] { return workers_[at(i)].ready; });
  }
  for (int i = 0; i < p; ++i) workers_[at(i)].clock_offset_s = clock_offset(i);
}

double Master::now_s() const { return clock_s() - origin_s_; }

/// Cristian's method: of some round trips the shortest, in whose middle the worker looked at its
/// clock.
double Master::clock_offset(int worker) {
  constexpr int round_trips = 10;
  double shortest_s = kUnknown;
  double offset_s = 0;
  for (int n = 0; n < round_trips; ++n) {
    const double asked_s = clock_s();
    Sending asking =
        communicator_.send(rank_of(worker), Tag::order, Order{.kind = Order::Kind::tell_time});
    std::optional<double> told_s;
    watch_.wait_until(worker, "telling the time", [&] {
      told_s = communicator_.receive<double>(rank_of(worker), Tag::clock);
      return told_s.has_value();
    });
    const double back_s = clock_s();
    watch_.wait_until(worker, "telling the time", [&] { return asking.complete(); });
    if (back_s - asked_s < shortest_s) {
      shortest_s = back_s - asked_s;
      offset_s = *told_s - (asked_s + back_s) / 2;
    }
  }
  return offset_s;
}

void Master::take_in(int worker, const News& news) {
  WorkerState& state = workers_[at(worker)];
  switch (news.kind) {
    case News::Kind::ready:
      state.ready = true;
      break;
    case News::Kind::arrived:
      state.arrived = true;
      state.arrived_s = news.end_s - state.clock_offset_s - origin_s_;
      state.room_s = news.start_s > 0 ? news.start_s - state.clock_offset_s - origin_s_ : 0;
      break;
    case News::Kind::update_ended:
      if (state.updates_sent.empty()) {
        state.early.push_back(news);
      } else {
        end_update(worker, news);
      }
      break;
    case News::Kind::over:
      state.over = true;
      state.most_held = news.blocks;
      break;
    case News::Kind::alive:
    case News::Kind::failed:
      break;  // the watch has taken them in
  }
}

void Master::end_update(int worker, const News& news) {
  WorkerState& state = workers_[at(worker)];
  TracedTransfer& event = trace_[state.updates_sent.front()];
  state.updates_sent.pop_front();
  ++state.updates_ended;
  const auto here = [&](double date_s) { return date_s - state.clock_offset_s - origin_s_; };
  // Between what came before it and the news of its end.
  const double earliest_s = std::max(event.dates.end_s, state.last_update_end_s);
  const double latest_s = std::max(earliest_s, now_s());
  event.dates.update_end_s = std::clamp(here(news.end_s), earliest_s, latest_s);
  event.dates.update_start_s = std::clamp(here(news.start_s), earliest_s, event.dates.update_end_s);
  state.last_update_end_s = event.dates.update_end_s;
  view_.observe_update_end(worker, state.updates_ended,
                           options_.paced ? here(news.due_end_s) : event.dates.update_end_s);
}

Trace Master::run(Dispatcher& dispatcher) {
  origin_s_ = clock_s();
  watch_.restart();
  run_by_clock(dispatcher, *this, view_, [&](const Message&) { perform(dispatcher.transfer()); });
  for (int i = 0; i < static_cast<int>(workers_.size()); ++i) {
    watch_.wait_until(i, "last update", [&] { return workers_[at(i)].updates_sent.empty(); });
  }
  return std::move(trace_);
}

void Master::reach_decision() {
  watch_.listen();
  if (!options_.paced) view_.observe_time(now_s());
}

/// Until the date named, or news of an update.
bool Master::wait(const Wait& wait) {
  if (wait.until_s != kUnknown) {
    sleep_until(origin_s_ + wait.until_s);
    view_.observe_time(std::max(view_.now_s(), wait.until_s));
    return true;
  }
  const auto waited_for =
      std::ranges::find_if(workers_, [](const auto& state) { return !state.updates_sent.empty(); });
  if (waited_for == workers_.end()) return false;
  const auto count = [&] {
    std::int64_t sum = 0;
    for (const WorkerState& state : workers_) sum += state.updates_ended;
    return sum;
  };
  const std::int64_t ended = count();
  watch_.wait_until(static_cast<int>(waited_for - workers_.begin()), "update",
                    [&] { return count() > ended; });
  return true;
}

void Master::perform(const Transfer& transfer) {
  WorkerState& state = workers_[at(transfer.worker)];
  watch_.wait_until(transfer.worker, "update",
                    [&] { return state.updates_ended >= transfer.after_update; });
  const Worker& worker = platform_.workers[at(transfer.worker)];
  const double lasts_s = worker.transfer_time_s(transfer.blocks());
  const double due_s = options_.paced ? view_.start_s(message_of(transfer)) : now_s();
  if (options_.paced) sleep_until(origin_s_ + due_s);
  Dates dates;
  dates.start_s = now_s();
  const Order order{
      .kind = Order::Kind::transfer,
      .transfer = transfer,
      .due_end_s = origin_s_ + due_s + lasts_s + state.clock_offset_s,
      .update_s = update_cost(message_of(transfer), product_.problem(), worker) * worker.w_s};
  trace_.push_back({transfer, dates});
  transfer.direction == Direction::to_worker ? send(transfer, order) : receive(transfer, order);
  const double done_s = now_s();
  // Until the worker had room, the transfer waited for an update that it does not name.
  if (transfer.direction == Direction::to_worker) {
    dates.start_s = std::clamp(state.room_s, dates.start_s, done_s);
  }
  double due_end_s = done_s;
  if (options_.paced && due_s + lasts_s > done_s) {
    due_end_s = due_s + lasts_s;
    sleep_until(origin_s_ + due_end_s);
  }
  dates.end_s = options_.paced || transfer.direction == Direction::to_master
                    ? now_s()
                    : std::clamp(state.arrived_s, dates.start_s, done_s);
  dates.update_start_s = dates.update_end_s = dates.end_s;
  trace_.back().dates = dates;
  NominalRecurrence::record(view_, message_of(transfer), due_s, due_end_s);
  if (transfer.update.empty()) return;
  // When it will end is for the worker to tell.
  view_.observe_update_end(transfer.worker, view_.updates_allowed(transfer.worker), kUnknown);
  state.updates_sent.push_back(trace_.size() - 1);
  for (const News& news : std::exchange(state.early, {})) end_update(transfer.worker, news);
}

void Master::send(const Transfer& transfer, const Order& order) {
  const int rank = rank_of(transfer.worker);
  WorkerState& state = workers_[at(transfer.worker)];
  state.arrived = false;
  Sending ordering = communicator_.send(rank, Tag::order, order);
  product_.pack(transfer, buffer_);
  Sending sending = communicator_.send_blocks(rank, {buffer_, product_.problem().block_size});
  const bool busy = !options_.paced;
  watch_.wait_until(
      transfer.worker, "receiving of blocks",
      [&] { return state.arrived && sending.complete() && ordering.complete(); }, busy);
}

void Master::receive(const Transfer& transfer, const Order& order) {
  const int rank = rank_of(transfer.worker);
  const std::int64_t q = product_.problem().block_size;
  Sending ordering = communicator_.send(rank, Tag::order, order);
  buffer_.resize(transfer.blocks() * q * q);
  Sending receiving = communicator_.receive_blocks(rank, {buffer_, q});
  const bool busy = !options_.paced;
  watch_.wait_until(
      transfer.worker, "blocks of C", [&] { return receiving.complete() && ordering.complete(); },
      busy);
  product_.unpack(transfer, buffer_);
}

std::vector<std::int64_t> Master::finish() {
  std::vector<std::int64_t> most_held;
  for (int i = 0; i < std::ssize(workers_); ++i) {
    Sending sending =
        communicator_.send(rank_of(i), Tag::order, Order{.kind = Order::Kind::finish});
    watch_.wait_until(i, "end", [&] { return workers_[at(i)].over && sending.complete(); });
    most_held.push_back(workers_[at(i)].most_held);
  }
  return most_held;
}

}  // namespace starport::mpi
