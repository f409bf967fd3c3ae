#include "sim/models/tiles/tile_model.hpp"

#include "sim/files/text.hpp"
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
#include <variant>

namespace starport::tiles {
namespace {

/// Returns the quotient; no value when it is NaN or infinite.
Value ratio(double dividend, double divisor) {
  return dividend / divisor < 1e300 ? Value(dividend / divisor) : Value();
}

/// Memory that a run takes for each copy of a tile at a memory node, for each tile of C and, if its
/// trace is kept, for each task.
constexpr double kBytesPerCopy = 20;
constexpr double kBytesPerCell = 400;
constexpr double kBytesPerTask = 250;

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

double to_gib(double tiles, const Case& instance) {
  const auto q = static_cast<double>(instance.problem.block_size);
  return tiles * static_cast<double>(bytes_of(element_type_of(instance.file))) * q * q / 0x1p30;
}

/// Throws NotApplicable if a GPU's memory does not hold the tiles of a task.
void check_memory(const Platform& platform, const Case& instance) {
  constexpr int needed = 3;
  const auto describe = [&](std::int64_t tiles) {
    return fmt::format("{} ({:.1f} MiB)", format_count(tiles, "tile"),
                       1024 * to_gib(static_cast<double>(tiles), instance));
  };
  for (const Worker& worker : platform.workers) {
    if (worker.node == kHub) continue;
    const std::int64_t tiles = platform.link(worker.node).memory_tiles.value_or(needed);
    if (tiles >= needed) continue;
    throw NotApplicable(fmt::format("the memory of {} holds {}, a task needs {}",
                                    instance.file.names[static_cast<std::size_t>(worker.number)],
                                    describe(tiles), describe(needed)));
  }
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

/// Simulates a run and passes its trace to `sink`.
void simulate(const TilePlan& plan, const RunOptions& options, const Simulate& on_simgrid,
              const TraceSink& sink) {
  const double time_limit_s = options.limits.time_limit_s;
  if (options.engine == EngineKind::simgrid) {
    return send_records(
        on_simgrid(plan.platform, plan.work, plan.strategy, plan.options, time_limit_s), sink);
  }
  const auto events = [&](const TraceSink& consumer) {
    run_event_engine(plan.platform, plan.work, plan.strategy, plan.options, consumer);
  };
  if (!options.isolated && !plan.is_external) return events(sink);
  simulate_in_child([&](const TraceSink& consumer, const auto&) { events(consumer); }, plan.work,
                    time_limit_s, sink);
}

TileTrace simulate(const TilePlan& plan, const RunOptions& options, const Simulate& on_simgrid) {
  TileTrace trace;
  simulate(plan, options, on_simgrid, [&](const TraceRecord& record) { trace.add(record); });
  return trace;
}

/// Validates and measures a run while it goes on.
class RunInspection {
 public:
  explicit RunInspection(const TilePlan& plan)
      : plan_(plan),
        validator_(plan.platform, plan.work,
                   {.noise = plan.options.noise,
                    .relay = plan.options.runtime.relay,
                    .cuda_order = plan.options.runtime.cuda_order,
                    .fetches_for_one_task = plan.options.runtime.fetches_for_one_task,
                    .limited_memory = plan.options.runtime.limited_memory}),
        tasks_(plan.platform.workers.size()),
        time_s_(tasks_.size()) {}

  void add(const TraceRecord& record) {
    throw_if(validator_.add(record));
    if (const auto* task = std::get_if<TracedTask>(&record)) {
      ++tasks_[static_cast<std::size_t>(task->worker)];
      time_s_[static_cast<std::size_t>(task->worker)] += task->end_s - task->start_s;
      thefts_ += task->stolen ? 1 : 0;
      end_s_ = std::max(end_s_, task->end_s);
    } else if (const auto* traced = std::get_if<TracedTransfer>(&record)) {
      ++transfers_;
      between_gpus_ += traced->transfer.from != kHub && traced->transfer.to != kHub ? 1 : 0;
      end_s_ = std::max(end_s_, traced->end_s);
    }
  }
  void finish() { throw_if(validator_.finish()); }

  std::vector<Figures> worker_figures() const {
    std::vector<Figures> workers(tasks_.size());
    for (std::size_t w = 0; w < workers.size(); ++w) {
      const auto number = static_cast<std::size_t>(plan_.platform.workers[w].number);
      workers[number] = {{&kTasks, tasks_[w]}, {&kTaskTime, time_s_[w]}};
    }
    return workers;
  }

  Figures figures(const Case& instance) const {
    std::int64_t enrolled = 0;
    double in_tasks_s = 0;
    for (const Figures& worker : worker_figures()) {
      enrolled += worker.real(kTasks) > 0 ? 1 : 0;
      in_tasks_s += worker.real(kTaskTime);
    }
    const auto workers = static_cast<double>(tasks_.size());
    return {{&kMakespan, end_s_},
            {&kEnrolledWorkers, enrolled},
            {&kVolume, to_gib(static_cast<double>(transfers_), instance)},
            {&kTransfers, transfers_},
            {&kBetweenGpus, between_gpus_},
            {&kThefts, thefts_},
            {&kBusyShare, in_tasks_s / (workers * end_s_)}};
  }

 private:
  static void throw_if(const std::string& violation) {
    if (!violation.empty()) throw SimulationError("the trace breaks the model: " + violation);
  }

  const TilePlan& plan_;
  TraceValidator validator_;
  std::vector<std::int64_t> tasks_;  ///< by worker
  std::vector<double> time_s_;       ///< by worker: total duration of its tasks
  std::int64_t transfers_ = 0;
  std::int64_t between_gpus_ = 0;
  std::int64_t thefts_ = 0;
  double end_s_ = 0;
};

/// Estimates the memory of a run in bytes, without auxiliary tiles, of which 3D strategies with
/// reductions have more. The traces of timelines and of SimGrid are kept until it ends.
double bytes_of_run(const Case& instance, const RunOptions& options) {
  const Platform platform = make_platform(instance.file, instance.problem.block_size);
  const ProductSize size = size_of(instance.problem);
  const TileNumbering numbering{size};
  const bool keeps_trace = options.on_timeline || options.engine == EngineKind::simgrid;
  return kBytesPerCopy * platform.nodes() * static_cast<double>(numbering.target(size.cells())) +
         kBytesPerCell * size.cells() +
         (keeps_trace ? kBytesPerTask * static_cast<double>(size.updates()) : 0);
}

/// Allocates tasks in a child process, since a user's code may crash, and any may take too long.
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
      const bool redux = object_in<std::byte>(frame) != std::byte{0};
      allocation = Allocation{.size = size, .nodes = {}, .redux = redux};
      return;
    }
    if (frame.size() % sizeof(std::int32_t) != 0) throw_damaged_pipe();
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

TilePlan make_plan(const NamedAlgorithm& named, const Case& instance, const RunOptions& options) {
  const auto& algorithm = dynamic_cast<const TileAlgorithm&>(*named.algorithm);
  const ProductSize size = size_of(instance.problem);
  Platform platform = make_platform(instance.file, instance.problem.block_size);
  std::optional<Allocation> allocation;
  const double limit_s = options.limits.time_limit_s;
  const bool isolated = algorithm.is_external() || (options.isolated && limit_s > 0);
  if (isolated && algorithm.allocate()) {
    allocation = allocate_in_child(algorithm.allocate(), platform, size, options.limits);
  } else if (algorithm.allocate()) {
    allocation = algorithm.allocate()(platform, size);
  }
  for (const Worker& worker : platform.workers) {
    if (!allocation || !allocation->redux || worker.reduction_s) continue;
    throw NotApplicable("reductions need the memory_bandwidth of every worker");
  }
  if (algorithm.runtime_options().limited_memory) {
    check_memory(platform, instance);
  } else {
    for (Link& link : platform.links) link.memory_tiles.reset();
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
  const double needed_bytes = bytes_of_run(instance, options);
  if (algorithms.empty() || needed_bytes <= options.limits.memory_bytes) return std::nullopt;
  throw InputError(
      "--problem",
      fmt::format("a run that fits in {:.3g} GB of memory", options.limits.memory_bytes / 1e9),
      fmt::format("one of {:.3g} GB", needed_bytes / 1e9),
      "use larger tiles, or a smaller product");
}

Figures TileModel::bounds(const Case& instance, const Noise& noise) const {
  if (!noise.is_none()) return {};  // factors below 1 beat them
  const Platform platform = make_platform(instance.file, instance.problem.block_size);
  const Bounds bounds = compute_bounds(platform, size_of(instance.problem));
  return {{&kAreaBound, bounds.area_s},
          {&kAnyRunBound, bounds.makespan_s},
          {&kVolumeBound, to_gib(bounds.volume_tiles, instance)}};
}

Record TileModel::run(const NamedAlgorithm& algorithm, const Case& instance,
                      const RunOptions& options) const {
  return Record::of_run(algorithm.name, this, [&](Record& record) {
    if (const double needed_bytes = bytes_of_run(instance, options);
        needed_bytes > options.limits.memory_bytes) {
      throw MachineError(FailureCause::memory,
                         fmt::format("its {:.3g} GB would not fit in memory", needed_bytes / 1e9));
    }
    const Stopwatch watch;
    const TilePlan plan = make_plan(algorithm, instance, options);
    const double decision_s = watch.elapsed_s();
    RunInspection inspection(plan);
    TileTrace trace;  // kept for a timeline only
    simulate(plan, options, simulate_, [&](const TraceRecord& entry) {
      inspection.add(entry);
      if (options.on_timeline) trace.add(entry);
    });
    inspection.finish();
    record.figures = inspection.figures(instance);
    record.figures.set(kDecision, decision_s);
    record.figures.set(kSimulation, watch.elapsed_s() - decision_s);
    if (options.worker_figures) record.workers = inspection.worker_figures();
    if (options.on_timeline) {
      Timeline timeline = make_tile_timeline(algorithm.name, plan.platform, plan.work, trace,
                                             plan.options.runtime.limited_memory);
      try {
        const double bound_s = bounds_within(instance, options).real(kAnyRunBound);
        if (bound_s == bound_s) timeline.bound_s = bound_s;  // NaN: none under noise
      } catch (const SimulationError&) {                     // make_comparison() has reported it
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
