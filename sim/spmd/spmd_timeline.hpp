// Runs of distributed products as timelines.
#pragma once

#include "sim/results/timeline.hpp"
#include "sim/spmd/cluster.hpp"
#include "sim/spmd/product_run.hpp"
#include "sim/spmd/two_processors.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport::spmd {

/// A link and a computation for each worker; the latter lasts as its slowest device. A slice stands
/// for some successive iterations, one unless the slices would be too many: their communications,
/// then their updates. Equal iterations, simulated once, are all there.
class ProductTimeline {
 public:
  /// The arrangement outlives it.
  ProductTimeline(std::string name, const Arrangement& arrangement);

  /// Stages in their order.
  void add(const StageRun& stage, const Messages& messages, const IterationTimes& times);
  Timeline make(const ProductRun& run, std::optional<double> bound_s) &&;

 private:
  /// Of the iterations that the next slices stand for.
  struct Sum {
    double link_s = 0;
    double update_s = 0;
    std::int64_t sent = 0;
    std::int64_t received = 0;
  };

  void add_slices();
  /// The hub's port, which comes to every worker in turn.
  void add_port(const ProductRun& run);

  const Arrangement& arrangement_;
  Loads loads_;
  Timeline timeline_;
  std::int64_t group_size_ = 1;  ///< iterations that a slice stands for
  std::int64_t next_pivot_ = 0;
  // Of those collected for the next slices.
  std::int64_t collected_ = 0;
  double start_s_ = 0;
  double communication_s_ = 0;
  PerWorker<Sum> sums_;
};

/// The link, or its two directions, and both processors.
Timeline bulk_timeline(std::string name, const TwoProcessors& problem, const BulkPlan& plan,
                       const BulkRun& run);

}  // namespace starport::spmd
