// Validator of distributed products: checks a run against the model, independently of engines.
#pragma once

#include "sim/spmd/cluster.hpp"
#include "sim/spmd/engine.hpp"
#include "sim/spmd/product_run.hpp"
#include "sim/spmd/two_processors.hpp"

#include <string>
#include <vector>

namespace starport::spmd {

/// Describes the first fault of a partition of C among nodes and devices in one line without a
/// newline; returns "" if there is none. Every node must have one rectangle of at least one block,
/// rectangles must cover C exactly, and slices (vertical parts) must cover each rectangle, one per
/// device. Arrangement::columns is not checked.
std::string find_fault(const Cluster& cluster, const Partition& partition);

/// Checks a run of a distributed product, stage (range of identical iterations) by stage, against
/// the rules of the model. Construct it, call check() for every stage in order, such as in a
/// StageSink, then check_end(). Every check throws SimulationError, which names the broken rule;
/// discard the object then.
class Validator {
 public:
  /// Checks the partition of C among nodes and devices. `cluster` and `partition`, and the noise in
  /// `durations` if any, must outlive the validator. Throws SimulationError if the partition has a
  /// fault (find_fault()) and NotApplicable if a memory is too small or measured speeds do not
  /// cover the size of a device's part.
  Validator(const Cluster& cluster, const Partition& partition,
            const ProductDurations& durations = ProductDurations());

  /// Checks the next stage (range of identical iterations) of the run and throws SimulationError if
  /// it breaks a rule: it starts no earlier than the barrier of the previous one; each piece (range
  /// of blocks) is sent by its owner or by a node that has received it; every node has its rows of
  /// the block column of A and its columns of the block row of B used in the iteration before it
  /// updates; no link exceeds its bandwidth; every device takes the time of its update. Durations
  /// may deviate by 1e-9 of an iteration. `messages` must be the object that OuterProduct::list()
  /// filled for each stage in turn; its nodes must exist, and `times` must have a time for each
  /// link and device (undefined behaviour otherwise).
  void check(const StageRun& run, const Messages& messages, const IterationTimes& times);
  /// Checks the end of the run and throws SimulationError if it breaks a rule: every iteration has
  /// run, the transfers of the hub, the host that holds the matrices (only if `home` is Home::hub),
  /// are complete and not too fast, and the makespan is the end of the last activity. `run` must
  /// have the stages that were checked. Must be called once, after the last stage.
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
  ProductDurations durations_;
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

/// Checks a run on two processors with a tolerance of 1e-9 and throws SimulationError, which names
/// the broken rule: no message is faster than the link or overlaps another one on it (in its
/// direction, if plan.both_directions); no processor starts its work that needs messages before
/// run.communication_s, or computes faster than its speed; with noise, no worker stops before its
/// part is done; the messages are as many as those of `plan`; the dates of the last message and of
/// the last processor are run.communication_s and run.makespan_s. `run` must have the messages of
/// `plan` in order (not checked).
void validate(const TwoProcessors& problem, const BulkPlan& plan, const BulkRun& run,
              const ProductDurations& durations = ProductDurations());

}  // namespace starport::spmd
