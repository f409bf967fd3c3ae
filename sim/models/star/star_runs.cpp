// Runs of the star: planning, simulation, validation and measurement.
#include "sim/files/error.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/process/machine.hpp"
#include "sim/process/spill_buffer.hpp"
#include "sim/results/figure.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/heuristic.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/star_timeline.hpp"
#include "sim/star/trace.hpp"
#include "sim/star/validator/memory_use.hpp"
#include "sim/star/validator/validator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace starport {
namespace {

Figures figures_of(const Metrics& metrics) {
  return {{&kMakespan, metrics.makespan_s},
          {&kEnrolledWorkers, metrics.enrolled_workers},
          {&kBlocksMoved, metrics.blocks_moved},
          {&kBlockUpdates, metrics.block_updates},
          {&kCcr, metrics.ccr},
          {&kPortUtilisation, metrics.port_utilisation},
          {&kSendUtilisation, metrics.send_utilisation},
          {&kReceiveUtilisation, metrics.receive_utilisation}};
}

/// Returns for each worker whether it shares the master's memory and has no link.
std::vector<bool> shares_memory(const Case& instance) {
  std::vector<bool> shares;
  for (const PlatformFile::Entry& entry : instance.file.entries) {
    shares.insert(shares.end(), static_cast<std::size_t>(entry.count),
                  std::holds_alternative<PlatformFile::MemorySharing>(entry.worker));
  }
  return shares;
}

/// Returns the data moved over the links in both directions.
double volume_gib(const Metrics& metrics, const Case& instance) {
  const std::vector<bool> shares = shares_memory(instance);
  const auto q = static_cast<double>(instance.problem.block_size);
  std::int64_t blocks = 0;
  for (std::size_t i = 0; i < metrics.workers.size(); ++i) {
    if (!shares[i]) blocks += metrics.workers[i].blocks_moved;
  }
  const auto bytes = static_cast<double>(bytes_of(element_type_of(instance.file)));
  return static_cast<double>(blocks) * bytes * q * q / 0x1p30;
}

std::vector<Figures> worker_figures(const Metrics& metrics) {
  std::vector<Figures> workers;
  for (const WorkerMetrics& worker : metrics.workers) {
    workers.push_back({{&kBlocksMoved, worker.blocks_moved},
                       {&kBlockUpdates, worker.block_updates},
                       {&kLinkBusy, worker.link_busy_s},
                       {&kComputeBusy, worker.compute_busy_s}});
  }
  return workers;
}

void store_metrics(Record& record, const PlanSummary& about, const Metrics& metrics,
                   const Case& instance, double simulation_s) {
  record.figures = figures_of(metrics);
  record.figures.set(kVolume, volume_gib(metrics, instance));
  record.figures.set(kDecision, about.decision_s);
  record.figures.set(kSimulation, simulation_s);
  record.details = about.details;
}

/// Validates and measures a run transfer by transfer. The arguments of the constructor must outlive
/// it; add() and finish() throw SimulationError when the trace violates the model.
class RunInspection {
 public:
  RunInspection(const Platform& platform, const Problem& problem, const Noise& noise)
      : validator_(platform, problem, noise),
        meter_(platform.workers.size()),
        stationary_check_(platform.workers.size(), problem) {}

  void add(const TracedTransfer& event) {
    throw_if(validator_.add(event));
    meter_.add(to_message(event.transfer), event.dates);
    stationary_check_.add(event.transfer);
  }
  void finish() const { throw_if(validator_.finish()); }
  Metrics metrics() const { return meter_.metrics(); }
  bool c_stationary() const { return stationary_check_.holds(); }

 private:
  static void throw_if(const std::optional<Violation>& violation) {
    if (!violation) return;
    throw SimulationError(fmt::format("the trace breaks the model at transfer {}: {}",
                                      violation->transfer + 1, violation->message));
  }

  TraceValidator validator_;
  MetricsAccumulator meter_;
  CStationaryCheck stationary_check_;
};

/// Returns the larger of the bounds that hold for a run, as in the figure times_tightest_bound.
std::optional<double> tightest_bound_s(const Figures& bounds, bool c_stationary,
                                       const Record& record) {
  if (!is_none(record.figures[kSplitKBound])) return record.figures.real(kSplitKBound);
  if (is_none(bounds[kAnyScheduleBound])) return std::nullopt;
  const double any_s = bounds.real(kAnyScheduleBound);
  const Value stationary = bounds[kCStationaryBound];
  return c_stationary && !is_none(stationary) ? std::max(any_s, real(stationary)) : any_s;
}

bool is_c_stationary(const Heuristic& heuristic) {
  return heuristic.requirements().layout != nullptr;
}

/// Sets whether the heuristic is C-stationary, so that the record is the same whether the run was
/// traced or not.
Record with_c_stationary(const Heuristic& heuristic, Record record) {
  const std::int64_t stationary = is_c_stationary(heuristic) ? 1 : 0;
  if (record.status == Status::ok) record.figures.set(kCStationary, stationary);
  return record;
}

/// Largest number of transfers and workers of all the instances whose plans are held in memory at
/// once; larger batches are split.
constexpr double kMaxBatchSize = 1e6;

}  // namespace

Record StarModel::simulate(const std::string& name, const Planner& planner, const Case& instance,
                           const RunOptions& options, const TransferConsumer& take) const {
  return Record::of_run(name, this, [&](Record& record) {
    const Platform platform = make_star(instance);
    const auto engine = make_engine_(options.engine, options.limits);
    const Stopwatch watch;
    const auto measure = [&](const PlanSummary& about, const Metrics& metrics, double elapsed_s) {
      store_metrics(record, about, metrics, instance, elapsed_s - about.decision_s);
      if (options.worker_figures) record.workers = worker_figures(metrics);
      if (metrics.partial_sums == 0 || !options.noise.is_none()) return;
      if (const auto bound_s = split_k_bound_s(platform, instance.problem))
        record.figures.set(kSplitKBound, *bound_s);
    };
    if (!options.isolated && !take) {
      MetricsAccumulator meter(platform.workers.size());
      const auto about = engine->measure(platform, instance.problem, planner, options.noise, meter);
      if (about) return measure(*about, meter.metrics(), watch.elapsed_s());
    }
    RunInspection inspection(platform, instance.problem, options.noise);
    const auto consume = [&](const TracedTransfer& event) {
      inspection.add(event);
      if (take) take(event);
    };
    std::optional<PlanSummary> about;
    if (!options.isolated) {
      about = engine->stream_here(platform, instance.problem, planner, options.noise, consume);
    }
    if (!about) {
      about = engine->stream(platform, instance.problem, planner, options.noise, consume);
    }
    const double run_s = watch.elapsed_s();
    inspection.finish();
    measure(*about, inspection.metrics(), run_s);
    record.figures.set(kCStationary, std::int64_t{inspection.c_stationary()});
  });
}

// The first slices of a timeline already need the makespan, the bound and the memory held later, so
// the transfers are spooled until the run has ended.
Record StarModel::simulate(const std::string& name, const Planner& planner, const Case& instance,
                           const RunOptions& options, std::optional<bool> c_stationary) const {
  if (!options.on_timeline) return simulate(name, planner, instance, options, TransferConsumer());
  const Platform platform = make_star(instance);
  StarTimeline timeline(name, platform, std::nullopt);
  SpillBuffer<TracedTransfer> transfers;
  Record record = simulate(name, planner, instance, options, [&](const TracedTransfer& event) {
    timeline.add_to_extent(event);
    transfers.add(event);
  });
  if (record.status != Status::ok) return record;
  Figures proven;
  try {
    proven = bounds_within(instance, options);
  } catch (const SimulationError&) {  // make_comparison() has reported it
  }
  timeline.timeline().bound_s = tightest_bound_s(
      proven, c_stationary.value_or(record.figures.real(kCStationary) == 1), record);
  HeldBlocksTracker held(platform, instance.problem,
                         [&](const TracedTransfer& event, const HeldBlocks& blocks) {
                           timeline.add(event, blocks);
                           if (timeline.timeline().slices.size() < options.max_slices) return;
                           options.on_timeline(timeline.timeline());
                           timeline.clear_slices();
                         });
  transfers.for_each([&](const TracedTransfer& event) { held.add(event); });
  held.finish();
  options.on_timeline(timeline.timeline());
  return record;
}

Record StarModel::run(const NamedAlgorithm& algorithm, const Case& instance,
                      const RunOptions& options) const {
  if (needs_elements(heuristic_of(algorithm), instance)) {
    return Record::of_run(algorithm.name, this, [&](Record& record) {
      record = run(algorithm, to_elements(instance), options);
      if (record.status != Status::ok) return;
      convert_to_blocks(record, instance.problem.block_size);
      record.figures.set(kCStationary, Value());  // the instance's bounds are for whole blocks
    });
  }
  const Platform platform = make_star(instance);
  const Planner planner = make_planner(algorithm, platform, instance.problem);
  if (const Heuristic& ours = heuristic_of(algorithm); ours.origin() == Origin::built_in) {
    return with_c_stationary(
        ours, simulate(algorithm.name, planner, instance, options, is_c_stationary(ours)));
  }
  if (options.isolated) return simulate(algorithm.name, planner, instance, options);
  RunOptions validated = options;
  validated.isolated = true;
  return simulate(algorithm.name, planner, instance, validated);
}

/// Simulates one plan under the noise of each run: the plan of a heuristic of ours that does not
/// adapt is the same under every noise. Returns an empty list when the plan may depend on the
/// noise, or on a multi-port master, for which noise is not modelled.
std::vector<Record> StarModel::run_under_noises(const NamedAlgorithm& algorithm,
                                                std::span<const RunInput> runs,
                                                const RunOptions& options) const {
  const Case& instance = runs.front().instance;
  const Heuristic& heuristic = heuristic_of(algorithm);
  if (heuristic.origin() != Origin::built_in || heuristic.requirements().in_elements) return {};
  const Platform platform = make_star(instance);
  if (!has_recurrence(platform.port)) return {};
  const Stopwatch watch;
  const Plan plan = make_planner(algorithm, platform, instance.problem)();
  if (plan.adapts) return {};
  // Half: the list and its messages stay in memory beside the order that each run stores.
  const std::size_t limit = max_transfers(options.limits, runs.front().noise, platform.port) / 2;
  const auto check_limits = [&](std::size_t count) {
    if (count > limit) throw too_many_transfers(limit);
    if (count % 65'536 == 0 && options.limits.time_limit_s > 0 &&
        watch.elapsed_s() > options.limits.time_limit_s)
      throw MachineError(FailureCause::time,
                         fmt::format("timed out after {:g} s", options.limits.time_limit_s));
  };
  const std::vector<Transfer> transfers =
      nominal_transfers(*plan.dispatcher, platform, instance.problem, check_limits);
  const TransferList list(transfers);
  std::vector<Record> records;
  RunOptions run_options = options;
  for (const RunInput& input : runs) {
    run_options.noise = input.noise;
    Record record = simulate(
        algorithm.name, [&] { return make_list_plan(list); }, instance, run_options,
        TransferConsumer());
    record.details = plan.details;
    records.push_back(with_c_stationary(heuristic, std::move(record)));
  }
  return records;
}

/// Plans the instances together, which fills vector lanes, and simulates each without noise.
/// Returns an empty list when the plans would be too large to be held at once.
std::vector<Record> StarModel::run_together(const NamedAlgorithm& algorithm,
                                            std::span<const RunInput> runs,
                                            const RunOptions& options) const {
  const Heuristic& heuristic = heuristic_of(algorithm);
  std::vector<Platform> stars;
  double size = 0;
  for (const RunInput& input : runs) {
    stars.push_back(make_star(input.instance));
    size += fewest_transfers(heuristic.requirements(), stars.back(), input.instance.problem) +
            static_cast<double>(stars.back().workers.size());
  }
  if (size > kMaxBatchSize) return {};
  std::vector<Instance> instances;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    instances.push_back({&stars[k], &runs[k].instance.problem});
  }
  const Stopwatch watch;
  std::vector<Plan> plans = heuristic.plan_batch(instances);
  const double plans_s = watch.elapsed_s();
  const auto engine = make_engine_(options.engine, options.limits);
  std::vector<Record> records;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const Stopwatch simulation;
    MetricsAccumulator meter(stars[k].workers.size());
    auto about = engine->measure(
        stars[k], runs[k].instance.problem, [&] { return std::move(plans[k]); }, {}, meter);
    if (!about) return Model::run_batch(algorithm, runs, options);
    about->decision_s = plans_s / static_cast<double>(plans.size());
    Record record{.algorithm = algorithm.name, .model = this};
    store_metrics(record, *about, meter.metrics(), runs[k].instance, simulation.elapsed_s());
    records.push_back(with_c_stationary(heuristic, std::move(record)));
  }
  return records;
}

std::vector<Record> StarModel::run_batch(const NamedAlgorithm& algorithm,
                                         std::span<const RunInput> runs,
                                         const RunOptions& options) const {
  const Heuristic& heuristic = heuristic_of(algorithm);
  const auto run_one_by_one = [&] { return Model::run_batch(algorithm, runs, options); };
  if (runs.size() < 2 || options.isolated || options.worker_figures || options.on_timeline) {
    return run_one_by_one();
  }
  const bool one_instance = std::ranges::all_of(
      runs, [&](const RunInput& input) { return &input.instance == &runs.front().instance; });
  if (one_instance) {
    try {
      if (auto records = run_under_noises(algorithm, runs, options); !records.empty())
        return records;
    } catch (const MachineError& error) {
      // A single run may succeed where the limit of memory was exceeded here.
      if (error.cause() == FailureCause::time) {
        const auto fail = [&](Record&) { throw MachineError(error); };
        return {runs.size(), Record::of_run(algorithm.name, this, fail)};
      }
    } catch (const std::exception&) {  // each run reports why it fails
    }
    return run_one_by_one();
  }
  if (!heuristic.has_batch_planning() || std::ranges::any_of(runs, [&](const RunInput& input) {
        return !input.noise.is_none() || needs_elements(heuristic, input.instance);
      })) {
    return run_one_by_one();
  }
  try {
    if (auto records = run_together(algorithm, runs, options); !records.empty()) return records;
  } catch (const std::exception&) {  // its own run reports which instance fails
    return run_one_by_one();
  }
  const std::size_t half = runs.size() / 2;
  auto records = run_batch(algorithm, runs.first(half), options);
  std::ranges::move(run_batch(algorithm, runs.subspan(half), options), std::back_inserter(records));
  return records;
}

std::string StarModel::find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                                       const RunOptions& options, EngineKind reference) const {
  if (needs_elements(heuristic_of(algorithm), instance)) {
    return find_difference(algorithm, to_elements(instance), options, reference);
  }
  const Platform platform = make_star(instance);
  const Planner planner = make_planner(algorithm, platform, instance.problem);
  const auto trace_of = [&](EngineKind engine) {
    return make_engine_(engine, options.limits)
        ->run(platform, instance.problem, planner, options.noise)
        .trace;
  };
  return starport::find_difference(trace_of(options.engine), trace_of(reference));
}

}  // namespace starport
