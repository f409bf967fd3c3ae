#include "heuristics/star/polaris/adapting.hpp"

#include "heuristics/star/polaris/sharing_forecast.hpp"
#include "heuristics/star/polaris/worker_execution.hpp"
#include "sim/files/error.hpp"
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
      for (const Rectangle& c :
           std::ranges::find(workers_, stopped, &WorkerExecution::worker)->stop()) {
        unassigned_.add(c);
      }
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
      return !other || clearly_less(workers_[*other].unsent_s(), workers_[i].unsent_s());
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
    if (star.stops().size() < workers_.size())
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
      const double late_s = worker.finish_s(now_s) - forecast(rest, now_s).end_s(resolution_s());
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
    const double balanced_s = forecast(part, now_s).end_s(resolution_s());
    const std::int64_t count =
        wanted_lines(worker, part, part.size() / columns.size(), balanced_s, now_s);
    if (count == 0) return;
    columns.begin =
        static_cast<std::int32_t>(std::max<std::int64_t>(columns.begin, columns.end - count));
    unassigned_.remove(whole, part);
    worker.extend(part);
  }

  /// Returns how many columns (or rows) of `rest`, of `blocks` blocks each, the worker can compute
  /// until all end together, at `balanced_s`; 1 if it cannot but would end one before any other
  /// worker, 0 otherwise.
  std::int64_t wanted_lines(const WorkerExecution& worker, const Rectangle& rest,
                            std::int64_t blocks, double balanced_s, double now_s) const {
    const double updates = static_cast<double>(blocks * problem_.t);
    const auto begin_s = [&](const WorkerExecution& other) {
      return other.finish_s(now_s) + other.loading_s(rest);
    };
    const double spare_s = balanced_s - begin_s(worker);
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
    if (idle.empty()) return false;
    const bool all_idle = std::ranges::none_of(workers_, [](const WorkerExecution& worker) {
      return !worker.is_finished() || worker.is_computing();
    });
    // Each attempt is O(p) per idle worker: what was refused is tried again only after a while.
    const std::pair refused(idle.size(), unassigned_.size());
    if (!all_idle && refused == refused_ && now_s < next_start_s_) return false;
    std::ranges::stable_sort(idle, {}, [](const WorkerExecution* w) { return w->update_s(); });
    const Rectangle whole =
        *std::ranges::max_element(unassigned_.rectangles(), {}, &Rectangle::size);
    const SharingForecast shared = forecast(whole, now_s);
    const double balanced_s = shared.end_s(resolution_s());
    const auto start_one = [&](bool forced) {
      return std::ranges::any_of(idle, [&](WorkerExecution* worker) {
        return start_part(*worker, whole, shared, balanced_s, forced);
      });
    };
    if (start_one(false)) return true;
    refused_ = refused;
    next_start_s_ = now_s + 0.1 * kTolerated * planned_s_;
    // Nobody would gain by a part, or be the first to end it: if all have ended, the fastest takes
    // it.
    return all_idle && start_one(true);
  }

  /// Starts a part of the unassigned rectangle `whole` on the worker, some of its rows or columns.
  bool start_part(WorkerExecution& worker, const Rectangle& whole, const SharingForecast& shared,
                  double balanced_s, bool forced) {
    std::optional<RectangleTask> best;
    double best_s = kUnknown;
    for (Range Rectangle::*const along : {&Rectangle::columns, &Rectangle::rows}) {
      const std::int64_t size = (whole.*along).size();
      const std::int64_t wanted =
          wanted_lines(worker, whole, whole.size() / size, balanced_s, shared.now_s());
      const std::int64_t count =
          std::min(size, forced ? std::max<std::int64_t>(1, wanted) : wanted);
      if (count == 0) continue;
      RectangleTask task{.worker = worker.worker(), .c = whole, .mode = {}};
      (task.c.*along).begin = (task.c.*along).end - static_cast<std::int32_t>(count);
      const Worker& figures = platform_.workers[worker.worker()];
      task.mode = worker.find_mode(task.c.rows.size(), task.c.columns.size());
      if (task.mode.kind == Mode::Kind::none) continue;
      const double updates = static_cast<double>(task.c.size() * problem_.t);
      const double port_s = worker.port_time_s(task.mode);
      // Not if the others can end before the port has sent it.
      if (!forced && shared.can_end_by(shared.port_end_s() + port_s, &worker)) continue;
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

  /// Returns a forecast at `now_s` for what is unassigned, of which workers take a part of `rest`.
  SharingForecast forecast(const Rectangle& rest, double now_s) const {
    return {workers_, static_cast<double>(unassigned_.size() * problem_.t), rest, now_s};
  }

  /// The precision of forecast dates in seconds.
  double resolution_s() const { return 1e-4 * planned_s_; }

  const Platform& platform_;
  const Problem& problem_;
  ServingOptions options_;
  double planned_s_;
  PlannedOrder order_;
  bool follows_plan_ = true;              ///< nobody has given up blocks of C
  std::vector<WorkerExecution> workers_;  ///< those with a task first, in the order of the plan
  UnassignedBlocks unassigned_;
  double next_cut_s_ = 0;
  double next_start_s_ = 0;
  std::pair<std::size_t, std::int64_t> refused_;  ///< idle workers and blocks unassigned then
  double port_free_s_ = 0;                        ///< when the last transfer ended
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
