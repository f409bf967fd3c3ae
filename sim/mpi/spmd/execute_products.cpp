#include "sim/mpi/spmd/execute_products.hpp"

#include "sim/files/error.hpp"
#include "sim/files/output.hpp"
#include "sim/kernel/blas.hpp"
#include "sim/models/spmd/spmd_model.hpp"
#include "sim/mpi/calibration/calibrated_file.hpp"
#include "sim/mpi/matrices/product_check.hpp"
#include "sim/mpi/spmd/product_leader.hpp"
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

spmd::ProductRun scaled_run(spmd::ProductRun run, double factor) {
  for (spmd::StageRun& one : run.stages) {
    one.start_s *= factor;
    one.communication_s *= factor;
    one.update_s *= factor;
  }
  for (double& computing_s : run.computing_s) computing_s *= factor;
  run.makespan_s *= factor;
  return run;
}

/// Throws NotApplicable.
ProductExecution predict_product(const NamedAlgorithm& named, const spmd::Cluster& cluster,
                                 const Problem& problem, double time_scale) {
  const auto plan = dynamic_cast<const spmd::Distribution&>(*named.algorithm)
                        .plan(cluster, spmd::side_of(problem));
  const auto* product = std::get_if<spmd::ProductPlan>(&plan);
  if (product == nullptr) throw NotApplicable("it is for the model of two processors only");
  if (product->rules.home == spmd::Home::hub) {
    throw NotApplicable("a real run counts from when the workers have the matrices");
  }
  return {
      .algorithm = named.name,
      .plan = *product,
      .predicted = scaled_run(
          spmd::run_product(cluster, product->partitioning.partition, product->rules), time_scale),
      .real = {},
      .check = {}};
}

/// Those that apply; which ones do not is told. Throws SimulationError when that is all of them.
std::vector<ProductExecution> predict_products(const ExecutionRequest& request) {
  const Problem& problem = request.about.problem;
  const spmd::Cluster cluster = spmd::make_cluster(request.distributed->file, problem.block_size);
  std::vector<ProductExecution> executions;
  for (const NamedAlgorithm& named : request.heuristics) {
    try {
      executions.push_back(predict_product(named, cluster, problem, request.about.time_scale));
    } catch (const NotApplicable& reason) {
      tell_left_out(named.name, reason);
    }
  }
  if (executions.empty()) throw SimulationError("no heuristic is left to run");
  return executions;
}

/// The most bytes that each worker holds in any of the runs.
std::vector<double> needed_bytes(const std::vector<ProductExecution>& executions,
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
  Ranks ranks(communicator, request.options.time_out_s);
  ranks.check_number(request.about.platform, request.about.platform_file);
  std::vector<ProductExecution> executions = predict_products(request);
  check_memory(request.size, request.sources);
  set_blas_threads(1);
  ExecutionAbout about = request.about;
  if (!about.paced) about.peak_flops = peak_flops(request.file);
  const Stopwatch preparing;
  Product product(about.problem, request.size, request.sources);
  const ProductCheck check(product.a(), product.b(), product.c(), request.sources.seed);
  about.matrices_s = preparing.elapsed_s();
  ranks.start();
  ranks.check_memory(needed_bytes(executions, request.about.problem.block_size));
  if (!request.about.paced) {
    ranks.check_cores(request.workers, Communication::between, request.force, kForcedRun);
  }
  ProductLeader leader(communicator, request.options, request.workers);
  for (ProductExecution& execution : executions) {
    if (&execution != &executions.front()) product.restore_c();
    const Stopwatch wall;
    execution.real = leader.run(execution.plan, execution.predicted, product);
    product.check_unchanged();
    const std::string fault = check.find_fault(product.c());
    if (!fault.empty()) throw SimulationError(execution.algorithm + ": " + fault);
    product.keep_c();
    execution.wall_s = wall.elapsed_s();
    execution.check = check.name();
  }
  ranks.finish();
  const Case& instance = *request.distributed;
  print(json ? product_json(about, instance, executions)
             : product_text(about, instance, executions));
  return kSuccess;
}

}  // namespace starport::mpi
