// Validator of distributed products: checks a run against the model, independently of engines.
#pragma once

#include "sim/spmd/cluster.hpp"
#include "sim/spmd/hub.hpp"
#include "sim/spmd/product_run.hpp"
#include "sim/spmd/two_processors.hpp"

#include <string>
#include <vector>

namespace starport::spmd {

/// Describes the first fault of a partition: rectangles must cover C exactly, and slices each
/// rectangle. Returns "" if there is none.
std::string find_fault(const Cluster& cluster, const Partition& partition);

/// Checks a run stage by stage. Every check throws SimulationError, which names the broken rule.
class Validator {
 public:
  /// Checks the partition. `cluster` and `partition` must outlive the validator.
  Validator(const Cluster& cluster, const Partition& partition,
            const Durations& durations = Durations());

  /// Checks the next stage: it starts at the barrier of the previous one; each piece is sent by its
  /// owner or by a node that has received it; every node has its rows of the pivot column and its
  /// columns of the pivot row before it updates; no link exceeds its bandwidth; every device takes
  /// its time.
  void check(const StageRun& run, const Messages& messages, const IterationTimes& times);
  /// Checks the end of the run: every pivot was used, the hub's transfers are complete, and the
  /// makespan is the end of the last activity.
  void check_end(const ProductRun& run, Home home = Home::workers);

 private:
  /// Checks the messages of one matrix, and stores the blocks that each node receives in
  /// `received`.
  void check_pieces(const Stage& stage, const std::vector<Hop>& hops,
                    PerWorker<std::int64_t>& received);
  void check_owner(const Stage& stage, const Hop& hop) const;
  void check_complete(const Stage& stage) const;
  void check_links(const StageRun& run, const IterationTimes& times);
  void check_hub(const PerWorker<double>& transfers_s, HubPhase phase, double start_s) const;
  void check_updates(const StageRun& run, const IterationTimes& times);

  const Cluster& cluster_;
  const Partition& partition_;
  Durations durations_;
  PerWorker<std::vector<double>> nominal_s_;  ///< of the devices' updates
  std::int64_t next_pivot_ = 0;
  double now_s_ = 0;
  double slowest_due_s_ = 0;            ///< duration of an iteration's slowest update
  std::int64_t piece_ = 0;              ///< number of the piece whose hops are being checked
  PerWorker<std::int64_t> last_piece_;  ///< last piece that each node received
  PerWorker<std::int64_t> a_blocks_;    ///< received in the current stage
  PerWorker<std::int64_t> b_blocks_;    ///< received in the current stage
  Loads loads_;
};

/// Checks a run on two processors: no message is faster than the link or overlaps another one in
/// its direction, and no processor computes before its data have arrived or faster than its speed.
/// Throws SimulationError, which names the broken rule.
void validate(const TwoProcessors& problem, const BulkPlan& plan, const BulkRun& run,
              const Durations& durations = Durations());

}  // namespace starport::spmd
