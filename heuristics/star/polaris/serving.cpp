#include "heuristics/star/polaris/serving.hpp"

#include "sim/star/many_port_clock.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace starport::polaris {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
/// Maps a date, which is not negative, to an integer with the same order.
std::uint64_t to_ordered_date(double s) { return std::bit_cast<std::uint64_t>(s); }
/// Maps a number other than -0 to an integer with the same order.
std::uint64_t to_ordered(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  constexpr std::uint64_t sign = std::uint64_t{1} << 63;
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

/// The task to serve next.
struct Selection {
  std::size_t task = 0;
  double date_s = kNever;  ///< when it can be served; kNever if none can
};

/// Selects the task to serve next. Stores the data for that contiguously, in blocks with a summary
/// each, because with many tasks the selection takes most of the time. Dates and work are mapped to
/// integers, so that both are compared at once and without unpredictable branches.
class ServiceSelector {
 public:
  ServiceSelector(const std::vector<TaskExecution>& executions, double patience)
      : executions_(executions),
        patience_(patience),
        slots_(executions.size()),
        blocks_((executions.size() + kBlock - 1) / kBlock) {
    for (std::size_t i = 0; i < executions.size(); ++i) update(i);
  }

  /// Updates the data of task i after it has been served.
  void update(std::size_t i) {
    const TaskExecution& execution = executions_[i];
    const std::uint64_t return_date = to_ordered_date(execution.return_s());
    slots_[i] = {std::min(to_ordered_date(execution.send_s()), return_date),
                 return_date,
                 ~to_ordered(execution.unsent_s()),
                 execution.send_s(),
                 execution.busy_until_s(),
                 patience_ * execution.service_s()};
    if (blocks_.size() == 1) return;
    Slot summary = slots_[i];
    for (std::size_t j = i / kBlock * kBlock; j < end(i / kBlock); ++j) {
      summary.date = std::min(summary.date, slots_[j].date);
      summary.return_date = std::min(summary.return_date, slots_[j].return_date);
      summary.rank = std::min(summary.rank, slots_[j].rank);
    }
    blocks_[i / kBlock] = summary;
  }

  /// Returns the task with the most unsent computation among those that can send or return at
  /// `now_s`, or, if there are none, among those that can do so first.
  Selection select(double now_s) const { return choose<&Slot::date>(now_s); }
  /// Returns the task with the most unsent computation among those that can return columns at
  /// `now_s`, or, if there are none, among those that can do so first.
  Selection select_returning(double now_s) const { return choose<&Slot::return_date>(now_s); }

  /// True if the next message of the selected task fits into memory at the selected date.
  bool can_send(const Selection& selection) const {
    return slots_[selection.task].send_s <= selection.date_s;
  }
  /// True if the worker of the selected task will not soon run out of computations.
  bool has_time(const Selection& selection) const {
    const Slot& slot = slots_[selection.task];
    return slot.busy_until_s > selection.date_s + slot.patience_s;
  }

 private:
  static constexpr std::size_t kBlock = 16;
  /// The data of one task, or in blocks_ the minima over a block of tasks.
  struct Slot {
    std::uint64_t date;         ///< first date at which it can send or return, mapped
    std::uint64_t return_date;  ///< first date at which it can return, mapped
    std::uint64_t rank;         ///< decreases with the unsent computation
    double send_s;
    double busy_until_s;
    double patience_s;
  };
  __extension__ using Key = unsigned __int128;

  template <std::uint64_t Slot::*date>
  Selection choose(double now_s) const {
    const std::uint64_t now = to_ordered_date(now_s);
    const auto key = [now](const Slot& slot) {
      return Key{std::max(slot.*date, now)} << 64 | slot.rank;
    };
    Key least = Key{to_ordered_date(kNever)} << 64 | std::numeric_limits<std::uint64_t>::max();
    std::size_t task = 0;
    for (std::size_t number = 0; number < blocks_.size(); ++number) {
      if (key(blocks_[number]) >= least) continue;
      for (std::size_t i = number * kBlock; i < end(number); ++i) {
        const Key other = key(slots_[i]);
        task = other < least ? i : task;
        least = other < least ? other : least;
      }
    }
    return {task, std::bit_cast<double>(static_cast<std::uint64_t>(least >> 64))};
  }
  std::size_t end(std::size_t number) const {
    return std::min(slots_.size(), (number + 1) * kBlock);
  }

  const std::vector<TaskExecution>& executions_;
  double patience_;
  std::vector<Slot> slots_;
  std::vector<Slot> blocks_;
};

/// Simulates the schedule on a master with one port in each direction: of all messages and returns,
/// the one that can start first comes next; of those that can start at the same date, that of the
/// worker with the most unsent computation. A worker has one transfer at a time.
ServedSchedule serve_on_two_ports(std::vector<TaskExecution>& executions, double limit_s) {
  ServedSchedule run;
  double send_port_s = 0;
  double return_port_s = 0;
  double end_s = 0;
  std::vector<double> link_s(executions.size());
  for (;;) {
    std::size_t served = 0;
    double start_s = kNever;
    bool returns = false;
    const auto consider = [&](std::size_t i, double date_s, bool is_return) {
      const bool first =
          date_s < start_s || (date_s == start_s && date_s < kNever &&
                               executions[i].unsent_s() > executions[served].unsent_s());
      if (!first) return;
      served = i;
      start_s = date_s;
      returns = is_return;
    };
    for (std::size_t i = 0; i < executions.size(); ++i) {
      const TaskExecution& execution = executions[i];
      consider(i, std::max({send_port_s, link_s[i], execution.send_s()}), false);
      consider(i, std::max({return_port_s, link_s[i], execution.return_s()}), true);
    }
    if (start_s == kNever) break;
    TaskExecution& execution = executions[served];
    const double transfer_end_s =
        returns ? execution.return_to_master(start_s) : execution.send(start_s);
    (returns ? return_port_s : send_port_s) = transfer_end_s;
    link_s[served] = transfer_end_s;
    end_s = std::max(end_s, transfer_end_s);
    ++run.transfers;
    run.order.push_back(static_cast<std::uint32_t>(2 * served + (returns ? 1 : 0)));
    run.ends_s.push_back(end_s);
    if (end_s >= limit_s) {
      run.stopped = true;
      return run;
    }
  }
  run.makespan_s = end_s;
  return run;
}

/// Simulates the schedule on a master with several ports that may share a bandwidth. A free port
/// serves the worker with the most unsent computation of those that can be sent a message or, if
/// none can or that worker has enough to compute, of those that can return columns. Without a limit
/// on the number of transfers, every worker is served as soon as possible.
class ManyPortServer {
 public:
  ManyPortServer(const Platform& platform, const std::vector<RectangleTask>& tasks,
                 std::vector<TaskExecution>& executions, double patience)
      : max_transfers_(platform.port.max_transfers),
        patience_(patience),
        tasks_(tasks),
        executions_(executions),
        flows_(platform),
        task_of_(platform.workers.size()),
        under_way_(executions.size()) {
    for (std::size_t i = 0; i < tasks.size(); ++i) task_of_[tasks[i].worker] = i;
  }

  ServedSchedule serve(double limit_s) {
    while (flows_.now_s() < limit_s) {
      const double next_s = start_transfers();
      if (flows_.empty() && next_s == kNever) break;
      for (const auto& [worker, end_s] : flows_.advance_until(std::min(next_s, limit_s)))
        end_transfer(task_of_[worker], end_s);
    }
    ServedSchedule run{.makespan_s = flows_.now_s(),
                       .transfers = std::ssize(order_),
                       .stopped = flows_.now_s() >= limit_s,
                       .order = std::move(order_),
                       .ends_s = std::move(ends_s_)};
    if (run.stopped) run.makespan_s = kUnknown;
    double end_s = 0;
    for (double& date_s : run.ends_s)
      date_s = end_s = std::max(end_s, std::min(date_s, flows_.now_s()));
    if (run.stopped && !run.ends_s.empty()) run.ends_s.back() = flows_.now_s();
    return run;
  }

 private:
  /// The transfer of a task that is under way.
  struct UnderWay {
    bool active = false;
    bool returns = false;
    std::size_t index = 0;  ///< in order_
  };

  /// Starts all transfers that can start now. Returns the first later date at which another could
  /// start if its worker and a port were free.
  double start_transfers() {
    for (;;) {
      if (max_transfers_ > 0 && active_ == max_transfers_) return kNever;
      const double now_s = flows_.now_s();
      double next_s = kNever;
      std::optional<std::size_t> sender;
      std::optional<std::size_t> returner;
      for (std::size_t i = 0; i < executions_.size(); ++i) {
        if (under_way_[i].active) continue;
        const TaskExecution& execution = executions_[i];
        const bool can_return = execution.return_s() <= now_s;
        const bool can_send = execution.send_s() <= now_s;
        if (!can_send && !can_return)
          next_s = std::min({next_s, execution.send_s(), execution.return_s()});
        if (can_send && has_more_unsent(i, sender)) sender = i;
        if (can_return && has_more_unsent(i, returner)) returner = i;
      }
      if (!sender && !returner) return next_s;
      // Returns come first unless the worker to send to would soon run out of computations.
      const bool returns =
          returner && (!sender || executions_[*sender].busy_until_s() >
                                      now_s + patience_ * executions_[*sender].service_s());
      start_transfer(returns ? *returner : *sender, returns);
    }
  }

  bool has_more_unsent(std::size_t i, const std::optional<std::size_t>& other) const {
    return !other || executions_[i].unsent_s() > executions_[*other].unsent_s();
  }

  void start_transfer(std::size_t i, bool returns) {
    const TaskExecution& execution = executions_[i];
    under_way_[i] = {.active = true, .returns = returns, .index = order_.size()};
    ++active_;
    order_.push_back(static_cast<std::uint32_t>(2 * i + (returns ? 1 : 0)));
    ends_s_.push_back(kNever);
    flows_.start(tasks_[i].worker,
                 returns ? execution.returned_blocks() : execution.message_blocks(),
                 flows_.now_s());
  }

  void end_transfer(std::size_t i, double end_s) {
    const UnderWay& ended = under_way_[i];
    ended.returns ? executions_[i].end_return(end_s) : executions_[i].end_send(end_s);
    ends_s_[ended.index] = end_s;
    under_way_[i].active = false;
    --active_;
  }

  std::int64_t max_transfers_;
  double patience_;
  const std::vector<RectangleTask>& tasks_;
  std::vector<TaskExecution>& executions_;
  ActiveFlows flows_;
  PerWorker<std::size_t> task_of_;
  std::vector<UnderWay> under_way_;
  std::int64_t active_ = 0;
  std::vector<std::uint32_t> order_;
  std::vector<double> ends_s_;
};

/// Returns a run that has ended with the outcomes of its tasks, or with the makespan kUnknown if
/// the next message of one never fits into memory.
ServedSchedule complete(ServedSchedule run, const std::vector<TaskExecution>& executions) {
  for (const TaskExecution& execution : executions) {
    if (execution.is_finished()) continue;
    run.makespan_s = kUnknown;
    return run;
  }
  for (const TaskExecution& execution : executions) run.tasks.push_back(execution.outcome());
  return run;
}

constexpr std::size_t kMaxDates = 1 << 20;  ///< 12 MB; beyond that the cache is cleared

}  // namespace

void TaskExecution::generate_batch() {
  next_ = 0;
  for (count_ = 0; count_ < kBatch && !sequence_.is_finished(); ++count_) {
    const PlannedMessage message = sequence_.next();
    const starport::Message update{.block_updates = message.block_updates(),
                                   .updated_blocks = message.updated_blocks(),
                                   .additions = message.additions()};
    const std::int64_t blocks = message.blocks();
    batch_[count_] = {.service_s = worker_->transfer_time_s(blocks),
                      .update_s = update_cost(update, problem_, *worker_) * worker_->w_s,
                      .sent_s = static_cast<double>(update.block_updates) * update_s_,
                      .blocks = blocks,
                      .occupied_blocks = message.occupied_blocks(),
                      .released_blocks = message.released_blocks(),
                      .band = message.band,
                      .finished = message.finished};
  }
}

ServedSchedule serve_tasks(const Platform& platform, const Problem& problem,
                           const std::vector<RectangleTask>& tasks, const ServingOptions& options,
                           double limit_s) {
  std::vector<TaskExecution> executions;
  executions.reserve(tasks.size());
  for (const RectangleTask& task : tasks) executions.emplace_back(platform, problem, task, options);
  if (platform.port.kind != Port::Kind::one) {
    ServedSchedule run =
        platform.port.kind == Port::Kind::two
            ? serve_on_two_ports(executions, limit_s)
            : ManyPortServer(platform, tasks, executions, options.patience).serve(limit_s);
    return run.stopped ? run : complete(std::move(run), executions);
  }
  ServiceSelector selector(executions, options.patience);
  ServedSchedule run;
  double now_s = 0;
  for (;;) {
    const Selection selected = selector.select(now_s);
    if (selected.date_s == kNever) break;
    now_s = selected.date_s;
    std::size_t served = selected.task;
    bool returns = !selector.can_send(selected);
    if (!returns && selector.has_time(selected)) {
      const Selection returning = selector.select_returning(now_s);
      returns = returning.date_s == now_s;
      if (returns) served = returning.task;
    }
    now_s = returns ? executions[served].return_to_master(now_s) : executions[served].send(now_s);
    selector.update(served);
    ++run.transfers;
    run.order.push_back(static_cast<std::uint32_t>(2 * served + (returns ? 1 : 0)));
    run.ends_s.push_back(now_s);
    if (now_s >= limit_s) {
      run.stopped = true;
      return run;
    }
  }
  run.makespan_s = now_s;
  return complete(std::move(run), executions);
}

std::vector<Transfer> list_transfers(const Platform& platform, const Problem& problem,
                                     const std::vector<RectangleTask>& tasks,
                                     const ServingOptions& options) {
  std::vector<TaskExecution> executions;
  executions.reserve(tasks.size());
  for (const RectangleTask& task : tasks) executions.emplace_back(platform, problem, task, options);
  std::vector<Transfer> transfers;
  for (const std::uint32_t step : serve_tasks(platform, problem, tasks, options, kUnknown).order) {
    TaskExecution& execution = executions[step / 2];
    const bool returns = step % 2 == 1;
    transfers.push_back(returns ? execution.return_transfer() : execution.message_transfer());
    returns ? execution.return_to_master(0) : execution.send(0);
  }
  return transfers;
}

ServingCache::Key ServingCache::make_key(const std::vector<RectangleTask>& tasks,
                                         const ServingOptions& options) const {
  const auto bits = [](double x) { return std::bit_cast<std::int64_t>(x); };
  Key key{bits(options.patience), options.return_columns};
  for (const RectangleTask& task : tasks) {
    const Mode& mode = task.mode;
    const bool resident = mode.kind == Mode::Kind::a_resident;
    key.insert(key.end(), {task.worker, task.c.rows.size(), task.c.columns.size(), resident ? 1 : 0,
                           mode.transposed ? 1 : 0, mode.height});
    const MessageOptions& message_options = options.message_options;
    if (!resident) {
      key.insert(key.end(), {mode.window, mode.retained, mode.pieces, message_options.joining,
                             message_options.rest});
      continue;
    }
    key.push_back(message_options.late_c ? 1 : 0);
    const std::int64_t high = mode.transposed ? task.c.columns.size() : task.c.rows.size();
    const std::int64_t wide = mode.transposed ? task.c.rows.size() : task.c.columns.size();
    const std::int64_t m = platform_.workers[task.worker].m_blocks;
    for (const std::int64_t h : {std::min(high, mode.height), 1 + (high - 1) % mode.height}) {
      const ResidentBand band = make_resident_band(h, wide, problem_.t, m, mode, message_options);
      key.insert(key.end(), {band.loading, band.depth, band.group, band.pieces});
    }
  }
  return key;
}

const ServedSchedule& ServingCache::find_or_serve(const std::vector<RectangleTask>& tasks,
                                                  const ServingOptions& options, double limit_s) {
  Key key = make_key(tasks, options);
  if (dates_ > kMaxDates && !runs_.contains(key)) {
    runs_.clear();
    dates_ = 0;
  }
  ServedSchedule& run =
      runs_.try_emplace(std::move(key), ServedSchedule{.stopped = true}).first->second;
  // Simulate again if the cached simulation stopped at a lower limit.
  const bool reaches_limit = !run.ends_s.empty() && run.ends_s.back() >= limit_s;
  if (run.stopped && !reaches_limit) {
    dates_ -= run.ends_s.size();
    run = serve_tasks(platform_, problem_, tasks, options, limit_s);
    dates_ += run.ends_s.size();
  }
  return run;
}

ServedSchedule ServingCache::serve(const std::vector<RectangleTask>& tasks,
                                   const ServingOptions& options, double limit_s) {
  const ServedSchedule& cached = find_or_serve(tasks, options, limit_s);
  const auto last = std::lower_bound(cached.ends_s.begin(), cached.ends_s.end(), limit_s);
  if (last != cached.ends_s.end()) {
    return {.transfers = 1 + (last - cached.ends_s.begin()), .stopped = true};
  }
  return {.makespan_s = cached.makespan_s, .tasks = cached.tasks, .transfers = cached.transfers};
}

}  // namespace starport::polaris
