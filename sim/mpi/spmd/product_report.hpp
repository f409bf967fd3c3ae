// Distributed products, predicted and for real, side by side.
#pragma once

#include "sim/spmd/distribution.hpp"
#include "sim/mpi/execution/execution_report.hpp"
#include "sim/mpi/spmd/product_messages.hpp"
#include "sim/results/model.hpp"
#include "sim/spmd/product_run.hpp"

#include <string>
#include <vector>

namespace starport::mpi {

/// One algorithm, simulated and run.
struct ProductExecution {
  std::string algorithm;
  spmd::ProductPlan plan;
  spmd::ProductRun predicted;
  PerWorker<NodeTimes> real;
  std::string check;  ///< how C was checked; it is right
  double wall_s = 0;  ///< of the run, until C was checked and kept

  double real_makespan_s() const;
};

/// For people: makespans, then each worker's share.
std::string product_text(const ExecutionAbout& about, const Case& instance,
                         const std::vector<ProductExecution>& executions);
/// One JSON object.
std::string product_json(const ExecutionAbout& about, const Case& instance,
                         const std::vector<ProductExecution>& executions);

}  // namespace starport::mpi
