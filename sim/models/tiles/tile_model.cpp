#include "sim/models/tiles/tile_model.hpp"

#include "sim/files/plural.hpp"
#include "sim/files/units.hpp"
#include "sim/models/tiles/tile_division.hpp"
#include "sim/models/tiles/tile_figures.hpp"
#include "sim/process/clock.hpp"
#include "sim/results/common_figures.hpp"
#include "sim/tiles/bounds.hpp"
#include "sim/tiles/isolated_run.hpp"
#include "sim/tiles/platform_file.hpp"
#include "sim/tiles/tile_timeline.hpp"
#include "sim/tiles/validator.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport::tiles {
namespace {

/// Traced tasks and the transfers that they need, with what the validator makes of them.
constexpr double kBytesPerTask = 250;

/// n, of the square product.
std::int32_t tiles_of(const Problem& problem) {
  if (problem.r == problem.s && problem.r == problem.t && problem.r <= kMostTilesPerSide) {
    return static_cast<std::int32_t>(problem.r);
  }
  throw InputError("--problem",
                   fmt::format("square matrices of at most {} tiles a side", kMostTilesPerSide),
                   fmt::format("{} x {} by {} x {}", problem.r, problem.t, problem.t, problem.s));
}

double gib(double tiles, const Problem& problem) {
  const auto q = static_cast<double>(problem.block_size);
  return tiles * 8 * q * q / 0x1p30;
}

/// What an algorithm makes of a case.
struct Plan {
  Platform platform;
  Work work;
  StrategyMaker strategy;
  Options options;
};

Plan plan_of(const NamedAlgorithm& named, const Case& instance, const Noise& noise) {
  const auto& algorithm = dynamic_cast<const TileAlgorithm&>(*named.algorithm);
  const std::int32_t n = tiles_of(instance.problem);
  Platform platform = platform_of(instance.file, instance.problem.block_size);
  std::optional<Allocation> allocation;
  if (algorithm.allocate()) allocation = algorithm.allocate()(platform, n);
  for (const Worker& worker : platform.workers) {
    if (!allocation || !allocation->redux || worker.reduction_s) continue;
    throw NotApplicable("reductions need the memory_bandwidth of every worker");
  }
  for (const Link& link : platform.links) {
    if (!algorithm.rules().limited_memory || link.memory_tiles.value_or(3) >= 3) continue;
    throw NotApplicable(
        fmt::format("a task needs 3 tiles, a GPU's memory holds {}", *link.memory_tiles));
  }
  return {.platform = std::move(platform),
          .work = Work(n, std::move(allocation)),
          .strategy = algorithm.strategy(),
          .options = {.rules = algorithm.rules(), .noise = noise}};
}

Trace simulate(const Plan& plan, const RunOptions& options, const Simulate& on_simgrid) {
  const double time_limit_s = options.limits.time_limit_s;
  if (options.engine == EngineKind::simgrid) {
    return on_simgrid(plan.platform, plan.work, plan.strategy, plan.options, time_limit_s);
  }
  const auto events = [&] {
    return run_events(plan.platform, plan.work, plan.strategy, plan.options);
  };
  if (!options.isolated) return events();
  return run_isolated([&](const TakeTrace& take) { take(events()); }, plan.work, time_limit_s);
}

void validate(const Plan& plan, const Trace& trace) {
  const std::string broken =
      find_broken_rule(plan.platform, plan.work, trace,
                       {.noise = plan.options.noise,
                        .relay = plan.options.rules.relay,
                        .limited_memory = plan.options.rules.limited_memory});
  if (!broken.empty()) throw SimulationError("the trace breaks the model: " + broken);
}

std::vector<Figures> worker_figures(const Plan& plan, const Trace& trace) {
  std::vector<std::int64_t> tasks(plan.platform.workers.size());
  std::vector<double> time_s(tasks.size());
  for (const TracedTask& task : trace.tasks) {
    ++tasks[static_cast<std::size_t>(task.worker)];
    time_s[static_cast<std::size_t>(task.worker)] += task.end_s - task.start_s;
  }
  std::vector<Figures> workers(tasks.size());
  for (std::size_t w = 0; w < workers.size(); ++w) {
    const auto number = static_cast<std::size_t>(plan.platform.workers[w].number);
    workers[number] = {{&kTasks, tasks[w]}, {&kTaskTime, time_s[w]}};
  }
  return workers;
}

Figures measure(const Plan& plan, const Trace& trace, const Problem& problem) {
  const auto transfers = static_cast<std::int64_t>(trace.transfers.size());
  const auto between_gpus = std::count_if(
      trace.transfers.begin(), trace.transfers.end(), [](const TracedTransfer& traced) {
        return traced.transfer.from != kHub && traced.transfer.to != kHub;
      });
  std::int64_t enrolled = 0;
  double in_tasks_s = 0;
  for (const Figures& worker : worker_figures(plan, trace)) {
    enrolled += worker.real(kTasks) > 0 ? 1 : 0;
    in_tasks_s += worker.real(kTaskTime);
  }
  const auto workers = static_cast<double>(plan.platform.workers.size());
  return {{&kMakespan, trace.end_s()},
          {&kEnrolledWorkers, enrolled},
          {&kVolume, gib(static_cast<double>(transfers), problem)},
          {&kTransfers, transfers},
          {&kBetweenGpus, static_cast<std::int64_t>(between_gpus)},
          {&kThefts, trace.thefts()},
          {&kBusyShare, in_tasks_s / (workers * trace.end_s())}};
}

bool alike(const Platform& platform, const Worker& a, const Worker& b) {
  if ((a.node == kHub) != (b.node == kHub) || a.update_s != b.update_s) return false;
  return a.node == kHub || platform.link(a.node) == platform.link(b.node);
}

std::string described(const Platform& platform, const Worker& worker) {
  const std::string text = format_seconds(worker.update_s) + " a task";
  if (worker.node == kHub) return text + ", at main memory";
  const Link& link = platform.link(worker.node);
  return text + fmt::format(", behind a link: {} a tile in, {} out{}{}", format_seconds(link.in_s),
                            format_seconds(link.out_s),
                            link.latency_s > 0 ? " and " + format_seconds(link.latency_s) : "",
                            link.memory_tiles ? "; " + counted(*link.memory_tiles, "tile") : "");
}

}  // namespace

const FigureList& TileModel::figures() const { return tile_figures(); }

std::vector<Column> TileModel::columns(const Case&) const {
  return {{"makespan (s)", {&kMakespan}, Form::date},
          {"rel. cost", {&kRelativeCost}, Form::ratio},
          {"volume (GiB)", {&kVolume}, Form::mean, true},
          {"rel. volume", {&kRelativeVolume}, Form::ratio, true},
          {"x bound", {&kTimesAnyRun}, Form::ratio, false, true},
          {"x volume", {&kTimesVolume}, Form::ratio, true, true},
          {"thefts", {&kThefts}, Form::count},
          {"busy", {&kBusyShare}, Form::share},
          {"decision", {&kDecision}, Form::duration}};
}

std::optional<InputError> TileModel::misfit(const Case& instance, const RunOptions& options) const {
  if (options.engine == EngineKind::simgrid && !simulate_) {
    return InputError("--engine", "analytic: this program has no SimGrid", "simgrid");
  }
  try {
    platform_of(instance.file, instance.problem.block_size);
    tiles_of(instance.problem);
  } catch (const InputError& error) {
    return error;
  }
  return std::nullopt;
}

void TileModel::check(const std::vector<NamedAlgorithm>&, const Case& instance,
                      const RunOptions& options) const {
  const auto tasks = static_cast<double>(instance.problem.updates());
  const double fitting = options.limits.memory_bytes / kBytesPerTask;
  if (tasks <= fitting) return;
  throw InputError("--problem",
                   fmt::format("a trace that fits in memory, some {:.3g} tasks here", fitting),
                   fmt::format("{:.3g} tasks", tasks), "use larger tiles, or a smaller product");
}

Figures TileModel::bounds(const Case& instance, const Noise&) const {
  const Platform platform = platform_of(instance.file, instance.problem.block_size);
  const Bounds bounds = bounds_of(platform, tiles_of(instance.problem));
  return {{&kAreaBound, bounds.area_s},
          {&kAnyRunBound, bounds.any_run_s},
          {&kVolumeBound, gib(bounds.volume_tiles, instance.problem)}};
}

std::string TileModel::heading(const Case& instance, const Figures& bounds) const {
  const Problem& problem = instance.problem;
  const Platform platform = platform_of(instance.file, problem.block_size);
  std::string text = fmt::format(
      "{}: main memory and {}{}\n", platform.name, counted(std::ssize(platform.links), "GPU"),
      platform.start_up_s > 0 ? ", " + format_seconds(platform.start_up_s) + " to start" : "");
  for (std::size_t first = 0; first < platform.workers.size();) {
    const Worker& worker = platform.workers[first];
    std::size_t end = first + 1;
    while (end < platform.workers.size() && alike(platform, worker, platform.workers[end])) ++end;
    text += fmt::format("  {} x {}\n", end - first, described(platform, worker));
    first = end;
  }
  return text + fmt::format(
                    "C += A.B with {} x {} tiles of {} x {}: {}; at full speed they take {} s, "
                    "no run ends before {} s; shares by speed move at least {} GiB\n",
                    problem.r, problem.r, problem.block_size, problem.block_size,
                    counted(problem.updates(), "task"), shown(Form::date, bounds[kAreaBound]),
                    shown(Form::date, bounds[kAnyRunBound]),
                    shown(Form::mean, bounds[kVolumeBound]));
}

const Figure* TileModel::work() const { return &kTasks; }

std::string TileModel::nearness(const Record& record, const Figures& bounds) const {
  const double times = record.figures.real(kTimesAnyRun);
  if (std::isnan(times)) return "";
  return fmt::format("{:.1f}% above the lower bound for any run ({} s)", 100 * (times - 1),
                     shown(Form::date, bounds[kAnyRunBound]));
}

std::string TileModel::caveat(const Case& instance) const {
  const bool size_matters = std::ranges::any_of(instance.file.entries, [](const auto& entry) {
    return !entry.devices.empty() || !entry.speed_function.empty();
  });
  return fmt::format(
      "a link carries one tile at a time each way, whatever the port; GPUs keep what they have, "
      "without limit unless asked, and copy from each other{}{}",
      size_matters ? "; a worker computes at its full speed, whatever its devices, their buses, "
                     "paging or the size of an update"
                   : "",
      instance.file.start_up_s > 0
          ? "; " + format_seconds(instance.file.start_up_s) + " of start-up are counted"
          : "");
}

Record TileModel::run(const NamedAlgorithm& algorithm, const Case& instance,
                      const RunOptions& options) const {
  return Record::of_run(algorithm.name, this, [&](Record& record) {
    const Stopwatch watch;
    const Plan plan = plan_of(algorithm, instance, options.noise);
    const double decision_s = watch.elapsed_s();
    const Trace trace = simulate(plan, options, simulate_);
    const double simulation_s = watch.elapsed_s() - decision_s;
    validate(plan, trace);
    record.figures = measure(plan, trace, instance.problem);
    record.figures.set(kDecision, decision_s);
    record.figures.set(kSimulation, simulation_s);
    if (options.worker_figures) record.workers = worker_figures(plan, trace);
    if (options.take_timeline) {
      const double bound_s = bounds_of(plan.platform, plan.work.tiling().n).any_run_s;
      options.take_timeline(
          with_names(tile_timeline(algorithm.name, plan.platform, plan.work, trace, bound_s,
                                   plan.options.rules.limited_memory),
                     instance.file.names));
    }
  });
}

std::string TileModel::find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                                       const RunOptions& ours, EngineKind reference) const {
  const Plan plan = plan_of(algorithm, instance, ours.noise);
  RunOptions theirs = ours;
  theirs.engine = reference;
  return tiles::find_difference(simulate(plan, ours, simulate_), simulate(plan, theirs, simulate_));
}

/// The tiles of C by the first worker of their node.
Division TileModel::divide(const NamedAlgorithm& algorithm, const Case& instance) const {
  const Plan plan = plan_of(algorithm, instance, {});
  const Allocation* allocation = plan.work.allocation();
  if (allocation == nullptr) return Model::divide(algorithm, instance);
  if (allocation->is_3d()) {
    throw NotApplicable("it divides the tasks, not C: starport partition --method NRRP3D");
  }
  return division_of(plan.platform, *allocation, instance.file.names);
}

}  // namespace starport::tiles
