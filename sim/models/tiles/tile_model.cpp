#include "sim/models/tiles/tile_model.hpp"

#include "sim/process/isolation.hpp"
#include "sim/process/machine.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/figure.hpp"
#include "sim/tiles/bounds.hpp"
#include "sim/tiles/event_engine.hpp"
#include "sim/tiles/platform.hpp"
#include "sim/tiles/trace.hpp"
#include "sim/tiles/validator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <span>

namespace starport::tiles {
namespace {

/// Returns the quotient; no value when it is NaN or infinite.
Value ratio(double dividend, double divisor) {
  return dividend / divisor < 1e300 ? Value(dividend / divisor) : Value();
}

/// Memory that one traced task takes with its transfers and the data of the validator.
constexpr double kBytesPerTask = 250;

/// Returns the number of tasks whose trace fits in memory.
double fitting_tasks(const RunOptions& options) {
  return options.limits.memory_bytes / kBytesPerTask;
}

double to_gib(double tiles, const Problem& problem) {
  const auto q = static_cast<double>(problem.block_size);
  return tiles * 8 * q * q / 0x1p30;
}

/// Throws NotApplicable if the noise is not modelled on this platform.
void check_noise(const Platform& platform, const Noise& noise) {
  for (const Worker& worker : platform.workers) {
    if (noise.updates.measured && !worker.update_cv) {
      throw NotApplicable("update_cv=measured needs the deviation_s of every worker's updates");
    }
    const bool slows_bus = std::ranges::any_of(noise.slow_downs, [&](const SlowDown& change) {
      return change.worker == worker.number && change.activity == starport::Activity::transfer;
    });
    if (slows_bus && worker.node != kHub && !platform.shared_lines.empty())
      throw NotApplicable("slow-downs of links are not modelled where links share a bus");
  }
}

TileTrace simulate(const TilePlan& plan, const RunOptions& options, const Simulate& on_simgrid) {
  const double time_limit_s = options.limits.time_limit_s;
  if (options.engine == EngineKind::simgrid) {
    return on_simgrid(plan.platform, plan.work, plan.strategy, plan.options, time_limit_s);
  }
  const auto events = [&] {
    return run_event_engine(plan.platform, plan.work, plan.strategy, plan.options);
  };
  if (!options.isolated && !plan.is_external) return events();
  return trace_of_child([&](const TraceCallback& take) { take(events()); }, plan.work,
                        time_limit_s);
}

void validate(const TilePlan& plan, const TileTrace& trace) {
  const std::string broken =
      find_violation(plan.platform, plan.work, trace,
                     {.noise = plan.options.noise,
                      .relay = plan.options.runtime.relay,
                      .limited_memory = plan.options.runtime.limited_memory});
  if (!broken.empty()) throw SimulationError("the trace breaks the model: " + broken);
}

std::vector<Figures> worker_figures(const TilePlan& plan, const TileTrace& trace) {
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

Figures measure(const TilePlan& plan, const TileTrace& trace, const Problem& problem) {
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
          {&kVolume, to_gib(static_cast<double>(transfers), problem)},
          {&kTransfers, transfers},
          {&kBetweenGpus, static_cast<std::int64_t>(between_gpus)},
          {&kThefts, trace.thefts()},
          {&kBusyShare, in_tasks_s / (workers * trace.end_s())}};
}

/// Calls a user's code in a child process.
std::optional<Allocation> allocate_in_child(const Allocate& allocate, const Platform& platform,
                                            const ProductSize& size,
                                            const SimulationLimits& limits) {
  std::optional<Allocation> allocation;
  const auto send = [&](FrameWriter& out) {
    const std::optional<Allocation> found = allocate(platform, size);
    if (!found) return;
    const std::byte redux{found->redux};
    out.write(std::span(&redux, 1));
    out.write(std::as_bytes(std::span(found->nodes)));
  };
  const auto receive = [&](std::span<const std::byte> frame) {
    if (!allocation) {
      allocation = Allocation{.size = size, .nodes = {}, .redux = frame[0] != std::byte{0}};
      return;
    }
    allocation->nodes.resize(frame.size() / sizeof(std::int32_t));
    std::memcpy(allocation->nodes.data(), frame.data(), frame.size());
  };
  run_in_child(send, receive, limits.time_limit_s);
  return allocation;
}

}  // namespace

Value times_any_run(const RecordContext& row) { return ratio(row[kMakespan], row[kAnyRunBound]); }
Value times_volume(const RecordContext& row) { return ratio(row[kVolume], row[kVolumeBound]); }
// Relative to the smallest volume above 0: a single worker in main memory moves nothing.
Value relative_volume(const RecordContext& row) {
  const auto moved = [](const RecordContext& other) {
    return other[kVolume] > 0 ? other[kVolume] : std::numeric_limits<double>::infinity();
  };
  const double minimum = row.minimum(moved);
  return std::isinf(minimum) ? 1 : ratio(row[kVolume], minimum);
}

const FigureList& tile_figures() {
  static const FigureList figures = merge_figures(
      common_figures(), {&kEnrolledWorkers, &kVolume, &kTransfers, &kBetweenGpus, &kThefts,
                         &kBusyShare, &kRelativeCost, &kRelativeVolume, &kAreaBound, &kAnyRunBound,
                         &kVolumeBound, &kTimesAnyRun, &kTimesVolume, &kTasks, &kTaskTime});
  return figures;
}

ProductSize size_of(const Problem& problem) {
  const auto fits = [](std::int64_t rows, std::int64_t columns) {
    return rows <= kMaxTilesPerMatrix / columns;
  };
  if (fits(problem.r, problem.t) && fits(problem.t, problem.s) && fits(problem.r, problem.s)) {
    return {static_cast<std::int32_t>(problem.r), static_cast<std::int32_t>(problem.s),
            static_cast<std::int32_t>(problem.t)};
  }
  throw InputError("--problem", fmt::format("matrices of at most {} tiles", kMaxTilesPerMatrix),
                   fmt::format("{} x {} by {} x {}", problem.r, problem.t, problem.t, problem.s));
}

TilePlan make_plan(const NamedAlgorithm& named, const Case& instance, const RunOptions& options) {
  const auto& algorithm = dynamic_cast<const TileAlgorithm&>(*named.algorithm);
  const ProductSize size = size_of(instance.problem);
  Platform platform = make_platform(instance.file, instance.problem.block_size);
  std::optional<Allocation> allocation;
  if (algorithm.is_external() && algorithm.allocate()) {
    allocation = allocate_in_child(algorithm.allocate(), platform, size, options.limits);
  } else if (algorithm.allocate()) {
    allocation = algorithm.allocate()(platform, size);
  }
  for (const Worker& worker : platform.workers) {
    if (!allocation || !allocation->redux || worker.reduction_s) continue;
    throw NotApplicable("reductions need the memory_bandwidth of every worker");
  }
  for (Link& link : platform.links) {
    if (!algorithm.runtime_options().limited_memory) link.memory_tiles.reset();
    if (link.memory_tiles.value_or(3) >= 3) continue;
    throw NotApplicable(
        fmt::format("a task needs 3 tiles, a GPU's memory holds {}", *link.memory_tiles));
  }
  check_noise(platform, options.noise);
  return {.platform = std::move(platform),
          .work = TaskGraph(size, std::move(allocation)),
          .strategy = algorithm.strategy(),
          .options = {.runtime = algorithm.runtime_options(), .noise = options.noise},
          .is_external = algorithm.is_external()};
}

const FigureList& TileModel::figures() const { return tile_figures(); }

std::optional<InputError> TileModel::find_obstacle(
    const Case& instance, const RunOptions& options,
    std::span<const NamedAlgorithm> algorithms) const {
  if (options.engine == EngineKind::simgrid && !simulate_) {
    return InputError("--engine", "analytic: this program has no SimGrid", "simgrid");
  }
  try {
    make_platform(instance.file, instance.problem.block_size);
    size_of(instance.problem);
  } catch (const InputError& error) {
    return error;
  }
  const auto tasks = static_cast<double>(instance.problem.updates());
  const double fitting = fitting_tasks(options);
  if (algorithms.empty() || tasks <= fitting) return std::nullopt;
  throw InputError("--problem",
                   fmt::format("a trace that fits in memory, some {:.3g} tasks here", fitting),
                   fmt::format("{:.3g} tasks", tasks), "use larger tiles, or a smaller product");
}

Figures TileModel::bounds(const Case& instance, const Noise& noise) const {
  if (!noise.is_none()) return {};  // factors below 1 beat them
  const Platform platform = make_platform(instance.file, instance.problem.block_size);
  const Bounds bounds = compute_bounds(platform, size_of(instance.problem));
  return {{&kAreaBound, bounds.area_s},
          {&kAnyRunBound, bounds.makespan_s},
          {&kVolumeBound, to_gib(bounds.volume_tiles, instance.problem)}};
}

Record TileModel::run(const NamedAlgorithm& algorithm, const Case& instance,
                      const RunOptions& options) const {
  return Record::of_run(algorithm.name, this, [&](Record& record) {
    const auto tasks = static_cast<double>(instance.problem.updates());
    if (tasks > fitting_tasks(options)) {
      throw MachineError(
          FailureCause::memory,
          fmt::format("the trace of its {:.3g} tasks would not fit in memory", tasks));
    }
    const Stopwatch watch;
    const TilePlan plan = make_plan(algorithm, instance, options);
    const double decision_s = watch.elapsed_s();
    const TileTrace trace = simulate(plan, options, simulate_);
    const double simulation_s = watch.elapsed_s() - decision_s;
    validate(plan, trace);
    record.figures = measure(plan, trace, instance.problem);
    record.figures.set(kDecision, decision_s);
    record.figures.set(kSimulation, simulation_s);
    if (options.worker_figures) record.workers = worker_figures(plan, trace);
    if (options.on_timeline) {
      Timeline timeline = make_tile_timeline(algorithm.name, plan.platform, plan.work, trace,
                                             plan.options.runtime.limited_memory);
      if (options.noise.is_none()) {
        timeline.bound_s = compute_bounds(plan.platform, plan.work.numbering()).makespan_s;
      }
      options.on_timeline(with_worker_names(std::move(timeline), instance.file.names));
    }
  });
}

std::string TileModel::find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                                       const RunOptions& options, EngineKind reference) const {
  const TilePlan plan = make_plan(algorithm, instance, options);
  RunOptions reference_options = options;
  reference_options.engine = reference;
  return tiles::find_difference(simulate(plan, options, simulate_),
                                simulate(plan, reference_options, simulate_));
}

}  // namespace starport::tiles
