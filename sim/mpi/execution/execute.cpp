#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/kernel/node_measures.hpp"
#include "sim/mpi/calibration/calibrated_file.hpp"
#include "sim/mpi/calibration/measurements.hpp"
#include "sim/mpi/execution/execution_request.hpp"
#include "sim/mpi/execution/prediction.hpp"
#include "sim/mpi/matrices/product_check.hpp"
#include "sim/mpi/rank_commands.hpp"
#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/ranks.hpp"
#include "sim/process/clock.hpp"
#include "sim/report/trace_files.hpp"
#include "sim/star/bounds/makespan_bounds.hpp"
#include "sim/star/star_timeline.hpp"
#include "sim/star/validator/memory_use.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace starport::mpi {
namespace {

/// The jobs that can be run, predicted; which ones cannot is told. Throws SimulationError when that
/// is none of them.
std::vector<Execution> predict_all(ExecutionRequest& request) {
  std::vector<Execution> executions;
  std::vector<ExecutionJob> jobs;
  for (ExecutionJob& job : request.jobs) {
    try {
      executions.push_back(predict(request.about.platform, request.about.problem, job));
      jobs.push_back(std::move(job));
    } catch (const NotApplicable& reason) {
      report_skipped(job.name, reason);
    }
  }
  if (jobs.empty()) throw SimulationError("no heuristic is left to run");
  request.jobs = std::move(jobs);
  return executions;
}

PlannedRun plan_run(const ExecutionRequest& request, std::size_t job, const Execution& execution) {
  return {.file = request.file,
          .platform = request.about.platform,
          .problem = request.about.problem,
          .planner = request.jobs[job].planner,
          .trace = execution.predicted};
}

/// Predicts by what was measured, where something was. Why that may not hold though all threads
/// have cores.
std::vector<std::string> unpredictable(const ExecutionRequest& request,
                                       std::vector<Execution>& executions) {
  std::vector<std::string> doubts;
#ifdef STARPORT_SMPI
  return doubts;  // its links are the model's
#endif
  for (std::size_t i = 0; i < executions.size(); ++i) {
    Execution& execution = executions[i];
    const PlannedRun run = plan_run(request, i, execution);
    for (std::string& doubt : find_unmeasured(run)) {
      if (std::ranges::find(doubts, doubt) == doubts.end()) doubts.push_back(std::move(doubt));
    }
    auto prediction = predict_with_interval(run);
    if (!prediction) continue;
    execution.predicted = std::move(prediction->trace);
    execution.interval_s = prediction->interval_s;
    const double predicted_s = compute_metrics(request.about.platform, execution.predicted).makespan_s;
    const std::string broken = describe_wide_interval(*execution.interval_s, predicted_s);
    if (!broken.empty()) doubts.push_back(execution.heuristic + " is not predicted: " + broken);
    if (!has_samples(request.file, request.about.problem.block_size)) continue;
    execution.relative_drift = relative_drift(run);
    if (execution.relative_drift.value_or(0) <= kMaxRelativeDrift) continue;
    doubts.push_back(fmt::format(
        "{} is not predicted: the machine changed its speed by {:.0f}% from one moment to the next "
        "when it was measured (an idle machine, calibrate --seconds)",
        execution.heuristic, 100 * *execution.relative_drift));
  }
  return doubts;
}

/// What the workers take by now, looked at before each run.
class Today {
 public:
  Today(const Communicator& communicator, const ExecutionRequest& request) : request_(request) {
#ifndef STARPORT_SMPI  // simulated machines do not change
    const std::int64_t q = request.about.problem.block_size;
    if (request.about.emulated || !has_samples(request.file, q)) return;
    PerWorker<std::int64_t> sides;
    for (const Worker& worker : request.about.platform.workers) {
      sides.push_back(largest_chunk(static_cast<double>(worker.m_blocks)));
    }
    measurement_.emplace(communicator, q, request.sources.type, request.options, sides);
#endif
  }

  /// Predicts by it, and tells what it is where the file promised another run.
  void predict(std::size_t job, Execution& execution) {
    if (!measurement_) return;
    const Platform& platform = request_.about.platform;
    execution.by_file_s = compute_metrics(platform, execution.predicted).makespan_s;
    const LinkMeasures now = measurement_->measure(
        {.seconds = probe_duration_s(execution.by_file_s) / static_cast<double>(platform.workers.size()),
         .spans = 1,
         .min_rounds = 1,
         .is_sufficient = [](const LinkMeasures&, int) { return true; }});
    execution.today = compare_with_calibration(request_.file, request_.about.problem.block_size, now);
    Prediction prediction =
        predict_from_probe(plan_run(request_, job, execution), execution.today, execution.relative_drift);
    execution.predicted = std::move(prediction.trace);
    execution.interval_s = prediction.interval_s;
    tell_changes(execution);
  }

 private:
  void tell_changes(const Execution& execution) const {
    const Platform& platform = request_.about.platform;
    const double now_s = compute_metrics(platform, execution.predicted).makespan_s;
    if (std::abs(now_s / execution.by_file_s - 1) <= kAccuracyTarget) return;
    std::string changes = fmt::format(
        "{}",
        fmt::join(describe_changes(platform, request_.about.platform_file, execution.today), "; "));
    if (!changes.empty()) changes += ": ";
    tell(fmt::format("{}{} is predicted to take {:.4g} s, not {:.4g} (calibrate again: plans are "
                     "made by the file)",
                     changes, execution.heuristic, now_s, execution.by_file_s),
         "starport-mpi");
  }

  const ExecutionRequest& request_;
  std::optional<ChunkMeasurement> measurement_;
};

void execute(const Communicator& communicator, const ExecutionRequest& request,
             const ExecutionJob& job, Product& product, const ProductCheck& check,
             Execution& execution) {
  const Stopwatch wall;
  execute_job(communicator, request.about.platform, job, request.options, product, execution);
  product.check_unchanged();
  const std::string fault = check.find_error(product.c());
  if (!fault.empty()) throw SimulationError(job.name + ": " + fault);
  product.commit_c();
  execution.wall_s = wall.elapsed_s();
  execution.check = check.method();
}

void write_traces(OutputFile& file, const ExecutionRequest& request, TraceFormat format,
                  const std::vector<Execution>& executions) {
  const Platform& platform = request.about.platform;
  const Problem& problem = request.about.problem;
  const auto bound_s = any_schedule_bound_s(platform, problem);
  TraceExporter exporter(format, [&](std::string_view text) { file.write(text); });
  // No bound on what has durations of its own: a real run, and what today's figures predict.
  const auto add = [&](const std::string& name, const Trace& trace, std::optional<double> bound) {
    exporter.add(star_timeline({.heuristic = name,
                                .platform = platform,
                                .trace = trace,
                                .held = compute_held_blocks(platform, problem, trace),
                                .bound_s = bound}));
  };
  for (const Execution& execution : executions) {
    add(execution.heuristic, execution.real, std::nullopt);
    add(execution.heuristic + " predicted", execution.predicted,
        execution.today.empty() ? bound_s : std::nullopt);
  }
  exporter.finish();
  file.commit();
}

}  // namespace

int execute_command(const Communicator& communicator, const std::vector<std::string>& arguments) {
  CommandLine line = execution_command_line();
  if (!line.parse(arguments)) return kSuccess;

  ExecutionRequest request;
  read_request(line, request);
  if (request.distributed) return execute_products(communicator, request, line.has("json"));
  std::optional<TraceFormat> format;
  std::optional<OutputFile> trace;
  if (const auto path = line.find("trace")) {
    format = trace_format(*path);
    trace.emplace(*path, "--trace");
  }
  Ranks ranks(communicator, request.options.timeout_s);
  ranks.check_rank_count(request.about.platform, request.about.platform_file);
  std::vector<Execution> executions = predict_all(request);
  set_blas_threads(request.options.threads.front());
  check_memory(request.size, request.sources);
  const Stopwatch wall;
  Product product(request.about.problem, request.size, request.sources);
  const ProductCheck check(product.a(), product.b(), product.c(), request.sources.seed);
  request.about.matrices_s = wall.elapsed_s();
  if (!request.about.emulated) request.about.peak_flops = peak_flops(request.file);
  ranks.start();
  ranks.check_memory(
      worker_memory_bytes(request.about.platform, request.about.problem, request.sources.type));
  if (!request.about.emulated) {
    CorePlan use = ranks.plan_cores(request.workers, Overlap::beside);
    const auto misplaced = ranks.misplaced(request.file.hosts);
    use.faults.insert(use.faults.begin(), misplaced.begin(), misplaced.end());
    for (std::string& doubt : unpredictable(request, executions)) {
      use.faults.push_back(std::move(doubt));
    }
    refuse_unless_forced(use.faults, request.force, kForcedRun);
    request.options.cores = use.workers;
    request.options.master_cores = use.master;
  }
  Today today(communicator, request);
  for (std::size_t i = 0; i < executions.size(); ++i) {
    if (i > 0) product.restore_c();
    today.predict(i, executions[i]);
    execute(communicator, request, request.jobs[i], product, check, executions[i]);
  }
  if (trace) write_traces(*trace, request, *format, executions);
  ranks.finish();
  print(line.has("json") ? execution_json(request.about, executions)
                         : execution_text(request.about, executions));
  return kSuccess;
}

}  // namespace starport::mpi
