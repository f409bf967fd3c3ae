// Timelines of distributed products.
#pragma once

#include "sim/results/timeline.hpp"
#include "sim/spmd/cluster.hpp"
#include "sim/spmd/product_run.hpp"
#include "sim/spmd/two_processors.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport::spmd {

/// Builds the timeline of a run: for each worker a lane for its link and one for its slowest
/// device. A slice represents one iteration, or several successive ones if there would be too many
/// slices: first all their communications, then all their updates. Every iteration of a stage is
/// shown.
class ProductTimeline {
 public:
  /// `arrangement` must outlive this object.
  ProductTimeline(std::string name, const Arrangement& arrangement);

  /// Adds the next stage with the messages and times of one of its iterations.
  void add(const StageRun& stage, const Messages& messages, const IterationTimes& times);
  /// Returns the timeline after the last stage, with the hub's transfers if there is a hub.
  Timeline make(const ProductRun& run, std::optional<double> bound_s) &&;

 private:
  /// Sums of one worker over the iterations of the next slices.
  struct Sum {
    double link_s = 0;
    double update_s = 0;
    std::int64_t sent = 0;
    std::int64_t received = 0;
  };

  void add_slices();
  /// Adds the lane of the hub's port with its transfers.
  void add_port(const ProductRun& run);

  const Arrangement& arrangement_;
  Loads loads_;
  Timeline timeline_;
  std::int64_t group_size_ = 1;  ///< iterations per slice
  std::int64_t next_pivot_ = 0;
  // Iterations collected for the next slices.
  std::int64_t collected_ = 0;
  double start_s_ = 0;
  double communication_s_ = 0;
  PerWorker<Sum> sums_;
};

/// Returns the timeline of a product on two processors: lanes for the link, or for each of its
/// directions, and for both processors.
Timeline bulk_timeline(std::string name, const TwoProcessors& problem, const BulkPlan& plan,
                       const BulkRun& run);

}  // namespace starport::spmd
