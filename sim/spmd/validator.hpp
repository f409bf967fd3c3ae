// Validator of distributed products: checks a run against the definition of the model. It shares no
// formula with the engines.
#pragma once

#include "sim/platform/noise/expected_noise.hpp"
#include "sim/spmd/cluster.hpp"
#include "sim/spmd/partition.hpp"
#include "sim/spmd/product_run.hpp"
#include "sim/spmd/two_processors.hpp"

#include <string>
#include <vector>

namespace starport::spmd {

/// Describes the first fault of a partition of C among nodes and devices in one line without a
/// newline; returns "" if there is none. Every node must have one rectangle of at least one block,
/// the rectangles must cover C without overlap, and the widths of the slices of a rectangle, one
/// per device (0: no work), must add up to its own, in columns of elements. Arrangement::columns is
/// not checked.
std::string find_fault(const Cluster& cluster, const Partition& partition);

/// Checker of a run of a distributed product, stage (range of identical iterations) by stage,
/// against the rules of the model. Construct it, call check() for every stage in order, such as in
/// a StageSink, then check_end(). A check that fails throws SimulationError, which names the broken
/// rule; discard the object then. Cluster, partition and noise must outlive it.
class Validator {
 public:
  /// Checks the partition of C among nodes and devices. `noise` may be null: no noise. Cluster,
  /// partition and noise must outlive the validator. Throws SimulationError if the partition has a
  /// fault (find_fault()).
  Validator(const Cluster& cluster, const Partition& partition,
            const ExpectedNoise* noise = nullptr);

  /// Checks the next stage (range of identical iterations) of the run and throws SimulationError if
  /// it breaks one of these rules:
  /// - Order: its first iteration follows the last one of the previous stage and starts when that
  ///   has ended (check_end() checks the start of the first stage).
  /// - Messages: each piece (range of blocks) is sent by its owner or by a node that has received
  ///   it, and only to nodes that need it, once each. Before its update, every node has its rows of
  ///   the block column of A and its columns of the block row of B that the iteration uses.
  /// - Links: none is faster than its bandwidth allows, and the slowest one determines the duration
  ///   of the communication.
  /// - Updates: every device takes the time of its update, and the slowest one determines the
  ///   duration of the updates.
  /// - Sizes: no node holds more than its memory unless it has paging (Node::paging), and no device
  ///   updates more blocks of C than its measured speeds cover.
  ///
  /// Noise (random factors and slow-downs) counts; stops of workers are not checked. Durations may
  /// deviate by 1e-9 of the duration of an iteration and the rounding of its dates. `messages` must
  /// be the object that OuterProduct::list() filled for each stage in turn (otherwise the result is
  /// meaningless). Its nodes must exist, and `times` must have a time for each link and device
  /// (otherwise the behaviour is undefined).
  void check(const StageRun& run, const Messages& messages, const IterationTimes& times);
  /// Checks the end of the run and throws SimulationError if it breaks a rule: every iteration has
  /// run; the transfers of the hub, the host that holds the matrices if `home` is Home::hub
  /// (Home::workers: the workers hold them), are complete and take their time; the first iteration
  /// starts when the hub has sent all parts, at 0 without a hub; the makespan is the end of the
  /// last activity; and the sums of the update times are those of the stages. `run` must be the one
  /// whose stages were checked (otherwise the behaviour is undefined). Must be called once, after
  /// the last stage.
  void check_end(const ProductRun& run, Home home = Home::workers);

 private:
  /// Blocks that a node sends and receives in an iteration.
  struct Traffic {
    std::int64_t sent = 0;
    std::int64_t received = 0;
  };
  /// Checks the messages of one matrix, and counts the blocks of each node.
  void check_pieces(const Stage& stage, const std::vector<Hop>& hops, PerWorker<Traffic>& traffic);
  void check_owner(const Stage& stage, const Hop& hop) const;
  void check_complete(const Stage& stage) const;
  static double tolerance_s(const StageRun& run);
  void check_links(const StageRun& run, const IterationTimes& times) const;
  void check_updates(const StageRun& run, const IterationTimes& times);
  /// Checks the transfers of the hub that start at a date, each of `matrices` matrices. Returns the
  /// date at which they end.
  double check_hub(const PerWorker<double>& transfers_s, std::int64_t matrices, std::int64_t number,
                   double start_s) const;

  const Cluster& cluster_;
  const Partition& partition_;
  const ExpectedNoise* noise_;
  std::int64_t next_pivot_ = 0;
  double now_s_ = 0;
  PerWorker<double> updates_s_;         ///< durations of the current stage's updates, by node
  PerWorker<double> computing_s_;       ///< sums of updates_s_
  std::int64_t piece_ = 0;              ///< number of the piece whose hops are being checked
  PerWorker<std::int64_t> last_piece_;  ///< last piece that each node received
  PerWorker<Traffic> a_;                ///< blocks of A in the current stage
  PerWorker<Traffic> b_;                ///< blocks of B in the current stage
};

/// Checks a plan for two processors (but not plan.messages) and its run, and throws
/// SimulationError, which names the broken rule: run.messages have the sizes, and the processors
/// the work, of the plan's shape and cut; messages follow each other on the link (in each
/// direction, if plan.both_directions) and take its time; work that needs messages starts when the
/// last message has arrived and the processor's other work has ended; each processor computes at
/// its speed; with noise, no worker stops before its part is done; the dates of the last message
/// and of the last processor are run.communication_s and run.makespan_s. `noise` may be null: no
/// noise. Dates may deviate by 1e-9 of the makespan, work by 1e-9 N³ flop.
void validate(const TwoProcessors& problem, const BulkPlan& plan, const BulkRun& run,
              const ExpectedNoise* noise = nullptr);

}  // namespace starport::spmd
