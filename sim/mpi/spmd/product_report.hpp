// Reports predicted and real times of distributed products side by side, as text and as JSON.
#pragma once

#include "sim/mpi/execution/execution_report.hpp"
#include "sim/mpi/spmd/product_messages.hpp"
#include "sim/results/model.hpp"
#include "sim/spmd/distribution.hpp"
#include "sim/spmd/product_run.hpp"

#include <string>
#include <vector>

namespace starport::mpi {

/// The prediction and the real run of one algorithm for distributed products.
struct ProductExecution {
  std::string algorithm;
  spmd::ProductPlan plan;
  spmd::ProductRun predicted;
  PerWorker<WorkerTimes> real;
  std::string check;  ///< method by which C was checked (ProductCheck)
  double wall_s = 0;  ///< wall time of the run, the check and storing C

  /// Returns the latest end of a worker, in seconds since the start of the product.
  double real_makespan_s() const;
};

/// Returns the report as text: the makespans, then the times of each worker. `executions` must not
/// be empty.
std::string product_text(const ExecutionContext& context, const Case& instance,
                         const std::vector<ProductExecution>& executions);
/// Returns the report as JSON.
std::string product_json(const ExecutionContext& context, const Case& instance,
                         const std::vector<ProductExecution>& executions);

}  // namespace starport::mpi
