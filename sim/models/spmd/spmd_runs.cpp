// Runs of distributed products: planning, simulation, validation and measurement.
#include "sim/models/spmd/spmd_model.hpp"
#include "sim/platform/noise/expected_noise.hpp"
#include "sim/process/machine.hpp"
#include "sim/results/figure.hpp"
#include "sim/spmd/engine.hpp"
#include "sim/spmd/spmd_timeline.hpp"
#include "sim/spmd/validator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starport::spmd {
namespace {

constexpr double kTolerance = 1e-9;

std::int64_t elements_moved(const Cluster& cluster, const ProductPlan& plan) {
  const Arrangement& arrangement = plan.partitioning.partition.arrangement;
  std::int64_t blocks = blocks_moved(arrangement);
  if (plan.rules.home == Home::hub) {
    for (const NodeRectangle& r : arrangement.rectangles) {
      blocks += hub_blocks(r, HubPhase::spread) + hub_blocks(r, HubPhase::collect);
    }
  }
  return blocks * cluster.block_size * cluster.block_size;
}

Details details_of(const ProductPlan& plan) {
  const Partitioning& found = plan.partitioning;
  const Arrangement& arrangement = found.partition.arrangement;
  Details details{{"node_columns", fmt::format("{}", arrangement.columns.size())},
                  {"half_perimeters", fmt::format("{}", arrangement.half_perimeters())}};
  if (found.passes > 1 || found.ending == Ending::repeated)
    details.emplace_back("ended", to_string(found.ending));
  if (found.two_cycles > 0) {
    details.emplace_back("nodes_in_2-cycles", fmt::format("{}", found.two_cycles));
  }
  return details;
}

/// Returns a lower bound on the makespan; nullopt under noise, which may make workers faster.
std::optional<double> bound_s(const Cluster& cluster, std::int64_t side, const Noise& noise) {
  if (!noise.is_none()) return std::nullopt;
  const auto N = static_cast<double>(side * cluster.block_size);
  return 2 * N * N * N / balanced_speed_flops(cluster, side);
}

/// Returns the workers as a one-port star: noise applies to the workers only, and kinds of noise
/// that need a certain port must not be rejected.
starport::Platform without_port(const Case& instance) {
  starport::Platform platform = instance.file.at_block_size(instance.problem.block_size);
  platform.port = {};
  return platform;
}

std::vector<Figures> worker_figures(const Division& division, std::int64_t workers,
                                    std::int64_t side) {
  std::vector<double> shares(static_cast<std::size_t>(workers));
  for (const Division::Part& part : division.parts) {
    shares[part.worker] += (part.right - part.left) * (part.bottom - part.top);
  }
  const auto elements = static_cast<double>(side) * static_cast<double>(side);
  std::vector<Figures> figures;
  for (const double share : shares) {
    figures.push_back({{&kElementsOfC, static_cast<std::int64_t>(std::round(share * elements))}});
  }
  return figures;
}

}  // namespace

std::variant<ProductPlan, PairPlan> make_plan(const NamedAlgorithm& named, const Cluster& cluster,
                                              const Problem& problem, double time_limit_s) {
  return dynamic_cast<const Distribution&>(*named.algorithm)
      .plan(cluster, side_of(problem), time_limit_s);
}

ProductRun SpmdModel::simulate(const Cluster& cluster, const ProductPlan& plan,
                               const RunOptions& options, const starport::Platform& workers,
                               const StageSink& watch) const {
  const auto noise = draw_noise(options.noise, workers);
  const ProductDurations durations(noise ? &*noise : nullptr);
  const auto expected = expect_noise(options.noise, workers);
  const Partition& partition = plan.partitioning.partition;
  Validator validator(cluster, partition, expected ? &*expected : nullptr);
  const auto check = [&](const StageRun& stage, const Messages& messages,
                         const IterationTimes& times) {
    if (noise) check_stops(*noise, partition.arrangement.side, stage, times);
    validator.check(stage, messages, times);
    if (watch) watch(stage, messages, times);
  };
  const ProductRun run =
      options.engine == EngineKind::simgrid
          ? simulators_.product(cluster, plan, options.limits.time_limit_s, check, durations)
          : run_product(cluster, partition, plan.rules, check, durations);
  validator.check_end(run, plan.rules.home);
  if (noise) check_stops(*noise, run);
  return run;
}

BulkRun SpmdModel::simulate(const PairPlan& plan, const RunOptions& options,
                            const starport::Platform& workers) const {
  const auto noise = draw_noise(options.noise, workers);
  const ProductDurations durations(noise ? &*noise : nullptr);
  const auto expected = expect_noise(options.noise, workers);
  const BulkRun run = options.engine == EngineKind::simgrid
                          ? simulators_.pair(plan, options.limits.time_limit_s, durations)
                          : run_bulk(plan.problem, plan.bulk, durations);
  validate(plan.problem, plan.bulk, run, expected ? &*expected : nullptr);
  return run;
}

void SpmdModel::measure(const Cluster& cluster, const ProductPlan& plan, const RunOptions& options,
                        const starport::Platform& workers, Record& record) const {
  const Partitioning& found = plan.partitioning;
  const Arrangement& arrangement = found.partition.arrangement;
  std::optional<ProductTimeline> timeline;
  StageSink watch;
  if (options.on_timeline) {
    timeline.emplace(record.algorithm, arrangement);
    watch = [&](const StageRun& stage, const Messages& messages, const IterationTimes& times) {
      timeline->add(stage, messages, times);
    };
  }
  const ProductRun run = simulate(cluster, plan, options, workers, watch);
  const ProductFigures of_run = spmd::figures(run, arrangement.side, cluster.block_size);
  const auto has_blocks = [](const NodeRectangle& mine) { return mine.blocks() > 0; };
  record.figures = {
      {&kMakespan, run.makespan_s},
      {&kEnrolledWorkers, std::int64_t{std::ranges::count_if(arrangement.rectangles, has_blocks)}},
      {&kSpeed, of_run.speed_flops / kTera},
      {&kImbalance, of_run.imbalance},
      {&kPasses, static_cast<std::int64_t>(found.passes)},
      {&kMeasuring, found.cost_s},
      {&kHalfPerimeterRatio, half_perimeter_ratio(division_of(plan))},
      {&kCommunication, of_run.communication_s},
      {&kCommunicationShare, of_run.communication_s / run.makespan_s},
      {&kWaitingShare, of_run.waiting_share},
      {&kElementsMoved, elements_moved(cluster, plan)}};
  if (options.worker_figures) {
    record.workers = worker_figures(division_of(plan), std::ssize(arrangement.rectangles),
                                    arrangement.side * cluster.block_size);
  }
  if (plan.rules.home == Home::hub) record.figures.set(kHubTransfers, of_run.hub_s);
  record.details = details_of(plan);
  if (options.engine == EngineKind::simgrid && simulators_.end_to_end && options.noise.is_none()) {
    const ProductRun shared = simulators_.end_to_end(cluster, plan, options.limits.time_limit_s);
    record.figures.set(kEndToEndMakespan, shared.makespan_s);
  }
  if (timeline) {
    options.on_timeline(
        std::move(*timeline).make(run, bound_s(cluster, arrangement.side, options.noise)));
  }
}

void SpmdModel::measure(const PairPlan& plan, const RunOptions& options,
                        const starport::Platform& workers, Record& record) const {
  const BulkRun run = simulate(plan, options, workers);
  const auto N = static_cast<double>(plan.problem.N);
  const auto computing_s = [](const BulkDates& dates) {
    return dates.local_end_s + dates.end_s - dates.rest_start_s;
  };
  const double fast_s = computing_s(run.fast);
  const double slow_s = computing_s(run.slow);
  const std::int64_t enrolled = (fast_s > 0 ? 1 : 0) + (slow_s > 0 ? 1 : 0);
  record.figures = {
      {&kMakespan, run.makespan_s},
      {&kEnrolledWorkers, enrolled},
      {&kSpeed, 2 * N * N * N / run.makespan_s / kTera},
      {&kHalfPerimeterRatio, half_perimeter_ratio(division_of(plan))},
      {&kCommunication, run.communication_s},
      {&kCommunicationShare, run.communication_s / run.makespan_s},
      {&kWaitingShare, 1 - (fast_s + slow_s) / (static_cast<double>(enrolled) * run.makespan_s)},
      {&kElementsMoved, volume(plan.bulk)}};
  if (options.worker_figures) {
    record.workers = worker_figures(division_of(plan), 2, plan.problem.N);
  }
  if (enrolled == 2) {
    record.figures.set(kImbalance, std::max(fast_s, slow_s) / std::min(fast_s, slow_s) - 1);
  }
  if (plan.bulk.shape != Shape::sequential) {
    record.details.emplace_back(plan.bulk.shape == Shape::square_corner ? "q" : "w",
                                fmt::format("{}", plan.bulk.cut));
  }
  if (options.on_timeline) {
    options.on_timeline(bulk_timeline(record.algorithm, plan.problem, plan.bulk, run));
  }
}

Record SpmdModel::run(const NamedAlgorithm& algorithm, const Case& instance,
                      const RunOptions& options) const {
  const bool is_external = dynamic_cast<const Distribution&>(*algorithm.algorithm).is_external();
  if (options.isolated && options.limits.time_limit_s > 0 && !is_external) {
    RunOptions in_child = options;
    in_child.isolated = false;
    std::optional<Timeline> timeline;
    if (options.on_timeline) {
      in_child.on_timeline = [&](const Timeline& own) { timeline = own; };
    }
    Record record = Record::of_run_in_child(
        algorithm.name, this, [&](Record& own) { own = run(algorithm, instance, in_child); },
        options.limits.time_limit_s, timeline);
    if (timeline) options.on_timeline(*timeline);
    return record;
  }
  return Record::of_run(algorithm.name, this, [&](Record& record) {
    const starport::Platform workers = without_port(instance);
    const Stopwatch watch;
    const Cluster cluster = make_cluster(instance.file, instance.problem.block_size);
    const auto plan = make_plan(algorithm, cluster, instance.problem, options.limits.time_limit_s);
    const double decision_s = watch.elapsed_s();
    RunOptions named = options;
    if (options.on_timeline) {
      named.on_timeline = [&](const Timeline& timeline) {
        options.on_timeline(with_worker_names(timeline, instance.file.names));
      };
    }
    if (const auto* product = std::get_if<ProductPlan>(&plan)) {
      measure(cluster, *product, named, workers, record);
    } else {
      measure(std::get<PairPlan>(plan), named, workers, record);
    }
    record.figures.set(kDecision, decision_s);
    record.figures.set(kSimulation, watch.elapsed_s() - decision_s);
  });
}

std::string SpmdModel::find_difference(const NamedAlgorithm& algorithm, const Case& instance,
                                       const RunOptions& options, EngineKind reference) const {
  const Cluster cluster = make_cluster(instance.file, instance.problem.block_size);
  const auto plan = make_plan(algorithm, cluster, instance.problem, options.limits.time_limit_s);
  const starport::Platform workers = without_port(instance);
  RunOptions reference_options = options;
  reference_options.engine = reference;
  const auto compare = [&](const auto&... planned) {
    return std::pair(simulate(planned..., options, workers),
                     simulate(planned..., reference_options, workers));
  };
  double difference = 0;
  if (const auto* product = std::get_if<ProductPlan>(&plan)) {
    const auto [a, b] = compare(cluster, *product);
    difference = largest_difference(a, b);
  } else {
    const auto [a, b] = compare(std::get<PairPlan>(plan));
    difference = std::abs(a.makespan_s / b.makespan_s - 1);
  }
  if (difference <= kTolerance) return "";
  return fmt::format("durations differ by {:.3g} of the makespan", difference);
}

}  // namespace starport::spmd
