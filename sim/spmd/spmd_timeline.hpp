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

/// Builder of the timeline (chart data) of a run of a distributed product: for each worker a lane
/// (row) for its link and one for its slowest device. A slice (activity) represents one iteration,
/// or several successive ones if there would be more than about 50 000 slices: first all their
/// communications, then all their updates. Every iteration of a stage is shown. Call add() for each
/// stage in order, such as in a StageSink, then make().
class ProductTimeline {
 public:
  /// Creates the lanes (rows) of a timeline called `name`. `arrangement`, the division of C among
  /// the workers in the run, must outlive this object.
  ProductTimeline(std::string name, const Arrangement& arrangement);

  /// Adds the next stage (range of identical iterations) of the run, with the messages and times of
  /// one of its iterations. Must be called for the stages in order, with the `messages` that
  /// OuterProduct::list() filled for each in turn. Requires times of each node of the arrangement
  /// (undefined behaviour otherwise).
  void add(const StageRun& stage, const Messages& messages, const IterationTimes& times);
  /// Returns the timeline after the last stage, with the makespan of `run`, whose stages were
  /// added, and the transfers of its hub (host that holds the matrices) if there is one. `bound_s`
  /// is the lower bound on the makespan to draw, in seconds; empty: none. Consumes this object,
  /// which must not be used afterwards. The result refers to nothing.
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

/// Returns the timeline of `run`, a run of `plan` for `problem`, a product on two processors (not
/// checked). It is called `name`, and has lanes (rows) for the link, or for each of its directions,
/// and for both processors. Activities of no duration are left out. The result has no lower bound
/// on the makespan and refers to none of the arguments.
Timeline bulk_timeline(std::string name, const TwoProcessors& problem, const BulkPlan& plan,
                       const BulkRun& run);

}  // namespace starport::spmd
