// Reports predicted and real times of distributed products side by side, as text and as JSON.
#pragma once

#include "sim/mpi/execution/execution_report.hpp"
#include "sim/mpi/transport/messages.hpp"
#include "sim/results/model.hpp"
#include "sim/spmd/distribution.hpp"
#include "sim/spmd/product_run.hpp"

#include <string>
#include <vector>

namespace starport::mpi {

/// The prediction and the real run of one algorithm for distributed products: filled by
/// execute_products(), and reported by product_text() or product_json(). Owns its data.
struct ProductExecution {
  /// Name of the algorithm that distributes the matrices (NamedAlgorithm::name): its registered
  /// name with the given parameters, such as "FPM".
  std::string algorithm;
  /// Distribution of the matrices over the workers, and the routes of their messages.
  spmd::ProductPlan plan;
  /// Predicted (simulated) run of the distributed product, in seconds; in emulated runs (prolonged
  /// to the platform's durations) its durations are multiplied by ExecutionContext::time_scale.
  spmd::ProductRun predicted;
  /// Wall times in seconds (communication, updates, waiting, makespan) of each worker in the real
  /// run, by index from 0; empty before it.
  PerWorker<WorkerTimes> real;
  /// Method by which C was checked, as a phrase to follow "checked" (CheckOutcome::method); empty
  /// before the check.
  std::string check;
  /// Wall time in seconds of the real run, the check of C and storing C together; 0 before the run.
  double wall_s = 0;

  /// Returns the makespan of the real run: the latest end of a worker's last iteration, in seconds
  /// since all workers had their parts of A, B and C; sending these and collecting C do not count.
  /// 0 before the real run.
  double real_makespan_s() const;
};

/// Returns the report of distributed products as text, which ends in a newline: the makespans, then
/// the times of each worker, in seconds. `context` holds the settings, `instance` the platform and
/// the problem of all runs. `executions` must not be empty, and all must have their real runs (not
/// checked: undefined behaviour otherwise). The text says that C is right: each run must have
/// passed its check (not checked).
std::string product_text(const ExecutionContext& context, const Case& instance,
                         const std::vector<ProductExecution>& executions);
/// Returns the report of distributed products as an indented JSON document, which ends in a
/// newline. Durations are in seconds. `context` holds the settings, `instance` the platform and the
/// problem of all runs. All executions must have their real runs (not checked: undefined behaviour
/// otherwise). If `executions` is empty, so is the list of results.
std::string product_json(const ExecutionContext& context, const Case& instance,
                         const std::vector<ProductExecution>& executions);

}  // namespace starport::mpi
