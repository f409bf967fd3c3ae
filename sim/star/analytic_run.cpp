#include "sim/star/analytic_run.hpp"

#include "sim/star/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace starport {
namespace {

/// Computes the metrics of a list whose messages wait only for one of the worker's last two updates
/// and which neither add blocks to C nor return partial sums, as most lists do.
class ListFastPath {
 public:
  explicit ListFastPath(const Platform& platform)
      : figures_(platform.workers.data()), lines_(platform.workers.size()) {}

  /// Dates the messages from `message` on. Returns the first message that this class does not
  /// support, or `end`. Not inlined: the loop then keeps its state in registers.
  [[gnu::noinline]] const Message* advance(const Message* message, const Message* end) {
    double now_s = now_s_;
    double sends_s = totals_.sends_s;
    for (; message != end; ++message) {
      const auto i = static_cast<std::size_t>(message->worker);
      if (i >= lines_.size()) break;
      Line& line = lines_[i];
      const std::int64_t n = message->after_update;
      const std::int64_t back = line.updates - n;
      if (back < 0 || (back > 1 && n > 0) || message->additions > 0) break;
      if (message->partial_sums) break;
      if (message->allows_update && message->direction == Direction::to_master) break;
      const double start_s = std::max(now_s, back > 1 ? 0 : line.end_s(n));
      now_s = start_s + figures_[i].transfer_time_s(message->blocks);
      const double link_s = now_s - start_s;
      line.metrics.link_busy_s += link_s;
      line.metrics.blocks_moved += message->blocks;
      line.metrics.block_updates += message->block_updates;
      if (message->allows_update) {
        sends_s += link_s;
        const double update_start_s = std::max(now_s, line.end_s(line.updates));
        const double cost = static_cast<double>(message->block_updates);
        const double update_end_s = update_start_s + cost * figures_[i].w_s;
        line.metrics.compute_busy_s += update_end_s - update_start_s;
        line.end_s(++line.updates) = update_end_s;
      } else if (message->direction == Direction::to_worker) {
        sends_s += link_s;
      } else {
        totals_.receptions_s += link_s;
        totals_.makespan_s = now_s;
        totals_.returned_blocks += message->blocks;
      }
    }
    now_s_ = now_s;
    totals_.sends_s = sends_s;
    return message;
  }

  MetricsAccumulator::Totals totals() {
    for (const Line& line : lines_) totals_.workers.push_back(line.metrics);
    return std::move(totals_);
  }

 private:
  struct alignas(64) Line {
    std::int64_t updates = 0;
    std::array<double, 2> ends_s{};  ///< end dates of the last two updates, by number modulo 2
    WorkerMetrics metrics;

    double& end_s(std::int64_t n) { return ends_s[static_cast<std::size_t>(n & 1)]; }
  };

  double now_s_ = 0;  // not beside the sums: GCC 12 would make a vector of both
  const Worker* figures_;
  std::vector<Line> lines_;
  MetricsAccumulator::Totals totals_;
};

/// Emits its own list of transfers. next() throws SimulationError if a worker has stopped that
/// still has transfers in the list.
class FixedOrderDispatcher final : public Dispatcher {
 public:
  explicit FixedOrderDispatcher(std::vector<Transfer> transfers)
      : transfers_(std::move(transfers)) {}

  Decision next(const MasterView& master) override {
    const auto stops = master.stops();
    for (; stops_seen_ < stops.size(); ++stops_seen_) check_stop(stops[stops_seen_], master);
    if (next_ == transfers_.size()) return Done{};
    message_ = to_message(transfers_[next_++]);
    return &message_;
  }
  Transfer transfer() const override { return transfers_[next_ - 1]; }

 private:
  void check_stop(const Stop& stop, const MasterView& master) const {
    std::size_t left = master.has_lost_last_transfer(stop.worker) ? 1 : 0;
    for (std::size_t i = next_; i < transfers_.size(); ++i) {
      left += transfers_[i].worker == stop.worker ? 1 : 0;
    }
    if (left == 0) return;
    throw SimulationError(fmt::format("worker {} stopped at {:g} s with {} of its transfers left",
                                      stop.worker + 1, stop.at_s, left));
  }

  std::vector<Transfer> transfers_;
  Message message_;
  std::size_t next_ = 0;
  std::size_t stops_seen_ = 0;
};

}  // namespace

void throw_invalid_decision(const MasterView& master, const Message& message) {
  const int worker = message.worker + 1;
  if (!master.has_worker(message.worker)) {
    throw SimulationError(
        fmt::format("the dispatcher decided a transfer for worker {}; workers are numbered 1 to {}",
                    worker, master.platform().workers.size()));
  }
  if (master.has_stopped(message.worker)) {
    throw SimulationError(
        fmt::format("the dispatcher decided a transfer for worker {}, which has stopped", worker));
  }
  throw SimulationError(fmt::format(
      "the dispatcher decided a transfer that waits for update {} of worker {}, of which {} exist",
      message.after_update, worker, master.updates_allowed(message.worker)));
}

void throw_wait_until_past(const MasterView& master, const Wait& wait) {
  throw SimulationError(fmt::format(
      "the dispatcher waits until {:.9g} s, which is not later than the current date, {:.9g} s",
      wait.until_s, master.now_s()));
}

void throw_unsupported_port() {
  throw SimulationError(
      "a multi-port master has no recurrence: a transfer may share the bandwidth with later ones");
}

void Dispatcher::measure(MetricsRun& run) { run.execute(*this); }
void ListDispatcher::measure(MetricsRun& run) {
  constexpr std::ptrdiff_t messages_between_checks = 1 << 16;
  const auto& workers = run.platform().workers;
  if (std::ranges::any_of(workers, [](const Worker& x) { return x.speeds != nullptr; })) {
    return run.execute(*this);
  }
  ListFastPath plain(run.platform());
  for (const Message* message = next_; message != end_;) {
    const Message* next_check = message + std::min(messages_between_checks, end_ - message);
    message = plain.advance(message, next_check);
    if (message != next_check) return run.execute(*this);  // from the start, as any dispatcher
    run.sink().check_limits();
  }
  run.sink().metrics().set_totals(plain.totals());
}

Trace replay(const Platform& platform, const Problem& problem,
             const std::vector<Transfer>& transfers) {
  if (!has_recurrence(platform.port)) {
    const TransferList list(transfers);
    ListDispatcher dispatcher(list);
    return run_to_trace(dispatcher, platform, problem);
  }
  MasterView master(platform, problem);
  Trace trace;
  trace.reserve(transfers.size());
  with_clock(master, NominalRecurrence{}, [&](auto& clock) {
    for (const Transfer& transfer : transfers) {
      trace.push_back({transfer, clock.advance(to_message(transfer))});
    }
  });
  return trace;
}

Trace run_to_trace(Dispatcher& dispatcher, const Platform& platform, const Problem& problem) {
  MasterView master(platform, problem);
  Trace trace;
  TransferRecorder recorder(dispatcher);
  run_recurrence(recorder, master, [&](const Message&, const Dates& dates) {
    trace.push_back({recorder.take(), dates});
  });
  return trace;
}

std::unique_ptr<Dispatcher> make_fixed_order_dispatcher(std::vector<Transfer> transfers) {
  return std::make_unique<FixedOrderDispatcher>(std::move(transfers));
}

std::vector<Transfer> nominal_transfers(
    Dispatcher& dispatcher, const Platform& platform, const Problem& problem,
    const std::function<void(std::size_t transfers)>& check_limits) {
  if (!has_recurrence(platform.port)) throw_unsupported_port();
  std::vector<Transfer> transfers;
  MasterView nominal(platform, problem);
  run_recurrence(dispatcher, nominal, [&](const Message&, const Dates&) {
    check_limits(transfers.size() + 1);
    transfers.push_back(dispatcher.transfer());
  });
  return transfers;
}

void fix_order(Plan& plan, const Platform& platform, const Problem& problem,
               const std::function<void(std::size_t transfers)>& check_limits) {
  if (plan.adapts) return;
  plan.dispatcher = make_fixed_order_dispatcher(
      nominal_transfers(*plan.dispatcher, platform, problem, check_limits));
}

}  // namespace starport
