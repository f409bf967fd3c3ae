#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/models/spmd/spmd_model.hpp"
#include "sim/mpi/calibration/calibrated_file.hpp"
#include "sim/mpi/execution/execution_request.hpp"
#include "sim/mpi/matrices/product_check.hpp"
#include "sim/mpi/rank_commands.hpp"
#include "sim/mpi/spmd/product_master.hpp"
#include "sim/mpi/spmd/product_report.hpp"
#include "sim/mpi/transport/ranks.hpp"
#include "sim/process/clock.hpp"
#include "sim/spmd/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <variant>

namespace starport::mpi {
namespace {

/// Multiplies all durations by `factor`.
spmd::ProductRun scaled_run(spmd::ProductRun run, double factor) {
  for (spmd::StageRun& stage_run : run.stages) {
    stage_run.start_s *= factor;
    stage_run.communication_s *= factor;
    stage_run.update_s *= factor;
  }
  for (double& computing_s : run.computing_s) computing_s *= factor;
  run.makespan_s *= factor;
  return run;
}

/// Throws NotApplicable if the algorithm cannot be run on these workers.
ProductExecution predict_product(const NamedAlgorithm& named, const spmd::Cluster& cluster,
                                 const Problem& problem, double time_scale) {
  const auto plan = dynamic_cast<const spmd::Distribution&>(*named.algorithm)
                        .plan(cluster, spmd::side_of(problem));
  const auto* product = std::get_if<spmd::ProductPlan>(&plan);
  if (product == nullptr) throw NotApplicable("it is for the model of two processors only");
  if (product->rules.home == spmd::Home::hub) {
    throw NotApplicable("a real run starts with the matrices on the workers, not on a hub");
  }
  return {
      .algorithm = named.name,
      .plan = *product,
      .predicted = scaled_run(
          spmd::run_product(cluster, product->partitioning.partition, product->rules), time_scale),
      .real = {},
      .check = {}};
}

/// Predicts the algorithms that apply, and prints a warning for the others. Throws SimulationError
/// if none applies.
std::vector<ProductExecution> predict_products(const ExecutionRequest& request) {
  const Problem& problem = request.context.problem;
  const spmd::Cluster cluster = spmd::make_cluster(request.distributed->file, problem.block_size);
  std::vector<ProductExecution> executions;
  for (const NamedAlgorithm& named : request.heuristics) {
    try {
      executions.push_back(predict_product(named, cluster, problem, request.context.time_scale));
    } catch (const NotApplicable& reason) {
      report_skipped(named.name, reason);
    }
  }
  if (executions.empty())
    throw SimulationError("nothing was run, since no heuristic applies to this platform");
  return executions;
}

/// Returns the bytes that each worker needs for the largest of the runs.
std::vector<double> peak_bytes(const std::vector<ProductExecution>& executions,
                               std::int64_t block_size) {
  std::vector<double> bytes;
  for (const ProductExecution& execution : executions) {
    const auto& rectangles = execution.plan.partitioning.partition.arrangement.rectangles;
    bytes.resize(rectangles.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = std::max(
          bytes[i], held_bytes(rectangles[static_cast<std::int64_t>(i)].blocks(), block_size));
    }
  }
  return bytes;
}

}  // namespace

int execute_products(const Communicator& communicator, const ExecutionRequest& request, bool json) {
  Ranks ranks(communicator, request.options.timeout_s);
  ranks.check_rank_count(request.context.platform, request.context.platform_file);
  std::vector<ProductExecution> executions = predict_products(request);
  check_memory(request.size, request.sources);
  set_blas_threads(1);
  ExecutionContext context = request.context;
  if (!context.emulated) context.peak_flops = measured_peak_flops(request.file);
  const Stopwatch preparing;
  Product product(context.problem, request.size, request.sources);
  const ProductCheck check(product, request.sources.seed);
  context.matrices_s = preparing.elapsed_s();
  ranks.start();
  ranks.check_memory(peak_bytes(executions, request.context.problem.block_size));
  if (!request.context.emulated) {
    ranks.check_cores(request.workers, Overlap::alternating, request.force, kForcedRun);
  }
  ProductMaster master(communicator, request.options, request.workers);
  for (ProductExecution& execution : executions) {
    if (&execution != &executions.front()) product.restore_c();
    const Stopwatch wall;
    execution.real = master.run(execution.plan, execution.predicted, product);
    product.check_unchanged();
    CheckOutcome checked = check.check(product.c());
    if (!checked.error.empty()) throw SimulationError(execution.algorithm + ": " + checked.error);
    product.commit_c();
    execution.wall_s = wall.elapsed_s();
    execution.check = std::move(checked.method);
  }
  ranks.shut_down();
  const Case& instance = *request.distributed;
  print(json ? product_json(context, instance, executions)
             : product_text(context, instance, executions));
  return kSuccess;
}

}  // namespace starport::mpi
