// Runs of the star: planned, simulated, validated and measured.
#include "sim/files/error.hpp"
#include "sim/models/star/elements.hpp"
#include "sim/models/star/star_figures.hpp"
#include "sim/models/star/star_model.hpp"
#include "sim/process/clock.hpp"
#include "sim/process/spool.hpp"
#include "sim/results/common_figures.hpp"
#include "sim/star/c_stationary_check.hpp"
#include "sim/star/heuristic.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/star_timeline.hpp"
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

/// The workers that share the master's memory.
std::vector<bool> sharing(const Case& instance) {
  std::vector<bool> shares;
  for (const PlatformFile::Entry& entry : instance.file.entries) {
    shares.insert(shares.end(), static_cast<std::size_t>(entry.count),
                  std::holds_alternative<PlatformFile::Sharing>(entry.worker));
  }
  return shares;
}

/// Over the links, both ways.
double volume_gib(const Metrics& metrics, const Case& instance) {
  const std::vector<bool> shares = sharing(instance);
  const auto q = static_cast<double>(instance.problem.block_size);
  std::int64_t blocks = 0;
  for (std::size_t i = 0; i < metrics.workers.size(); ++i) {
    if (!shares[i]) blocks += metrics.workers[i].blocks_moved;
  }
  const auto bytes = static_cast<double>(bytes_of(elements_of(instance.file)));
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

void take_run(Record& record, const PlanSummary& about, const Metrics& metrics, const Case& instance,
              double simulation_s) {
  record.figures = figures_of(metrics);
  record.figures.set(kVolume, volume_gib(metrics, instance));
  record.figures.set(kDecision, about.decision_s);
  record.figures.set(kSimulation, simulation_s);
  record.details = about.details;
}

/// Looks at a run transfer by transfer. Throws SimulationError when one breaks the model.
class RunInspection {
 public:
  /// All outlive it.
  RunInspection(const Platform& platform, const Problem& problem, const Noise& noise)
      : check_(platform, problem, noise),
        meter_(platform.workers.size()),
        kept_(platform.workers.size(), problem) {}

  void add(const TracedTransfer& event) {
    refuse(check_.add(event));
    meter_.add(to_message(event.transfer), event.dates);
    kept_.add(event.transfer);
  }
  void finish() const { refuse(check_.finish()); }
  Metrics metrics() const { return meter_.metrics(); }
  bool c_stationary() const { return kept_.one_at_a_time(); }

 private:
  static void refuse(const std::optional<Violation>& violation) {
    if (!violation) return;
    throw SimulationError(fmt::format("the trace breaks the model at transfer {}: {}",
                                      violation->transfer + 1, violation->message));
  }

  TraceValidator check_;
  MetricsAccumulator meter_;
  CStationaryCheck kept_;
};

}  // namespace

Record StarModel::simulate(const std::string& name, const Planner& planner, const Case& instance,
                           const RunOptions& options, const TransferConsumer& take) const {
  return Record::of_run(name, this, [&](Record& record) {
    const Platform platform = star_of(instance);
    const auto engine = make_engine_(options.engine, options.limits);
    const Stopwatch watch;
    const auto measure = [&](const PlanSummary& about, const Metrics& metrics, double elapsed_s) {
      take_run(record, about, metrics, instance, elapsed_s - about.decision_s);
      if (options.worker_figures) record.workers = worker_figures(metrics);
    };
    if (!options.isolated && !take) {
      MetricsAccumulator meter(platform.workers.size());
      const auto about = engine->measure(platform, instance.problem, planner, options.noise, meter);
      if (about) return measure(*about, meter.metrics(), watch.elapsed_s());
    }
    RunInspection inspection(platform, instance.problem, options.noise);
    const PlanSummary about = engine->stream(platform, instance.problem, planner, options.noise,
                                          [&](const TracedTransfer& event) {
                                            inspection.add(event);
                                            if (take) take(event);
                                          });
    const double run_s = watch.elapsed_s();
    inspection.finish();
    measure(about, inspection.metrics(), run_s);
    record.figures.set(kCStationary, std::int64_t{inspection.c_stationary()});
  });
}

namespace {

/// That of times_tightest: the larger of those that hold for the run.
std::optional<double> tightest_bound_s(const Figures& bounds, bool c_stationary) {
  if (is_none(bounds[kAnyScheduleBound])) return std::nullopt;
  const double any_s = bounds.real(kAnyScheduleBound);
  const Value kept = bounds[kCStationaryBound];
  return c_stationary && !is_none(kept) ? std::max(any_s, real(kept)) : any_s;
}

}  // namespace

/// A timeline says of its first slice already how long the run takes and which bounds hold for it,
/// and shows what is held once it is known: the transfers wait meanwhile.
Record StarModel::simulate(const std::string& name, const Planner& planner, const Case& instance,
                           const RunOptions& options, std::optional<bool> c_stationary) const {
  if (!options.take_timeline) return simulate(name, planner, instance, options, TransferConsumer());
  const Platform platform = star_of(instance);
  StarTimeline timeline(name, platform, std::nullopt);
  Spool<TracedTransfer> transfers;
  Record record = simulate(name, planner, instance, options, [&](const TracedTransfer& event) {
    timeline.add_to_extent(event);
    transfers.add(event);
  });
  if (record.status != Status::ok) return record;
  timeline.timeline().bound_s =
      tightest_bound_s(bounds(instance, options.noise),
                       c_stationary.value_or(record.figures.real(kCStationary) == 1));
  HeldBlocksTracker held(platform, instance.problem,
                       [&](const TracedTransfer& event, const HeldBlocks& blocks) {
                         timeline.add(event, blocks);
                         if (timeline.timeline().slices.size() < options.slices_at_once) return;
                         options.take_timeline(timeline.timeline());
                         timeline.clear_slices();
                       });
  transfers.for_each([&](const TracedTransfer& event) { held.add(event); });
  held.finish();
  options.take_timeline(timeline.timeline());
  return record;
}

namespace {

bool keeps_rectangles(const Heuristic& heuristic) {
  return heuristic.requirements().layout != nullptr;
}

/// The same whether there was a trace to look at or not.
Record said_by(const Heuristic& heuristic, Record record) {
  const std::int64_t stationary = keeps_rectangles(heuristic) ? 1 : 0;
  if (record.status == Status::ok) record.figures.set(kCStationary, stationary);
  return record;
}

}  // namespace

Record StarModel::run(const NamedAlgorithm& algorithm, const Case& instance,
                      const RunOptions& options) const {
  if (sees_elements(heuristic_of(algorithm), instance)) {
    return Record::of_run(algorithm.name, this, [&](Record& record) {
      record = run(algorithm, in_elements(instance), options);
      if (record.status == Status::ok) count_in_blocks(record, instance.problem.block_size);
    });
  }
  const Platform platform = star_of(instance);
  const Planner planner = planner_of(algorithm, platform, instance.problem);
  if (const Heuristic& ours = heuristic_of(algorithm); ours.origin() == Origin::ours) {
    return said_by(ours,
                   simulate(algorithm.name, planner, instance, options, keeps_rectangles(ours)));
  }
  if (options.isolated) return simulate(algorithm.name, planner, instance, options);
  RunOptions validated = options;
  validated.isolated = true;
  return simulate(algorithm.name, planner, instance, validated);
}

namespace {

/// Past so many transfers and workers in all, instances are planned apart, so that the plans of
/// others take no memory beside their own.
constexpr double kMostTogether = 1e6;

/// The stars of instances that are planned and run together.
struct Together {
  Together(const Heuristic& heuristic, std::span<const Case* const> instances) {
    for (const Case* instance : instances) {
      stars.push_back(star_of(*instance));
      size += fewest_transfers(heuristic.requirements(), stars.back(), instance->problem) +
              static_cast<double>(stars.back().workers.size());
    }
  }

  std::vector<Platform> stars;
  double size = 0;
};

}  // namespace

std::vector<Record> StarModel::run_each(const NamedAlgorithm& algorithm,
                                        std::span<const Case* const> instances,
                                        const RunOptions& options) const {
  const Heuristic& heuristic = heuristic_of(algorithm);
  const bool apart =
      instances.size() == 1 || options.isolated || options.worker_figures ||
      options.take_timeline || !options.noise.none() || !heuristic.plans_together() ||
      std::ranges::any_of(instances, [&](const Case* x) { return sees_elements(heuristic, *x); });
  if (apart) return Model::run_each(algorithm, instances, options);
  try {
    if (auto records = run_together(algorithm, instances, options); !records.empty()) {
      return records;
    }
  } catch (const std::exception&) {  // told by the run of the one that it is about
    return Model::run_each(algorithm, instances, options);
  }
  const std::size_t half = instances.size() / 2;
  auto records = run_each(algorithm, instances.first(half), options);
  std::ranges::move(run_each(algorithm, instances.subspan(half), options),
                    std::back_inserter(records));
  return records;
}

std::vector<Record> StarModel::run_together(const NamedAlgorithm& algorithm,
                                            std::span<const Case* const> instances,
                                            const RunOptions& options) const {
  const Heuristic& heuristic = heuristic_of(algorithm);
  const Together together(heuristic, instances);
  if (together.size > kMostTogether) return {};
  std::vector<Instance> bare;
  for (std::size_t k = 0; k < instances.size(); ++k) {
    bare.push_back({&together.stars[k], &instances[k]->problem});
  }
  const Stopwatch watch;
  std::vector<Plan> plans = heuristic.plan_each(bare);
  const double plans_s = watch.elapsed_s();
  std::vector<MetricsAccumulator> meters;
  for (const Platform& star : together.stars) meters.emplace_back(star.workers.size());
  std::vector<PlannedRun> runs;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    runs.push_back({bare[k].platform, bare[k].problem, &plans[k], &meters[k]});
  }
  if (!make_engine_(options.engine, options.limits)->measure_batch(runs)) {
    return Model::run_each(algorithm, instances, options);
  }
  const auto count = static_cast<double>(plans.size());
  const double simulation_s = (watch.elapsed_s() - plans_s) / count;
  std::vector<Record> records;
  for (std::size_t k = 0; k < plans.size(); ++k) {
    records.push_back(
        said_by(heuristic, Record::of_run(algorithm.name, this, [&](Record& record) {
                  const PlanSummary about{.decision_s = plans_s / count, .details = plans[k].details};
                  take_run(record, about, meters[k].metrics(), *instances[k], simulation_s);
                })));
  }
  return records;
}

std::string StarModel::find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                                       const RunOptions& ours, EngineKind reference) const {
  if (sees_elements(heuristic_of(algorithm), instance)) {
    return find_difference(algorithm, in_elements(instance), ours, reference);
  }
  const Platform platform = star_of(instance);
  const Planner planner = planner_of(algorithm, platform, instance.problem);
  const auto trace_of = [&](EngineKind engine) {
    return make_engine_(engine, ours.limits)
        ->run(platform, instance.problem, planner, ours.noise)
        .trace;
  };
  return starport::find_difference(trace_of(ours.engine), trace_of(reference));
}

}  // namespace starport
