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
/// integers, so that they are compared without unpredictable branches.
class ServiceSelector {
 public:
  explicit ServiceSelector(const std::vector<TaskExecution>& executions)
      : executions_(executions),
        slots_(executions.size()),
        blocks_((executions.size() + kBlock - 1) / kBlock) {
    for (std::size_t i = 0; i < executions.size(); ++i) update(i);
  }

  /// Updates the data of task i after it has been served.
  void update(std::size_t i) {
    const TaskExecution& execution = executions_[i];
    const std::uint64_t return_date = to_ordered_date(execution.return_s());
    const std::uint64_t former_date = slots_[i].return_date;
    slots_[i] = {std::min(to_ordered_date(execution.send_s()), return_date), return_date,
                 ~to_ordered(execution.unsent_s())};
    if (blocks_.size() > 1) {
      Slot summary = slots_[i];
      for (std::size_t j = i / kBlock * kBlock; j < end(i / kBlock); ++j) {
        summary.date = std::min(summary.date, slots_[j].date);
        summary.return_date = std::min(summary.return_date, slots_[j].return_date);
        summary.rank = std::min(summary.rank, slots_[j].rank);
      }
      blocks_[i / kBlock] = summary;
    }
    if (return_date <= first_return_) {
      first_return_ = return_date;
    } else if (former_date == first_return_) {
      first_return_ = return_date;
      for (const Slot& slot : blocks_.size() > 1 ? blocks_ : slots_)
        first_return_ = std::min(first_return_, slot.return_date);
    }
  }

  /// Returns the task with the most unsent computation among those that can send or return at
  /// `now_s`, or, if there are none, among those that can do so first.
  Selection select(double now_s) const {
    std::uint64_t date = to_ordered_date(now_s);
    std::size_t task = find<&Slot::date>(date);
    if (task == slots_.size()) {
      date = to_ordered_date(kNever);
      for (const Slot& slot : blocks_.size() > 1 ? blocks_ : slots_)
        date = std::min(date, slot.date);
      if (date == to_ordered_date(kNever)) return {};
      task = find<&Slot::date>(date);
    }
    return {task, std::bit_cast<double>(date)};
  }
  /// Returns the task with the most unsent computation among those that can return columns at
  /// `now_s`; nullopt if there are none.
  std::optional<std::size_t> select_returning(double now_s) const {
    if (first_return_ > to_ordered_date(now_s)) return std::nullopt;
    return find<&Slot::return_date>(to_ordered_date(now_s));
  }

 private:
  static constexpr std::size_t kBlock = 16;
  /// The data of one task, or in blocks_ the minima over a block of tasks.
  struct Slot {
    std::uint64_t date;         ///< first date at which it can send or return, mapped
    std::uint64_t return_date;  ///< first date at which it can return, mapped
    std::uint64_t rank;         ///< decreases with the unsent computation
  };

  /// Returns the task with the most unsent computation among those whose `member` is at most
  /// `date`; the number of tasks if there are none.
  template <std::uint64_t Slot::*member>
  std::size_t find(std::uint64_t date) const {
    constexpr auto none = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t least = none;
    std::size_t task = slots_.size();
    for (std::size_t number = 0; number < blocks_.size(); ++number) {
      if (blocks_.size() > 1 && (blocks_[number].*member > date || blocks_[number].rank >= least)) {
        continue;
      }
      for (std::size_t i = number * kBlock; i < end(number); ++i) {
        const std::uint64_t too_late =
            0 - std::uint64_t{slots_[i].*member > date};  // all ones or 0
        const std::uint64_t rank = slots_[i].rank | too_late;
        task = rank < least ? i : task;
        least = rank < least ? rank : least;
      }
    }
    return task;
  }
  std::size_t end(std::size_t number) const {
    return std::min(slots_.size(), (number + 1) * kBlock);
  }

  const std::vector<TaskExecution>& executions_;
  std::vector<Slot> slots_;
  std::vector<Slot> blocks_;
  std::uint64_t first_return_ = 0;  ///< first date at which any task can return, mapped
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

/// Stores the outcomes of the tasks in a run that has ended, or sets its makespan to kUnknown if
/// the next message of one never fits into memory.
void complete(ServedSchedule& run, const std::vector<TaskExecution>& executions) {
  for (const TaskExecution& execution : executions) {
    if (execution.is_finished()) continue;
    run.makespan_s = kUnknown;
    return;
  }
  for (const TaskExecution& execution : executions) run.tasks.push_back(execution.outcome());
}

/// Replaces `run` by the schedule that serve_tasks() returns, in the memory of its vectors.
void simulate(ServedSchedule& run, const Platform& platform, const Problem& problem,
              const std::vector<RectangleTask>& tasks, const ServingOptions& options,
              double limit_s) {
  std::vector<TaskExecution> executions;
  executions.reserve(tasks.size());
  for (const RectangleTask& task : tasks) executions.emplace_back(platform, problem, task, options);
  if (platform.port.kind != Port::Kind::one) {
    run = platform.port.kind == Port::Kind::two
              ? serve_on_two_ports(executions, limit_s)
              : ManyPortServer(platform, tasks, executions, options.patience).serve(limit_s);
    if (!run.stopped) complete(run, executions);
    return;
  }
  run.order.clear();
  run.ends_s.clear();
  run = {.order = std::move(run.order), .ends_s = std::move(run.ends_s)};
  ServiceSelector selector(executions);
  double now_s = 0;
  for (;;) {
    const Selection selected = selector.select(now_s);
    if (selected.date_s == kNever) break;
    now_s = selected.date_s;
    std::size_t served = selected.task;
    const TaskExecution& execution = executions[served];
    bool returns = execution.send_s() > now_s;
    if (!returns && execution.busy_until_s() > now_s + options.patience * execution.service_s()) {
      // The worker will not soon run out of computations.
      const std::optional<std::size_t> returning = selector.select_returning(now_s);
      returns = returning.has_value();
      served = returning.value_or(served);
    }
    now_s = returns ? executions[served].return_to_master(now_s) : executions[served].send(now_s);
    selector.update(served);
    ++run.transfers;
    run.order.push_back(static_cast<std::uint32_t>(2 * served + (returns ? 1 : 0)));
    run.ends_s.push_back(now_s);
    if (now_s >= limit_s) {
      run.stopped = true;
      return;
    }
  }
  run.makespan_s = now_s;
  complete(run, executions);
}

constexpr std::size_t kMaxStored = 2 << 20;  ///< 12 MB; beyond that the cache is cleared
/// Largest number of transfers of a cached schedule whose dates are stored, since a longer one is
/// hardly ever looked up with a lower limit.
constexpr std::size_t kMaxEnds = 1 << 13;

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
  ServedSchedule run;
  simulate(run, platform, problem, tasks, options, limit_s);
  return run;
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
      key.insert(key.end(), {mode.window, mode.retained, mode.pieces, mode.a_pieces,
                             message_options.joining, message_options.rest});
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

ServingCache::Run& ServingCache::find(const std::vector<RectangleTask>& tasks,
                                      const ServingOptions& options) {
  Key key = make_key(tasks, options);
  if (stored_ > kMaxStored && !runs_.contains(key)) {
    runs_.clear();
    stored_ = 0;
  }
  return runs_[std::move(key)];
}

void ServingCache::store(Run& run, const ServedSchedule& schedule) {
  stored_ -= run.order.size() + run.ends_s.size();
  run = {.summary = {.makespan_s = schedule.makespan_s,
                     .tasks = schedule.tasks,
                     .transfers = schedule.transfers,
                     .stopped = schedule.stopped}};
  const std::vector<double>& ends_s = schedule.ends_s;
  if (!ends_s.empty()) run.end_s = ends_s.back();
  if (ends_s.size() > 1) run.before_end_s = ends_s[ends_s.size() - 2];
  if (!schedule.stopped) run.order = schedule.order;
  if (ends_s.size() <= kMaxEnds) run.ends_s = ends_s;
  stored_ += run.order.size() + run.ends_s.size();
}

const std::vector<std::uint32_t>& ServingCache::order(const std::vector<RectangleTask>& tasks,
                                                      const ServingOptions& options) {
  Run& run = find(tasks, options);
  if (run.summary.stopped) store(run, serve_tasks(platform_, problem_, tasks, options, kUnknown));
  return run.order;
}

void ServingCache::copy_from(ServingCache& other, const std::vector<RectangleTask>& tasks_there,
                             const std::vector<RectangleTask>& tasks,
                             const ServingOptions& options) {
  other.order(tasks_there, options);
  Run& run = runs_[make_key(tasks, options)];
  stored_ -= run.order.size() + run.ends_s.size();
  run = other.find(tasks_there, options);
  stored_ += run.order.size() + run.ends_s.size();
}

ServedSchedule ServingCache::serve(const std::vector<RectangleTask>& tasks,
                                   const ServingOptions& options, double limit_s) {
  Run& run = find(tasks, options);
  if (!run.summary.stopped && limit_s > run.end_s) return run.summary;
  const auto stopped_after = [](std::int64_t transfers) {
    return ServedSchedule{.transfers = transfers, .stopped = true};
  };
  const auto count = [&](const std::vector<double>& ends_s) {
    return 1 + (std::ranges::lower_bound(ends_s, limit_s) - ends_s.begin());
  };
  if (limit_s <= run.end_s) {  // it has been simulated until the limit
    if (limit_s > run.before_end_s) return stopped_after(run.summary.transfers);
    if (!run.ends_s.empty()) return stopped_after(count(run.ends_s));
  }
  // One object for all caches: new memory for each long schedule takes longer than its simulation.
  static thread_local ServedSchedule schedule;
  simulate(schedule, platform_, problem_, tasks, options, limit_s);
  if (limit_s > run.end_s) store(run, schedule);
  const bool reaches_limit = !schedule.ends_s.empty() && schedule.ends_s.back() >= limit_s;
  const std::int64_t transfers = reaches_limit ? count(schedule.ends_s) : 0;
  if (schedule.ends_s.capacity() > kMaxStored) schedule = {};
  return reaches_limit ? stopped_after(transfers) : run.summary;
}

}  // namespace starport::polaris
