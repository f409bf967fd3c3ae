#include "heuristics/star/polaris/adapting.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/text.hpp"
#include "sim/platform/ties.hpp"
#include "sim/star/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <utility>

namespace starport::polaris {
namespace {

/// A worker is late if it would end this much later than the plan, relative to its makespan.
constexpr double kTolerated = 0.05;

/// Slow-down of the transfers or updates of one worker: observed duration / nominal duration, as a
/// mean over about the last 16 in which recent ones count most.
class ObservedSlowdown {
 public:
  void add(double observed_s, double nominal_s) {
    constexpr double last = 16;
    if (nominal_s_ == 0) observed_s_ = nominal_s_ = (last - 1) * nominal_s;
    observed_s_ = (1 - 1 / last) * observed_s_ + observed_s;
    nominal_s_ = (1 - 1 / last) * nominal_s_ + nominal_s;
  }
  /// Returns 1 unless durations differ by more than random variation explains.
  double value() const {
    constexpr double significant = 1.2;
    if (nominal_s_ == 0) return 1;
    const double ratio = observed_s_ / nominal_s_;
    return ratio > significant || ratio * significant < 1 ? ratio : 1;
  }

 private:
  double observed_s_ = 0;
  double nominal_s_ = 0;
};

/// Disjoint rectangles of C that no worker is assigned.
class UnassignedBlocks {
 public:
  bool empty() const { return rectangles_.empty(); }
  std::int64_t size() const {
    std::int64_t blocks = 0;
    for (const Rectangle& rectangle : rectangles_) blocks += rectangle.size();
    return blocks;
  }
  const std::vector<Rectangle>& rectangles() const { return rectangles_; }

  /// Adds a rectangle; merges it with one beside it if the two form a rectangle.
  void add(const Rectangle& added) {
    if (added.empty()) return;
    for (Rectangle& other : rectangles_) {
      for (Range Rectangle::*const along : {&Rectangle::rows, &Rectangle::columns}) {
        Rectangle merged = other;
        (merged.*along).begin = std::min((other.*along).begin, (added.*along).begin);
        (merged.*along).end = std::max((other.*along).end, (added.*along).end);
        const bool same_sides =
            along == &Rectangle::rows ? other.columns == added.columns : other.rows == added.rows;
        if (!same_sides || merged.size() != other.size() + added.size()) continue;
        other = rectangles_.back();
        rectangles_.pop_back();
        return add(merged);
      }
    }
    rectangles_.push_back(added);
  }
  /// Removes `part`, which must lie in the rectangle `whole` of rectangles().
  void remove(Rectangle whole, const Rectangle& part) {
    std::erase(rectangles_, whole);
    add({{whole.rows.begin, part.rows.begin}, whole.columns});
    add({{part.rows.end, whole.rows.end}, whole.columns});
    add({part.rows, {whole.columns.begin, part.columns.begin}});
    add({part.rows, {part.columns.end, whole.columns.end}});
  }

 private:
  std::vector<Rectangle> rectangles_;
};

/// Positions in the plan's order of the transfers that have not been decided.
class PlannedOrder {
 public:
  /// Larger than all positions.
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// `order` is that of ServedSchedule; each task of it must be less than `workers`.
  PlannedOrder(const std::vector<std::uint32_t>& order, std::size_t workers) : left_(workers) {
    for (std::uint32_t position = 0; position < order.size(); ++position)
      left_[order[position] / 2][order[position] % 2].push_back(position);
  }

  std::size_t tasks() const { return left_.size(); }
  /// Position of the next message of a task, or of its next return of blocks of C; kNone if the
  /// plan has no more.
  std::uint32_t position(std::size_t task, bool returns) const {
    const std::deque<std::uint32_t>& left = left_[task][returns ? 1 : 0];
    return left.empty() ? kNone : left.front();
  }
  /// Records that the next message of a task, or its next return, has been decided.
  void advance(std::size_t task, bool returns) {
    std::deque<std::uint32_t>& left = left_[task][returns ? 1 : 0];
    if (!left.empty()) left.pop_front();
  }

 private:
  std::vector<std::array<std::deque<std::uint32_t>, 2>> left_;  ///< by task: messages, returns
};

/// State of one worker during a run: what it has been sent, holds and computes, and what is left.
/// Dates are in seconds since the start of the run.
class WorkerExecution {
 public:
  WorkerExecution(int worker, const Platform& platform, const Problem& problem,
                  const ServingOptions& options)
      : worker_(worker),
        figures_(&platform.workers[worker]),
        problem_(&problem),
        options_(&options),
        update_s_(figures_->w_s) {
    // An idle worker's share, to estimate what its updates cost the port.
    const std::int64_t columns = ceil_div(problem.s, std::ssize(platform.workers));
    const Mode mode = find_cheapest_mode(*figures_, problem, problem.r, columns, options.modes);
    is_usable_ = mode.kind != Mode::Kind::none;
    port_s_ = port_time_s(mode) / static_cast<double>(problem.r * columns * problem.t);
  }

  int worker() const { return worker_; }
  /// False if the worker has too little memory or has stopped.
  bool is_usable() const { return is_usable_; }
  bool has_messages() const { return next_.has_value(); }
  bool is_computing() const { return !computing_.empty(); }
  bool is_finished() const { return !next_ && finished_.empty(); }

  /// Starts a task; no messages of an earlier one may be left.
  void start(const RectangleTask& task) {
    sequence_.emplace(worker_, *figures_, *problem_, task.c, task.mode, options_->message_options);
    const auto updates = static_cast<double>(task.c.size() * problem_->t);
    update_s_ = typical_update_s(*figures_, task.mode);
    port_s_ = port_time_s(task.mode) / updates;
    if (task.mode.kind == Mode::Kind::a_resident) {  // what one column more costs
      const auto h = static_cast<double>(task.mode.height);
      port_s_ = figures_->c_s * (1 / h + 2 / static_cast<double>(problem_->t));
    }
    port_left_s_ += port_time_s(task.mode);
    unsent_s_ = updates * update_s_;
    prepare();
  }
  /// Time on the port of all messages of a task.
  double port_time_s(const Mode& mode) const {
    return mode.blocks * figures_->c_s + static_cast<double>(mode.messages) * figures_->latency_s;
  }
  /// Adds the blocks of C that have not been returned to `unassigned`: the worker has stopped.
  void stop(UnassignedBlocks& unassigned) {
    for (const Finished& finished : finished_) unassigned.add(finished.c);
    if (sequence_) {
      for (const Rectangle& rest : sequence_->unfinished()) unassigned.add(rest);
    }
    *this = WorkerExecution(*this, Stopped{});
  }

  bool can_send(const MasterView& star) const {
    return next_ && fits_ && has_ended(star, awaited_update_);
  }
  bool can_return(const MasterView& star) const {
    return !finished_.empty() && has_ended(star, finished_.front().update);
  }
  /// True if the worker will not soon run out of computations.
  bool has_time(double now_s) const {
    return clearly_less(now_s + options_->patience * transfer_s(false), busy_until_s(now_s));
  }
  /// Forecast of the date from which the next message can be sent; kUnknown if there is none, or if
  /// it does not fit before blocks of C return.
  double send_s(double now_s) const {
    return next_ && fits_ ? update_end_s(awaited_update_, now_s) : kUnknown;
  }
  /// Forecast of the date from which finished blocks of C can return; kUnknown if there are none.
  double return_s(double now_s) const {
    return finished_.empty() ? kUnknown : update_end_s(finished_.front().update, now_s);
  }
  /// Forecast of the duration of the transfer of the next message, or of the next blocks of C to
  /// return; there must be such.
  double transfer_s(bool returns) const {
    const std::int64_t blocks = returns ? return_transfer().c.size() : next_->blocks();
    return transfer_slowdown_.value() * figures_->transfer_time_s(blocks);
  }
  /// Forecast of the end of the updates whose messages have been sent.
  double busy_until_s(double now_s) const { return busy_until_s_ + late_s(now_s); }
  /// True if its transfers or updates differ from their nominal durations by more than random
  /// variation explains.
  bool has_changed_speed() const {
    return transfer_slowdown_.value() != 1 || update_slowdown_.value() != 1;
  }
  Transfer message_transfer() const {
    Transfer transfer = sequence_->to_transfer(*next_);
    transfer.after_update = awaited_update_;
    return transfer;
  }
  Transfer return_transfer() const {
    const Finished& oldest = finished_.front();
    Rectangle c = oldest.c;
    Range& columns = oldest.transposed ? c.rows : c.columns;
    columns.end = static_cast<std::int32_t>(
        std::min<std::int64_t>(columns.end, columns.begin + options_->return_columns));
    return {.worker = worker_,
            .direction = Direction::to_master,
            .c = c,
            .after_update = oldest.update};
  }

  /// Records that the transfer of the next message, or of the next blocks of C to return, has
  /// ended.
  void end_transfer(const Message& message, double start_s, double end_s) {
    const double nominal_s = figures_->transfer_time_s(message.blocks);
    transfer_slowdown_.add(end_s - start_s, nominal_s);
    port_left_s_ = std::max(0.0, port_left_s_ - nominal_s);
    if (message.direction == Direction::to_master) {
      end_return(message.blocks);
    } else {
      end_send(message, end_s);
    }
    prepare();
  }
  /// Records the updates that have ended.
  void observe(const MasterView& star) {
    while (!computing_.empty() && has_ended(star, computing_.front().number)) {
      const Computing update = computing_.front();
      computing_.pop_front();
      double end_s = star.ready_after_update_s(worker_, update.number);
      const bool forgotten = end_s <= 0;  // ended during the last transfer
      if (forgotten) end_s = std::min(update.end_s, star.now_s());
      const double start_s = std::max(update.arrived_s, update_end_s_);
      // The end of the update before may be an estimate that is too late.
      if (!forgotten && start_s < end_s) update_slowdown_.add(end_s - start_s, update.nominal_s);
      update_end_s_ = end_s;
      if (!nearly_equal(end_s, update.end_s)) forecast();
    }
  }

  /// Computation whose messages have not been sent, in seconds at the observed speed.
  double unsent_s() const { return unsent_s_ * update_slowdown_.value(); }
  /// Forecast of the time on the port of the transfers that have not taken place.
  double unsent_port_s() const { return port_left_s_ * transfer_slowdown_.value(); }
  /// Forecast of the time per block update beyond those assigned, on the worker or on its link.
  double update_s() const { return std::max(update_s_ * update_slowdown_.value(), port_s()); }
  /// Forecast of the time to load the A (or B) for a part of `c`; 0 if the worker holds it.
  double loading_s(const Rectangle& c) const {
    if (!extension_in(c).empty()) return 0;
    const auto blocks =
        static_cast<double>(std::min(c.rows.size(), c.columns.size()) * problem_->t);
    return blocks * figures_->c_s * transfer_slowdown_.value();
  }
  /// Forecast of the time on the port per block update beyond those assigned.
  double port_s() const { return port_s_ * transfer_slowdown_.value(); }
  /// Forecast of the end of all updates of the task.
  double finish_s(double now_s) const {
    return std::max({now_s, busy_until_s(now_s) + unsent_s(), now_s + unsent_port_s()});
  }

  std::int64_t removable_blocks() const { return sequence_ ? sequence_->removable_blocks() : 0; }
  /// Returns the rectangle of blocks of C that cut() removes first; empty if there is none.
  Rectangle removable() const { return sequence_ ? sequence_->removable() : Rectangle{}; }
  /// Removes at most `blocks` blocks of C that have not been begun and returns them.
  std::vector<Rectangle> cut(std::int64_t blocks) {
    std::vector<Rectangle> removed;
    if (sequence_) removed = sequence_->cut(blocks);
    for (const Rectangle& c : removed) add_unsent(-c.size());
    if (!removed.empty()) prepare();
    return removed;
  }
  /// True if A (or B) stays in memory and is about to be released, unless extend() is called.
  bool is_about_to_release() const { return next_ && sequence_->can_extend(true); }
  /// Returns the part of `c` that extend() can add, now or later: the rows (columns) whose A (B) is
  /// in memory. Empty if there is none.
  Rectangle extension_in(Rectangle c) const {
    if (!next_ || !sequence_->can_extend()) return {};
    Range& rows = is_transposed() ? c.columns : c.rows;
    const Range& band = sequence_->band();
    if (rows.begin > band.begin || rows.end < band.end) return {};
    rows = band;
    return c;
  }
  bool is_transposed() const { return sequence_->is_transposed(); }
  void extend(const Rectangle& c) {
    sequence_->extend(is_transposed() ? c.rows : c.columns);
    add_unsent(c.size());
    prepare();
  }

 private:
  struct Stopped {};
  /// An update whose end has not been observed.
  struct Computing {
    std::int64_t number;
    double arrived_s;  ///< when its blocks arrived
    double nominal_s;  ///< its duration by the platform file
    double end_s;      ///< forecast
  };
  /// The memory that an update releases when it ends.
  struct Release {
    std::int64_t update;
    std::int64_t blocks;
  };
  /// Blocks of C that an update completes.
  struct Finished {
    std::int64_t update;
    Rectangle c;
    bool transposed;
  };

  /// Makes the state of a worker that has stopped: it has no task and is not usable.
  WorkerExecution(const WorkerExecution& other, Stopped)
      : worker_(other.worker_),
        figures_(other.figures_),
        problem_(other.problem_),
        options_(other.options_),
        is_usable_(false),
        update_s_(other.update_s_) {}

  bool has_ended(const MasterView& star, std::int64_t update) const {
    return !clearly_less(star.now_s(), star.ready_after_update_s(worker_, update));
  }
  /// Returns how much later than forecast, at least, the update ends that the worker computes.
  double late_s(double now_s) const {
    return computing_.empty() ? 0 : std::max(0.0, now_s - computing_.front().end_s);
  }
  /// Forecast of the end of an update whose message has been sent; `now_s` if it has ended.
  double update_end_s(std::int64_t update, double now_s) const {
    if (computing_.empty() || update < computing_.front().number) return now_s;
    const auto index = static_cast<std::size_t>(update - computing_.front().number);
    return computing_[index].end_s + late_s(now_s);
  }
  void forecast() {
    busy_until_s_ = update_end_s_;
    for (Computing& update : computing_) {
      busy_until_s_ =
          std::max(busy_until_s_, update.arrived_s) + update.nominal_s * update_slowdown_.value();
      update.end_s = busy_until_s_;
    }
  }
  void add_unsent(std::int64_t blocks) {
    const auto updates = static_cast<double>(blocks * problem_->t);
    unsent_s_ += updates * update_s_;
    port_left_s_ += updates * port_s_;
  }

  void end_send(const Message& message, double end_s) {
    const PlannedMessage sent = sequence_->next();
    const double nominal_s = update_cost(message, *problem_, *figures_) * figures_->w_s;
    busy_until_s_ = std::max(busy_until_s_, end_s) + nominal_s * update_slowdown_.value();
    computing_.push_back({++updates_, end_s, nominal_s, busy_until_s_});
    unsent_s_ -= static_cast<double>(sent.block_updates()) * update_s_;
    held_ += sent.occupied_blocks();
    awaited_update_ = 0;
    releases_.push_back({updates_, sent.released_blocks()});
    if (!sent.finished.empty()) {
      finished_.push_back(
          {updates_, sequence_->c_rectangle(sent.band, sent.finished), is_transposed()});
    }
  }
  void end_return(std::int64_t blocks) {
    Finished& oldest = finished_.front();
    const Rectangle returned = return_transfer().c;
    (oldest.transposed ? oldest.c.rows.begin : oldest.c.columns.begin) =
        oldest.transposed ? returned.rows.end : returned.columns.end;
    if (oldest.c.empty()) finished_.pop_front();
    held_ -= blocks;
  }
  /// Finds the next message, and the last update that must end before it fits into memory.
  void prepare() {
    next_.reset();
    if (!sequence_ || sequence_->is_finished()) return;
    next_ = MessageSequence(*sequence_).next();
    fits_ = true;
    while (held_ + next_->occupied_blocks() > figures_->m_blocks) {
      if (releases_.empty()) {
        fits_ = false;
        return;
      }
      held_ -= releases_.front().blocks;
      awaited_update_ = releases_.front().update;
      releases_.pop_front();
    }
  }

  int worker_;
  const Worker* figures_;
  const Problem* problem_;
  const ServingOptions* options_;
  bool is_usable_ = false;
  double update_s_;         ///< typical time per block update
  double port_s_ = 0;       ///< time on the port per block update beyond those assigned
  double port_left_s_ = 0;  ///< time on the port of the transfers left
  std::optional<MessageSequence> sequence_;
  std::optional<PlannedMessage> next_;
  bool fits_ = false;  ///< the next message fits once awaited_update_ has ended
  std::int64_t awaited_update_ = 0;
  double unsent_s_ = 0;
  std::int64_t held_ = 0;
  std::int64_t updates_ = 0;
  double update_end_s_ = 0;  ///< end of the last update that has been observed
  double busy_until_s_ = 0;  ///< forecast of the end of the updates that have been sent
  std::deque<Computing> computing_;
  std::deque<Release> releases_;
  std::deque<Finished> finished_;
  ObservedSlowdown transfer_slowdown_;
  ObservedSlowdown update_slowdown_;
};

/// Serves the workers on the dates of the run, and shares out anew what late or stopped workers
/// have not begun.
class AdaptingDispatcher final : public Dispatcher {
 public:
  AdaptingDispatcher(const Platform& platform, const Problem& problem,
                     const std::vector<RectangleTask>& tasks, const ServingOptions& options,
                     const std::vector<std::uint32_t>& order, double makespan_s)
      : platform_(platform),
        problem_(problem),
        options_(options),
        planned_s_(makespan_s),
        order_(order, tasks.size()) {
    PerWorker<bool> has_task(platform.workers.size());
    for (const RectangleTask& task : tasks) {
      workers_.emplace_back(task.worker, platform, problem, options_).start(task);
      has_task[task.worker] = true;
    }
    for (int i = 0; i < std::ssize(platform.workers); ++i) {
      if (!has_task[i]) workers_.emplace_back(i, platform, problem, options_);
    }
  }

  Decision next(const MasterView& star) override {
    if (decided_) port_free_s_ = star.now_s();
    observe(star);
    const double now_s = star.now_s();
    share_out(now_s);
    auto served = select(star);
    if (!served && start_idle_worker(now_s)) served = select(star);
    if (!served) return wait_or_end(star);
    const WorkerExecution& worker = workers_[served->index];
    transfer_ = served->returns ? worker.return_transfer() : worker.message_transfer();
    message_ = to_message(transfer_);
    decided_ = {.index = served->index, .start_s = now_s};
    if (follows_plan_) order_.advance(served->index, served->returns);
    return &message_;
  }
  Transfer transfer() const override { return transfer_; }
  void measure(MetricsRun& run) override { run.execute(*this); }

 private:
  /// The worker to serve, and whether it returns blocks of C.
  struct Served {
    std::size_t index;
    bool returns;
  };
  /// The last decision.
  struct Decided {
    std::size_t index;
    double start_s;
  };

  void observe(const MasterView& star) {
    if (decided_) {
      WorkerExecution& worker = workers_[decided_->index];
      if (!star.has_lost_last_transfer(worker.worker())) {
        worker.end_transfer(message_, decided_->start_s, star.last_transfer_end_s(worker.worker()));
      }
      decided_.reset();
    }
    for (WorkerExecution& worker : workers_) worker.observe(star);
    for (; stops_seen_ < star.stops().size(); ++stops_seen_) {
      const int stopped = star.stops()[stops_seen_].worker;
      std::ranges::find(workers_, stopped, &WorkerExecution::worker)->stop(unassigned_);
    }
  }

  /// Selects a transfer that can start now; nullopt if there is none, or it is worth waiting.
  std::optional<Served> select(const MasterView& star) const {
    const bool follows_plan =
        follows_plan_ && std::ranges::none_of(workers_, &WorkerExecution::has_changed_speed);
    return follows_plan ? select_planned(star) : select_urgent(star);
  }

  /// Selects, among what can start now, the transfer that is earliest in the plan, or none if it is
  /// better to wait for an earlier one, until an update ends.
  std::optional<Served> select_planned(const MasterView& star) const {
    std::optional<Served> possible;
    std::uint32_t possible_position = PlannedOrder::kNone;
    Served next{};
    std::uint32_t next_position = PlannedOrder::kNone;
    for (std::size_t i = 0; i < order_.tasks(); ++i) {
      for (const bool returns : {false, true}) {
        const std::uint32_t position = order_.position(i, returns);
        if (position < next_position) {
          next = {i, returns};
          next_position = position;
        }
        if (position >= possible_position) continue;
        if (!(returns ? workers_[i].can_return(star) : workers_[i].can_send(star))) continue;
        possible = Served{i, returns};
        possible_position = position;
      }
    }
    if (!possible || possible_position == next_position) return possible;
    const WorkerExecution& worker = workers_[next.index];
    const double now_s = star.now_s();
    const double next_s = next.returns ? worker.return_s(now_s) : worker.send_s(now_s);
    if (next_s == kUnknown) return possible;
    const double service_s = worker.transfer_s(next.returns);
    const double after_other_s =
        now_s + workers_[possible->index].transfer_s(possible->returns) + service_s;
    const double idle_s = after_other_s - std::max(worker.busy_until_s(now_s), next_s + service_s);
    // Wait if the port loses less than twice what the other transfer would cost this worker.
    const bool waits = idle_s > 0.5 * (next_s - port_free_s_);
    return waits ? std::nullopt : possible;
  }

  /// Selects by the rule of serve_tasks() (one port) among what can start now.
  std::optional<Served> select_urgent(const MasterView& star) const {
    std::optional<std::size_t> first;
    std::optional<std::size_t> returner;
    const auto has_more_unsent = [&](std::size_t i, const std::optional<std::size_t>& other) {
      return !other || workers_[i].unsent_s() > workers_[*other].unsent_s();
    };
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      const bool can_return = workers_[i].can_return(star);
      if (!can_return && !workers_[i].can_send(star)) continue;
      if (has_more_unsent(i, first)) first = i;
      if (can_return && has_more_unsent(i, returner)) returner = i;
    }
    if (!first) return std::nullopt;
    if (!workers_[*first].can_send(star)) return Served{*first, true};
    if (returner && workers_[*first].has_time(star.now_s())) return Served{*returner, true};
    return Served{*first, false};
  }

  Decision wait_or_end(const MasterView& star) const {
    const bool finished = std::ranges::all_of(workers_, &WorkerExecution::is_finished);
    if (!finished) return Wait{.until_s = star.next_update_end_s()};
    if (unassigned_.empty()) return Done{};
    if (std::ranges::any_of(workers_, &WorkerExecution::is_computing))
      return Wait{.until_s = star.next_update_end_s()};
    const std::string left = format_count(unassigned_.size(), "block") + " of C left";
    if (star.stops().empty() || std::ranges::any_of(workers_, &WorkerExecution::is_usable))
      throw SimulationError("no worker that is left has the memory for the " + left);
    throw SimulationError(
        fmt::format("the last worker stopped at {:g} s with {}", star.stops().back().at_s, left));
  }

  /// Takes blocks of C that have not been begun from workers that would end late, and gives such
  /// blocks to workers that run out of work and hold what they need of A (or B).
  void share_out(double now_s) {
    const bool late = std::ranges::any_of(workers_, [&](const WorkerExecution& worker) {
      return worker.finish_s(now_s) > (1 + kTolerated) * planned_s_;
    });
    if (late && now_s >= next_cut_s_) {
      next_cut_s_ = now_s + 0.1 * kTolerated * planned_s_;
      cut_late_workers(now_s);
    }
    if (unassigned_.empty()) return;
    follows_plan_ = false;
    for (WorkerExecution& worker : workers_) {
      if (worker.is_about_to_release()) extend(worker, now_s);
    }
  }

  void cut_late_workers(double now_s) {
    for (WorkerExecution& worker : workers_) {
      const Rectangle rest = worker.removable();
      if (rest.empty() || worker.finish_s(now_s) <= (1 + kTolerated) * planned_s_) continue;
      const double late_s = worker.finish_s(now_s) - balanced_end_s(rest, now_s);
      // Small parts cost more than estimated: what is gained must be worth it.
      if (late_s <= kTolerated * std::max(planned_s_, 2 * (worker.finish_s(now_s) - now_s)))
        continue;
      const double blocks = late_s / worker.update_s() / static_cast<double>(problem_.t);
      for (const Rectangle& c : worker.cut(static_cast<std::int64_t>(blocks))) unassigned_.add(c);
    }
  }

  void extend(WorkerExecution& worker, double now_s) {
    Rectangle whole;
    Rectangle part;
    for (const Rectangle& rectangle : unassigned_.rectangles()) {
      const Rectangle common = worker.extension_in(rectangle);
      if (common.size() <= part.size()) continue;
      whole = rectangle;
      part = common;
    }
    if (part.empty()) return;
    Range& columns = worker.is_transposed() ? part.rows : part.columns;
    const std::int64_t count = wanted_lines(worker, part, part.size() / columns.size(), now_s);
    if (count == 0) return;
    columns.begin =
        static_cast<std::int32_t>(std::max<std::int64_t>(columns.begin, columns.end - count));
    unassigned_.remove(whole, part);
    worker.extend(part);
  }

  /// Returns how many columns (or rows) of `rest`, of `blocks` blocks each, the worker can compute
  /// until all end together; 1 if it cannot but would end one before any other worker, 0 otherwise.
  std::int64_t wanted_lines(const WorkerExecution& worker, const Rectangle& rest,
                            std::int64_t blocks, double now_s) const {
    const double updates = static_cast<double>(blocks * problem_.t);
    const auto begin_s = [&](const WorkerExecution& other) {
      return other.finish_s(now_s) + other.loading_s(rest);
    };
    const double spare_s = balanced_end_s(rest, now_s) - begin_s(worker);
    // Clamped, since workers that are extremely slow give numbers beyond 64 bits.
    const auto lines = static_cast<std::int64_t>(
        std::clamp(std::round(spare_s / (updates * worker.update_s())), 0.0, 0x1p31));
    if (lines > 0) return lines;
    const auto end_s = [&](const WorkerExecution& other) {
      return begin_s(other) + updates * other.update_s();
    };
    const bool is_first = std::ranges::none_of(workers_, [&](const WorkerExecution& other) {
      return other.is_usable() && clearly_less(end_s(other), end_s(worker));
    });
    return is_first ? 1 : 0;
  }

  /// Starts a task on a worker without messages, the fastest one that can do its part in time.
  /// Called only when the port has nothing else to do, since the task brings its own A and B.
  bool start_idle_worker(double now_s) {
    if (unassigned_.empty()) return false;
    std::vector<WorkerExecution*> idle;
    for (WorkerExecution& worker : workers_) {
      if (worker.is_usable() && !worker.has_messages()) idle.push_back(&worker);
    }
    std::ranges::stable_sort(idle, {}, [](const WorkerExecution* w) { return w->update_s(); });
    for (WorkerExecution* worker : idle) {
      if (start_part(*worker, now_s, false)) return true;
    }
    // Nobody would gain by a part, or be the first to end it: if all have ended, the fastest takes
    // it.
    const bool all_idle = std::ranges::none_of(workers_, [](const WorkerExecution& worker) {
      return !worker.is_finished() || worker.is_computing();
    });
    if (!all_idle) return false;
    return std::ranges::any_of(
        idle, [&](WorkerExecution* worker) { return start_part(*worker, now_s, true); });
  }

  /// Starts a part of the largest unassigned rectangle on the worker, some of its rows or columns.
  bool start_part(WorkerExecution& worker, double now_s, bool forced) {
    const Rectangle whole =
        *std::ranges::max_element(unassigned_.rectangles(), {}, &Rectangle::size);
    std::optional<RectangleTask> best;
    double best_s = kUnknown;
    for (Range Rectangle::*const along : {&Rectangle::columns, &Rectangle::rows}) {
      const std::int64_t size = (whole.*along).size();
      const std::int64_t wanted = wanted_lines(worker, whole, whole.size() / size, now_s);
      const std::int64_t count =
          std::min(size, forced ? std::max<std::int64_t>(1, wanted) : wanted);
      if (count == 0) continue;
      RectangleTask task{.worker = worker.worker(), .c = whole, .mode = {}};
      (task.c.*along).begin = (task.c.*along).end - static_cast<std::int32_t>(count);
      const Worker& figures = platform_.workers[worker.worker()];
      task.mode = find_cheapest_mode(figures, problem_, task.c.rows.size(), task.c.columns.size(),
                                     options_.modes);
      if (task.mode.kind == Mode::Kind::none) continue;
      const double updates = static_cast<double>(task.c.size() * problem_.t);
      const double port_s = worker.port_time_s(task.mode);
      if (!forced && now_s + assigned_port_s() + port_s > balanced_end_s(whole, now_s, &worker))
        continue;
      const double s = std::max(port_s / updates, typical_update_s(figures, task.mode));
      if (s >= best_s) continue;
      best_s = s;
      best = task;
    }
    if (!best) return false;
    unassigned_.remove(whole, best->c);
    worker.start(*best);
    return true;
  }

  /// Forecast of the time on the port of all transfers of what is assigned.
  double assigned_port_s() const {
    double port_s = 0;
    for (const WorkerExecution& worker : workers_) port_s += worker.unsent_port_s();
    return port_s;
  }

  /// Forecast of the date at which all would end, the port included, if workers other than
  /// `without` shared out, at any granularity, what is unassigned and what late workers have not
  /// begun, those that cost the port least first. `rest` is the rectangle of which they take a
  /// part: they may have to load A (or B) for it. kUnknown if there is no worker.
  double balanced_end_s(const Rectangle& rest, double now_s,
                        const WorkerExecution* without = nullptr) const {
    struct Share {
      double finish_s;
      double loading_s;
      double update_s;
      double port_s;
      double removable;  // block updates
    };
    std::vector<Share> shares;
    const auto t = static_cast<double>(problem_.t);
    const double left = static_cast<double>(unassigned_.size()) * t;
    double low_s = now_s;
    double alone_s = kUnknown;  // for one worker to do all that is left
    for (const WorkerExecution& worker : workers_) {
      if (!worker.is_usable()) continue;
      low_s = std::max(low_s,
                       worker.finish_s(now_s) -
                           t * static_cast<double>(worker.removable_blocks()) * worker.update_s());
      if (&worker == without) continue;
      shares.push_back({worker.finish_s(now_s), worker.loading_s(rest), worker.update_s(),
                        worker.port_s(), t * static_cast<double>(worker.removable_blocks())});
      alone_s =
          std::min(alone_s, worker.loading_s(rest) + left * (worker.update_s() + worker.port_s()));
    }
    if (shares.empty()) return kUnknown;
    std::ranges::stable_sort(shares, {}, &Share::port_s);
    const auto is_possible = [&](double end_s) {
      double needed = left;
      double port_s = assigned_port_s();
      for (const Share& share : shares) {
        const double late = (share.finish_s - end_s) / share.update_s;
        if (late <= 0) continue;
        const double removed = std::min(late, share.removable);
        needed += removed;
        port_s -= removed * share.port_s;
      }
      for (const Share& share : shares) {
        const double spare_s = end_s - share.finish_s - share.loading_s;
        if (needed <= 0 || spare_s <= 0) continue;
        const double taken = std::min(needed, spare_s / share.update_s);
        needed -= taken;
        port_s += share.loading_s + taken * share.port_s;
      }
      return needed <= 0 && now_s + port_s <= end_s;
    };
    double high_s = now_s + assigned_port_s();
    for (const Share& share : shares) high_s = std::max(high_s, share.finish_s);
    high_s += alone_s;
    // The relative term lets it end at dates of which doubles do not resolve the absolute one.
    while (high_s - low_s > std::max(1e-4 * planned_s_, 1e-9 * high_s)) {
      const double middle_s = (low_s + high_s) / 2;
      (is_possible(middle_s) ? high_s : low_s) = middle_s;
    }
    return high_s;
  }

  const Platform& platform_;
  const Problem& problem_;
  ServingOptions options_;
  double planned_s_;
  PlannedOrder order_;
  bool follows_plan_ = true;              ///< nobody has given up blocks of C
  std::vector<WorkerExecution> workers_;  ///< those with a task first, in the order of the plan
  UnassignedBlocks unassigned_;
  double next_cut_s_ = 0;
  double port_free_s_ = 0;  ///< when the last transfer ended
  std::optional<Decided> decided_;
  Transfer transfer_;
  Message message_;
  std::size_t stops_seen_ = 0;
};

}  // namespace

std::unique_ptr<Dispatcher> make_adapting_dispatcher(
    const Platform& platform, const Problem& problem, const std::vector<RectangleTask>& tasks,
    const ServingOptions& options, const std::vector<std::uint32_t>& order, double makespan_s) {
  return std::make_unique<AdaptingDispatcher>(platform, problem, tasks, options, order, makespan_s);
}

}  // namespace starport::polaris
