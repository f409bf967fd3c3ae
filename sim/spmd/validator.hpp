// Whether a run of the distributed product kept the rules. It knows the partition, the platform and
// what the run says of itself, and nothing of engines.
#pragma once

#include "sim/spmd/cluster.hpp"
#include "sim/spmd/hub.hpp"
#include "sim/spmd/product_run.hpp"
#include "sim/spmd/two_processors.hpp"

#include <string>
#include <vector>

namespace starport::spmd {

/// The first rule that a partition breaks: rectangles cover C exactly, slices each rectangle; ""
/// when it keeps them all.
std::string find_fault(const Cluster& cluster, const Partition& partition);

/// Follows a run. Every check throws SimulationError, which names the rule.
class Validator {
 public:
  /// All outlive it. Checks the partition.
  Validator(const Cluster& cluster, const Partition& partition,
            const Durations& durations = Durations());

  /// Stages in their order: each begins at the barrier of the one before. Each piece comes from its
  /// owner or from who has it already; every node has its rows of the pivot column and its columns
  /// of the pivot row before it updates; no link carries more than its bandwidth; every device
  /// takes its time.
  void check(const StageRun& run, const Messages& messages, const IterationTimes& times);
  /// After the last stage: every pivot was used, and what lies at a hub came and went.
  void check_end(const ProductRun& run, Home home = Home::workers);

 private:
  /// Of a matrix; gives what each node receives.
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
  double slowest_due_s_ = 0;            ///< update of an iteration
  std::int64_t piece_ = 0;              ///< number of the piece whose hops are read
  PerWorker<std::int64_t> last_piece_;  ///< that each node received
  // Of the stage under way.
  PerWorker<std::int64_t> a_blocks_;  ///< received
  PerWorker<std::int64_t> b_blocks_;
  Loads loads_;
};

/// Two processors: no message is faster than the link or meets another, and nobody computes before
/// the data are there, nor faster than it can. Throws SimulationError.
void validate(const TwoProcessors& problem, const BulkPlan& plan, const BulkRun& run,
              const Durations& durations = Durations());

}  // namespace starport::spmd
