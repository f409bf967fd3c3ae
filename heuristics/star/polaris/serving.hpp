// The order in which the master serves the workers (heuristics/star/polaris/README.md, "The port").
#pragma once

#include "heuristics/star/polaris/bundles.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace starport::polaris {

/// A rectangle of C, who does it and how.
struct Task {
  int worker = 0;
  Rectangle c;
  Mode mode;
};

struct ServingOptions {
  ModeChoice modes;
  BundleOptions bundles;
  /// A worker starves unless its work lasts this many times the time of its next message.
  double patience = 5;
  std::int64_t return_columns = 1;  ///< of finished C in one message, at most
};

/// What came out for one task.
struct TaskOutcome {
  double finish_s = 0;   ///< the end of its last update
  double compute_s = 0;  ///< of all its updates
  double home_s = 0;     ///< the end of its last return
};

struct ServedTasks {
  double makespan_s = 0;
  std::vector<TaskOutcome> tasks;    ///< in their order
  std::vector<std::uint32_t> order;  ///< of each transfer: 2 * task, + 1 for a return
  std::int64_t transfers = 0;
};

/// Serves the tasks, at most one for each worker; stops as soon as the makespan reaches `limit_s`
/// and then gives an infinite one.
ServedTasks serve_tasks(const Platform& platform, const Problem& problem,
                        const std::vector<Task>& tasks, const ServingOptions& options,
                        bool keep_order, double limit_s);

}  // namespace starport::polaris
