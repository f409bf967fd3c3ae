#include "sim/mpi/execution/execution.hpp"

#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/mpi/calibration/calibrated_file.hpp"
#include "sim/mpi/calibration/measurements.hpp"
#include "sim/mpi/execution/certainty.hpp"
#include "sim/mpi/execution/execution_request.hpp"
#include "sim/mpi/execution/prediction.hpp"
#include "sim/mpi/matrices/block_store.hpp"
#include "sim/mpi/matrices/product_check.hpp"
#include "sim/mpi/rank_commands.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/ranks.hpp"
#include "sim/process/machine.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/bounds/makespan_bounds.hpp"
#include "sim/star/star_timeline.hpp"
#include "sim/star/validator/memory_use.hpp"
#include "sim/star/validator/validator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::mpi {
namespace {

/// Returns the highest number of blocks that each worker holds.
std::vector<std::int64_t> peak_blocks_of(const Platform& platform, const Problem& problem,
                                         const Trace& trace) {
  std::vector<std::int64_t> peaks(platform.workers.size());
  const auto held = compute_held_blocks(platform, problem, trace);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    std::int64_t& peak = peaks[trace[i].transfer.worker];
    peak = std::max({peak, held[i].transfer, held[i].update});
  }
  return peaks;
}

/// Predicts the jobs, and removes those that do not apply from the request, with a warning. Throws
/// SimulationError if none is left.
std::vector<Execution> predict_all(ExecutionRequest& request) {
  std::vector<Execution> executions;
  std::vector<ExecutionJob> jobs;
  for (ExecutionJob& job : request.jobs) {
    try {
      executions.push_back(
          predict_execution(request.context.platform, request.context.problem, job));
      jobs.push_back(std::move(job));
    } catch (const NotApplicable& reason) {
      report_skipped(job.name, reason);
    }
  }
  if (jobs.empty())
    throw SimulationError("nothing was run, since no heuristic applies to this platform");
  request.jobs = std::move(jobs);
  return executions;
}

PlannedRun planned_run(const ExecutionRequest& request, std::size_t job,
                       const Execution& execution) {
  return {.file = request.file,
          .platform = request.context.platform,
          .problem = request.context.problem,
          .planner = request.jobs[job].planner,
          .trace = execution.predicted};
}

/// Replaces the predictions by those from the samples of the platform file, if it has any. Returns
/// one sentence for each property of the runs that the samples do not cover, with a remedy.
std::vector<std::string> predict_from_samples(const ExecutionRequest& request,
                                              std::vector<Execution>& executions) {
  std::vector<std::string> problems;
#ifdef STARPORT_SMPI
  return problems;  // simulated links follow the model
#endif
  for (std::size_t i = 0; i < executions.size(); ++i) {
    Execution& execution = executions[i];
    const PlannedRun run = planned_run(request, i, execution);
    for (std::string& problem : find_unmeasured(run)) {
      if (std::ranges::find(problems, problem) == problems.end())
        problems.push_back(std::move(problem));
    }
    if (!request.file.samples) continue;
    execution.variation = estimate_makespan_variation(run);
    execution.predicted = predict_trace(run);
  }
  return problems;
}

/// Probes the current speed of the workers before each run. Does nothing for emulated runs, and if
/// the platform file has no samples to compare with.
class SpeedProbe {
 public:
  SpeedProbe(const Communicator& communicator, const ExecutionRequest& request)
      : request_(request) {
#ifndef STARPORT_SMPI  // simulated machines do not change
    const std::int64_t q = request.context.problem.block_size;
    if (request.context.emulated || !has_samples(request.file, q)) return;
    PerWorker<std::int64_t> sides;
    for (const Worker& worker : request.context.platform.workers) {
      sides.push_back(largest_chunk_side(static_cast<double>(worker.m_blocks)));
    }
    ExecutionOptions options = request.options;
    options.time_limit_s = 0;  // the limit is for the runs
    measurement_.emplace(communicator, q, request.sources.type, options, sides);
#endif
  }

  /// Probes the workers, predicts the job from their current speed, and prints a warning if that
  /// changes the prediction by more than 5 %.
  void predict(std::size_t job, Execution& execution) {
    if (!measurement_) return;
    const Platform& platform = request_.context.platform;
    execution.file_prediction_s = compute_metrics(platform, execution.predicted).makespan_s;
    const LinkMeasures probe = measurement_->measure(
        probe_duration_s(*request_.file.samples, execution.variation, execution.file_prediction_s));
    Prediction prediction =
        predict_from_probe(planned_run(request_, job, execution), execution.variation,
                           compare_with_calibration(request_.file, platform,
                                                    request_.context.problem.block_size, probe),
                           probe.lasted_s, update_variance(probe));
    execution.predicted = std::move(prediction.trace);
    execution.interval_s = prediction.interval_s;
    execution.changes = std::move(prediction.changes);
    report_changes(execution);
  }

 private:
  void report_changes(const Execution& execution) const {
    const Platform& platform = request_.context.platform;
    const double now_s = compute_metrics(platform, execution.predicted).makespan_s;
    if (std::abs(now_s / execution.file_prediction_s - 1) <= kNotableChange) return;
    std::string changes = fmt::format(
        "{}",
        fmt::join(describe_changes(platform, request_.context.platform_file, execution.changes),
                  "; "));
    if (!changes.empty()) changes += ". ";
    print_notice(
        fmt::format(
            "{}{} is now predicted to take {:.4g} s, not {:.4g}. Its plan still follows the "
            "platform file. Calibrate again",
            changes, execution.heuristic, now_s, execution.file_prediction_s),
        "starport-mpi");
  }

  const ExecutionRequest& request_;
  std::optional<ChunkMeasurement> measurement_;
};

/// Half the width of the interval of a prediction, relative to it; infinite if it has none.
double half_width_of(const ExecutionRequest& request, const Execution& execution) {
  if (!execution.interval_s) return std::numeric_limits<double>::infinity();
  return (execution.interval_s->high - execution.interval_s->low) / 2 /
         compute_metrics(request.context.platform, execution.predicted).makespan_s;
}

void execute_and_check(const Communicator& communicator, const ExecutionRequest& request,
                       const ExecutionJob& job, Product& product, const ProductCheck& check,
                       Execution& execution) {
  const Stopwatch wall;
  execute_job(communicator, request.context.platform, job, request.options, product, execution);
  product.check_unchanged();
  CheckOutcome checked = check.check(product.c());
  if (!checked.error.empty()) throw SimulationError(job.name + ": " + checked.error);
  product.commit_c();
  execution.wall_s = wall.elapsed_s();
  execution.check = std::move(checked.method);
}

void write_traces(OutputFile& file, const ExecutionRequest& request, TraceFormat format,
                  const std::vector<Execution>& executions) {
  const Platform& platform = request.context.platform;
  const Problem& problem = request.context.problem;
  const auto bound_s = any_schedule_bound_s(platform, problem);
  TraceExporter exporter(format, [&](std::string_view text) { file.write(text); });
  // A bound of the model does not apply to traces with other durations: real ones, and predictions
  // from a probe.
  const auto add = [&](const std::string& name, const Trace& trace, std::optional<double> bound) {
    exporter.add(star_timeline({.heuristic = name,
                                .platform = platform,
                                .trace = trace,
                                .held = compute_held_blocks(platform, problem, trace),
                                .bound_s = bound}));
  };
  for (const Execution& execution : executions) {
    add(execution.heuristic, execution.real, std::nullopt);
    const auto bound = splits_k(execution.predicted) ? split_k_bound_s(platform, problem) : bound_s;
    add(execution.heuristic + " predicted", execution.predicted,
        execution.changes.empty() ? bound : std::nullopt);
  }
  exporter.finish();
  file.commit();
}

}  // namespace

Execution predict_execution(const Platform& platform, const Problem& problem,
                            const ExecutionJob& job) {
  const Plan plan = job.planner();
  Execution execution{.heuristic = job.name,
                      .details = plan.details,
                      .predicted = run_to_trace(*plan.dispatcher, platform, problem)};
  if (const auto violation = find_violation(platform, problem, execution.predicted)) {
    throw SimulationError(fmt::format("{}: its plan breaks the model at transfer {}: {}", job.name,
                                      violation->transfer + 1, violation->message));
  }
  return execution;
}

std::vector<double> worker_memory_bytes(const Platform& platform, const Problem& problem,
                                        ElementType type) {
  std::vector<double> bytes;
  for (const Worker& worker : platform.workers) {
    bytes.push_back(static_cast<double>(bytes_of(type)) * BlockStore::places(worker.m_blocks) *
                    problem.block_size * problem.block_size);
  }
  return bytes;
}

void execute_job(const Communicator& communicator, const Platform& platform,
                 const ExecutionJob& job, const ExecutionOptions& options, Product& product,
                 Execution& execution) {
  const Problem& problem = product.problem();
  ExecutionOptions run_options = options;
  run_options.expected_blocks = peak_blocks_of(platform, problem, execution.predicted);
  run_options.chunk_parts = ChunkParts(execution.predicted);
  run_options.adds_partial_sums = splits_k(execution.predicted);
  Master master(communicator, platform, product, run_options);
  const Plan plan = job.planner();
  execution.real = master.run(*plan.dispatcher);
  execution.port_times = master.port_times();
  execution.peak_blocks = master.finish();
  if (const auto violation = find_violation(platform, problem, execution.real, Timing::observed)) {
    throw SimulationError(fmt::format("{}: the real run breaks the model at transfer {}: {}",
                                      job.name, violation->transfer + 1, violation->message));
  }
}

int execute_command(const Communicator& communicator, const std::vector<std::string>& arguments) {
  CommandLine line = execution_command_line();
  if (!line.parse(arguments)) return kSuccess;

  ExecutionRequest request;
  read_request(line, request);
  if (request.distributed) return execute_products(communicator, request);
  std::optional<TraceFormat> format;
  std::optional<OutputFile> trace;
  if (const auto path = line.find("trace")) {
    format = trace_format(*path);
    trace.emplace(*path, "--trace");
  }
  Ranks ranks(communicator, request.options.timeout_s, request.options.master_timeout_s());
  ranks.check_rank_count(request.file.size(), request.context.platform_file);
  std::vector<Execution> executions = predict_all(request);
  set_blas_threads(request.options.threads.front());
  check_memory(request.size, request.sources, request.context.problem.block_size);
  const Stopwatch wall;
  Product product(request.context.problem, request.size, request.sources);
  const ProductCheck check(product, request.sources.seed);
  request.context.preparation_s = wall.elapsed_s();
  if (!request.context.emulated) request.context.peak_flops = measured_peak_flops(request.file);
  // Before the workers start, since then they wait for the master no longer than a run may take.
  std::vector<std::string> unmeasured;
  if (!request.context.emulated) unmeasured = predict_from_samples(request, executions);
  ranks.start();
  ranks.check_memory(
      worker_memory_bytes(request.context.platform, request.context.problem, request.sources.type));
  std::vector<std::string> problems;
  if (!request.context.emulated) {
    CorePlan plan = ranks.plan_cores(request.workers, Overlap::overlapped);
    const auto misplaced = ranks.find_misplaced_workers(request.file.hosts);
    plan.problems.insert(plan.problems.begin(), misplaced.begin(), misplaced.end());
    print_problems(plan.problems);
    problems = std::move(plan.problems);
    print_problems(unmeasured);
    request.options.cores = plan.workers;
    request.options.master_cores = plan.master;
  }
  SpeedProbe probe(communicator, request);
  double widest = 0;
  const auto run = [&](std::size_t i) {
    if (i > 0) product.restore_c();
    probe.predict(i, executions[i]);
    double half_width = 0;
    std::string warning;
    if (!request.context.emulated) {
      half_width = half_width_of(request, executions[i]);
      warning = check_certainty(executions[i].heuristic + " is predicted", half_width,
                                request.required, problems);
    }
    execute_and_check(communicator, request, request.jobs[i], product, check, executions[i]);
    if (half_width > widest && !warning.empty()) {
      request.context.warning = std::move(warning);
      widest = half_width;
    }
  };
  run_and_report(executions, run, [&] {
    print(request.json ? execution_json(request.context, executions)
                       : execution_text(request.context, executions));
    if (trace) write_traces(*trace, request, *format, executions);
  });
  ranks.shut_down();
  return kSuccess;
}

}  // namespace starport::mpi
