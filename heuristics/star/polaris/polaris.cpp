#include "heuristics/star/polaris/polaris.hpp"

#include "heuristics/star/polaris/adapting.hpp"
#include "heuristics/star/polaris/serving.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/heuristic.hpp"
#include "sim/star/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace starport::polaris {
namespace {

/// Replays the messages of the tasks in the order that the search determined.
class PolarisDispatcher final : public Dispatcher {
 public:
  PolarisDispatcher(const Platform& platform, const Problem& problem,
                    const std::vector<RectangleTask>& tasks, const ServingOptions& options,
                    std::vector<std::uint32_t> order)
      : order_(std::move(order)) {
    executions_.reserve(tasks.size());
    for (const RectangleTask& task : tasks) {
      executions_.emplace_back(platform, problem, task, options);
    }
  }

  Decision next(const MasterView&) override {
    if (step_ == order_.size()) return Done{};
    const std::uint32_t entry = order_[step_++];
    TaskExecution& execution = executions_[entry / 2];
    if (entry % 2 == 0) {
      transfer_ = execution.message_transfer();
      execution.send(0);
    } else {
      transfer_ = execution.return_transfer();
      execution.return_to_master(0);
    }
    message_ = to_message(transfer_);
    return &message_;
  }
  Transfer transfer() const override { return transfer_; }
  void measure(MetricsRun& run) override { run.execute(*this); }

 private:
  std::vector<TaskExecution> executions_;
  std::vector<std::uint32_t> order_;
  std::size_t step_ = 0;
  Transfer transfer_;
  Message message_;
};

/// Passes on the decisions of another dispatcher, kMaxReplayed at most, and records the transfers.
class Recorder final : public Dispatcher {
 public:
  explicit Recorder(Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

  Decision next(const MasterView& star) override {
    const Decision decision = dispatcher_.next(star);
    if (!std::holds_alternative<const Message*>(decision)) return decision;
    is_complete_ = transfers_.size() < kMaxReplayed;
    if (!is_complete_) return Done{};
    transfers_.push_back(dispatcher_.transfer());
    return decision;
  }
  Transfer transfer() const override { return dispatcher_.transfer(); }
  bool is_complete() const { return is_complete_; }
  std::vector<Transfer> take() { return std::move(transfers_); }

 private:
  Dispatcher& dispatcher_;
  std::vector<Transfer> transfers_;
  bool is_complete_ = true;
};

/// Returns a planner of the schedule of the rival that is fastest on some of the workers, if it is
/// below `threshold_s`; an empty one otherwise. It replays the transfers in a fixed order, which
/// determines the schedule on one port. Leaves out a schedule of more than kMaxReplayed transfers.
std::function<Plan()> planner_of_rival_on_some(const std::vector<Rival>& rivals,
                                               const Platform& platform, const Problem& problem,
                                               Objective objective, double threshold_s) {
  const auto [rival, workers] =
      find_best_rival_on_some(rivals, platform, problem, objective, threshold_s);
  if (rival == nullptr) return {};
  const Platform part = select_workers(platform, workers);
  const Plan on_part = rival->heuristic->plan(part, problem);
  std::optional<Recording> recording = record(*on_part.dispatcher, part, problem);
  if (!recording) return {};
  for (Transfer& transfer : recording->transfers)
    transfer.worker = workers[static_cast<std::size_t>(transfer.worker)];
  const std::string text = fmt::format("that of {} on {} of {} workers", rival->name,
                                       workers.size(), platform.workers.size());
  return [transfers = std::move(recording->transfers), text] {
    return Plan{.dispatcher = make_fixed_order_dispatcher(transfers),
                .details = {{"schedule", text}}};
  };
}

/// Returns a schedule of Polaris that divides C as the best plan of a rival below `threshold_s`
/// does, on all workers or, if `tries_some`, on some: each worker computes as many columns of C, in
/// bands as high as its chunks. Of several options it takes the fastest. The makespan is kUnknown
/// if no rival is below the threshold, or if its schedule has more than kMaxReplayed transfers.
SearchResult divide_as_best_rival(const std::vector<Rival>& rivals, const Platform& platform,
                                  const Problem& problem, Objective objective,
                                  const Features& features, double threshold_s, bool tries_some) {
  SearchResult best;
  const Rival* rival = find_best_rival(rivals, platform, problem, objective, threshold_s);
  std::vector<int> workers = usable_workers(platform);
  if (tries_some) {
    RivalOnSome on_some =
        find_best_rival_on_some(rivals, platform, problem, objective, threshold_s);
    if (on_some.rival != nullptr) {
      rival = on_some.rival;
      workers = std::move(on_some.workers);
    }
  }
  if (rival == nullptr) return best;
  const Platform part = select_workers(platform, workers);
  const Plan plan = rival->heuristic->plan(part, problem);
  const std::optional<Recording> recording = record(*plan.dispatcher, part, problem);
  if (!recording) return best;
  PerWorker<std::int64_t> blocks(platform.workers.size());
  for (const Transfer& transfer : recording->transfers) {
    if (transfer.direction == Direction::to_master)
      blocks[workers[static_cast<std::size_t>(transfer.worker)]] += transfer.c.size();
  }
  Candidate candidate;
  for (const int i : workers) {
    const auto columns = static_cast<std::int32_t>(blocks[i] / problem.r);
    const Part whole{.worker = i, .height = static_cast<std::int32_t>(problem.r)};
    if (columns > 0) candidate.tiling.strips.push_back({.width = columns, .parts = {whole}});
  }
  candidate.options = OptionSpace(platform, features).initial();
  ModeOptions& modes = candidate.options.modes;
  modes.prefetch = Prefetch::none;
  modes.chunks = true;
  for (const bool cut_messages : {features.cut_messages, false}) {
    modes.cut_messages = cut_messages;
    const auto tasks = make_tasks(candidate.tiling, platform, problem, modes);
    for (const std::int64_t joining : {features.staggered ? 2 : 0, 0}) {
      candidate.options.message_options.joining = joining;
      ServedSchedule served =
          serve_tasks(platform, problem, tasks, candidate.options, best.candidate.makespan_s);
      candidate.makespan_s = served.makespan_s;
      if (candidate.makespan_s < best.candidate.makespan_s)
        best = {.candidate = candidate, .tasks = tasks, .order = std::move(served.order)};
    }
  }
  return best;
}

/// Returns the budgets of an effort level, which include those of the lower levels.
std::vector<SearchBudget> search_budgets(Level level) {
  std::vector<SearchBudget> budgets{
      {.tilings = 3, .estimates = 15'000, .transfers = 75'000, .trials = 500}};
  if (level >= Level::normal) {
    budgets.push_back(
        {.tilings = 6, .estimates = 1'500'000, .transfers = 6'000'000, .trials = 10'000});
  }
  if (level >= Level::high) {
    budgets.push_back(
        {.tilings = 12, .estimates = 6'000'000, .transfers = 40'000'000, .trials = 100'000});
  }
  return budgets;
}

std::string describe_layout(const Tiling& tiling) {
  const std::size_t strips = tiling.strips.size();
  return fmt::format("{} strip{} of {}", strips, strips == 1 ? "" : "s",
                     tiling.of_rows ? "rows" : "columns");
}

std::string describe_modes(const std::vector<RectangleTask>& tasks) {
  const auto resident = std::count_if(tasks.begin(), tasks.end(), [](const RectangleTask& task) {
    return task.mode.kind == Mode::Kind::a_resident;
  });
  return fmt::format("{} resident, {} C-stationary", resident,
                     static_cast<std::ptrdiff_t>(tasks.size()) - resident);
}

}  // namespace

std::optional<Recording> record(Dispatcher& dispatcher, const Platform& platform,
                                const Problem& problem) {
  Recorder recorder(dispatcher);
  MasterView star(platform, problem);
  MetricsAccumulator meter(platform.workers.size());
  run_recurrence(recorder, star,
                 [&](const Message& message, const Dates& dates) { meter.add(message, dates); });
  if (!recorder.is_complete()) return std::nullopt;
  return Recording{recorder.take(), meter.metrics()};
}

std::function<Plan()> make_planner(const Parameters& parameters, const std::vector<Rival>& rivals,
                                   const Platform& platform, const Problem& problem) {
  Features features;
  if (parameters.without) features.*(*parameters.without) = false;
  const Objective objective = parameters.objective;
  const auto search = [&](Objective aim) {
    return polaris::search(platform, problem, search_budgets(parameters.level), parameters.seed,
                           aim, features);
  };
  SearchResult found = search(objective);
  if (objective == Objective::work) {
    SearchResult fastest = search(Objective::time);
    if (fastest.candidate.work_s() < found.candidate.work_s()) found = std::move(fastest);
  }
  const auto value_s = [&](const Candidate& candidate) {
    return objective == Objective::work ? candidate.work_s() : candidate.makespan_s;
  };
  double found_s = value_s(found.candidate);
  const bool tries_some = parameters.level != Level::low;
  std::vector<Rival> replacing = rivals;
  if (parameters.adapt) {
    SearchResult divided =
        divide_as_best_rival(rivals, platform, problem, objective, features, found_s, tries_some);
    if (value_s(divided.candidate) < found_s) found = std::move(divided);
    found_s = value_s(found.candidate);
    std::erase_if(replacing, [](const Rival& rival) { return !rival.adapts; });
  }
  const Rival* const rival = find_best_rival(replacing, platform, problem, objective, found_s);
  if (tries_some && !parameters.adapt) {
    if (auto on_some = planner_of_rival_on_some(rivals, platform, problem, objective, found_s))
      return on_some;
  }
  if (rival != nullptr) {
    return [rival = *rival, &platform, &problem] {
      Plan plan = rival.heuristic->plan(platform, problem);
      plan.details = {{"schedule", "that of " + rival.name}};
      return plan;
    };
  }
  return [found = std::move(found), adapts = parameters.adapt, &platform, &problem] {
    const Candidate& best = found.candidate;
    std::unique_ptr<Dispatcher> dispatcher;
    if (adapts) {
      dispatcher = make_adapting_dispatcher(platform, problem, found.tasks, best.options,
                                            found.order, best.makespan_s);
    } else {
      dispatcher = std::make_unique<PolarisDispatcher>(platform, problem, found.tasks, best.options,
                                                       found.order);
    }
    return Plan{.dispatcher = std::move(dispatcher),
                .details = {{"layout", describe_layout(best.tiling)},
                            {"modes", describe_modes(found.tasks)}},
                .adapts = adapts};
  };
}

Plan plan(const Parameters& parameters, const std::vector<Rival>& rivals, const Platform& platform,
          const Problem& problem) {
  return make_planner(parameters, rivals, platform, problem)();
}

}  // namespace starport::polaris
