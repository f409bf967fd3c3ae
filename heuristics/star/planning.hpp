// Orders of steps planned before execution, for OMMOML and Het: the cost of steps, the clocks by
// which they are planned, and dispatchers that run them (PPoPP'08, section 5, "Incremental resource
// selection", in two phases).
#pragma once

#include "sim/star/dispatcher.hpp"
#include "sim/star/heuristic.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace starport {

/// Durations of the steps of one worker, for planning an order of steps. A step is one message with
/// blocks of A and B for a full chunk (the mu x mu blocks of C that the worker holds): it moves 2
/// mu blocks and allows mu^2 block updates. Durations are simulated seconds without noise. Made by
/// compute_step_costs(); a plain value.
struct StepCosts {
  /// Index of the worker in the platform, from 0.
  std::int32_t worker = 0;
  /// Side of the worker's chunks (squares of C), in blocks, at least 1: the largest that fits in
  /// its memory with the buffers for A and B, or the fastest if its speed depends on the size
  /// (chunk_side()).
  std::int64_t mu = 0;
  /// Number of steps (messages with blocks of A and B, each for one update) per chunk (square of
  /// blocks of C): t, the number of block columns of A.
  std::int64_t chunk_steps = 0;
  /// Number of steps (messages with blocks of A and B, each for one update) per panel (mu block
  /// columns of C over all r block rows; mu: side of a chunk): t ceil(r / mu), with t block columns
  /// of A.
  std::int64_t panel_steps = 0;
  /// Number of block updates (products of two blocks) that a step allows: mu^2, for chunks of side
  /// mu in blocks.
  double updates = 0;
  /// Transfer time of the message with a step's blocks of A and B, in seconds: 2 mu c (mu: side of
  /// a chunk in blocks, c: seconds per block) plus the latency, once for all blocks.
  double ab_s = 0;
  /// Time to transfer a chunk of C one way, in seconds: mu^2 c (blocks of the chunk, seconds per
  /// block), plus the latency.
  double c_s = 0;
  /// Computation time of a step on the worker, in seconds: mu^2 w (block updates, seconds per
  /// update).
  double computation_s = 0;
  /// Lower bound in seconds on the time to send, compute and return one block column of C, if the
  /// transfers of A and B took no time: r (t w + 2 c) for r block rows of C and t updates of each
  /// block, w seconds each, and c seconds per block moved; with the worker's highest speed and
  /// without latency.
  double column_s = 0;
};
/// Returns the costs of steps (messages with blocks of A and B for one update of a chunk) for each
/// worker that has memory for at least a chunk of one block in `layout`, in ascending order of the
/// worker index. Other workers are left out, so the position in the result may differ from the
/// index in the platform; empty if no worker has the memory. `layout` must have buffers for one
/// value of k (inner index of C_ij += A_ik B_kj), not square ones (not checked: the durations would
/// be too short). Keeps no reference.
std::vector<StepCosts> compute_step_costs(const Platform& platform, const Problem& problem,
                                          const MemoryLayout& layout);

/// Planned state of one worker by the simplified dates that the papers plan with: the transfer of a
/// worker's next step ends no earlier than its previous update, as if it had one set of buffers. An
/// element of a PlanningClock, or used alone. A plain value, which refers to no other object. Dates
/// are seconds since the start of the plan, or since the origin that rebase() sets.
struct CoarsePlannedWorker {
  CoarsePlannedWorker() = default;
  /// Creates the state of a worker without planned steps (blocks of A and B for one update), with
  /// copies of its figures in `cost`. With `counts_c`, the transfer of its first step includes
  /// sending one chunk of C; the chunk's return and later chunks never count. Otherwise all
  /// transfers of C are ignored.
  CoarsePlannedWorker(const StepCosts& cost, bool counts_c)
      : updates(cost.updates),
        communication_s(cost.ab_s + (counts_c ? cost.c_s : 0)),
        later_s(cost.ab_s),
        computation_s(cost.computation_s) {}

  /// Returns the date, in seconds, at which the worker would have received its next step (blocks of
  /// A and B for one update) if the master's port were free from `from_s` on: the end of the
  /// transfer, or, if later, of the worker's previous update (end_i in PPoPP'08). Changes nothing.
  double step_end_s(double from_s) const { return std::max(from_s + communication_s, ready_s); }
  /// Returns the date, in seconds, at which this worker would have received a second step (blocks
  /// of A and B for one update) if it received its next one at `end_s` (seconds) and the second
  /// were sent at once: the end of that transfer or, if later, of the update between.
  double second_step_end_s(double end_s) const { return end_s + std::max(later_s, computation_s); }
  /// Records that the worker's next step (blocks of A and B for one update) is received at `end_s`,
  /// in seconds from the start of the plan or the origin set by rebase(), at least step_end_s()
  /// (not checked): the worker is ready again one computation later.
  void plan_step(double end_s) {
    ready_s = end_s + computation_s;
    communication_s = later_s;
  }
  /// Moves the origin of time to `origin_s`, i.e. subtracts it (seconds) from `ready_s`, the end of
  /// the work planned on the worker.
  void rebase(double origin_s) { ready_s -= origin_s; }

  /// Number of block updates of a step of the worker: mu^2, mu being the side of its chunks in
  /// blocks.
  double updates = 0;
  /// Transfer time of the worker's next step (blocks of A and B), in seconds. If the transfers of C
  /// count, it includes sending one chunk (square of blocks of C) to the worker before the worker's
  /// first step of the whole plan; the chunk's return and the transfers of later chunks are not
  /// included.
  double communication_s = 0;
  /// Transfer time of each step (blocks of A and B) of the worker after the next one, in seconds.
  double later_s = 0;
  /// Computation time of a step on the worker, in seconds.
  double computation_s = 0;
  /// Date at which all work planned on the worker ends (ready_i in PPoPP'08), in seconds from the
  /// start of the plan or the origin set by rebase().
  double ready_s = 0;
};

/// Planned state of one worker by the dates that the simulation will have: with two sets of
/// buffers, the transfer of a step can start once the last update but one has ended, and the step's
/// own update once the last one has. If C counts, the first step of each chunk comes after the
/// return of the previous chunk, which waits for its last update, and the transfer of the new one.
/// An element of an ExactClock, or used alone. Dates are seconds since the start of the plan, or
/// since the origin that rebase() sets.
struct ExactPlannedWorker {
  /// Creates the state of a worker without planned steps (blocks of A and B for one update), with
  /// copies of its figures in `cost`. With `counts_c`, the transfers of chunks of C to and from the
  /// worker take their time (cost.chunk_steps must then be above 0, not checked: division by zero
  /// in step_end_s()); otherwise they are ignored.
  ExactPlannedWorker(const StepCosts& cost, bool counts_c)
      : updates(cost.updates),
        ab_s(cost.ab_s),
        c_s(counts_c ? cost.c_s : 0),
        computation_s(cost.computation_s),
        chunk_steps(cost.chunk_steps) {}

  /// Returns the date, in seconds, at which the worker would have received its next step (blocks of
  /// A and B for one update) if the master's port were free from `from_s` on. The transfer waits
  /// until one of the worker's two sets of buffers is free. If C counts, the first step of a chunk
  /// comes after the return of the previous chunk and the transfer of the new one.
  double step_end_s(double from_s) const {
    if (steps == 0) return from_s + c_s + ab_s;
    if (c_s > 0 && steps % chunk_steps == 0) return std::max(from_s, ready_s) + 2 * c_s + ab_s;
    return std::max(from_s, buffers_s) + ab_s;
  }
  /// Returns the date, in seconds, at which this worker would have received a second step (blocks
  /// of A and B for one update) if it received its next one at `end_s` (seconds) and the second
  /// were sent as soon as a set of buffers is free, after the transfers of C between them if they
  /// count.
  double second_step_end_s(double end_s) const {
    ExactPlannedWorker after = *this;
    after.plan_step(end_s);
    return after.step_end_s(end_s);
  }
  /// Records that the worker's next step (blocks of A and B for one update) is received at `end_s`,
  /// in seconds, at least step_end_s() (not checked): its computation starts then or, if later,
  /// when the previous one ends.
  void plan_step(double end_s) {
    buffers_s = ready_s;
    ready_s = std::max(end_s, ready_s) + computation_s;
    ++steps;
  }
  /// Moves the origin of time to `origin_s`, i.e. subtracts it (seconds) from all dates of the
  /// worker.
  void rebase(double origin_s) {
    ready_s -= origin_s;
    buffers_s -= origin_s;
  }

  /// Number of block updates of a step of the worker: mu^2, mu being the side of its chunks in
  /// blocks.
  double updates;
  /// Transfer time to the worker of a step's blocks of A and B (one update), in seconds.
  double ab_s;
  /// Time to transfer a chunk (square of blocks of C) one way, in seconds; 0 if the transfers of C
  /// are ignored.
  double c_s;
  /// Computation time of a step on the worker, in seconds.
  double computation_s;
  /// Number of steps (messages with blocks of A and B) per chunk of C; greater than 0 (not checked:
  /// division by zero if the transfers of C count).
  std::int64_t chunk_steps;
  /// Number of steps (messages with blocks of A and B) planned on the worker so far.
  std::int64_t steps = 0;
  /// Date at which all work planned on the worker ends, in seconds.
  double ready_s = 0;
  /// Date, in seconds, from which one of the worker's two sets of buffers for A and B is free for
  /// its next step: the end of its last planned update but one.
  double buffers_s = 0;
};

/// State of a plan on one port: the planned state of each worker, as a `PlannedWorker`
/// (CoarsePlannedWorker or ExactPlannedWorker), and the end of the last communication. Steps
/// (messages with blocks of A and B for one update) are planned one after the other. Not linked to
/// a simulation; refers to no other object. Dates are seconds since the start of the plan.
template <class PlannedWorker>
struct StepClock {
  /// Creates an empty plan for the workers with these costs of steps (seconds), in the same order.
  /// With `counts_c`, transfers of C count: with CoarsePlannedWorker the sending of each worker's
  /// first chunk, with ExactPlannedWorker the sending of all chunks and the return of all but its
  /// last. `costs` is not kept.
  explicit StepClock(const std::vector<StepCosts>& costs, bool counts_c = false) {
    for (const StepCosts& cost : costs) workers.emplace_back(cost, counts_c);
  }

  /// Returns the date in seconds at which `worker`, an element of `workers`, would have received
  /// its next step (blocks of A and B for one update) if it were planned now.
  double step_end_s(const PlannedWorker& worker) const {
    return worker.step_end_s(communication_end_s);
  }
  /// Plans the next step (blocks of A and B for one update) on `workers[i]` and sets
  /// `communication_end_s` to the date at which it is received. `i` counts from 0; undefined
  /// behaviour for i >= workers.size().
  void plan_step(std::size_t i) {
    communication_end_s = step_end_s(workers[i]);
    workers[i].plan_step(communication_end_s);
  }
  /// Moves the origin of time to `origin_s`, i.e. subtracts it (seconds) from all dates of the
  /// plan.
  void rebase(double origin_s) {
    for (PlannedWorker& worker : workers) worker.rebase(origin_s);
    communication_end_s -= origin_s;
  }

  /// Planned state of each worker, in the order of the costs given to the constructor, not by index
  /// in the platform.
  std::vector<PlannedWorker> workers;
  /// Date at which the last planned communication ends, when the port is free again (T in
  /// PPoPP'08), in seconds.
  double communication_end_s = 0;
};
/// State of a plan of steps (messages with blocks of A and B for one update) on one port by the
/// simplified dates of the papers, in which a worker receives a step no earlier than the end of its
/// previous update. Dates are seconds since the start of the plan.
using PlanningClock = StepClock<CoarsePlannedWorker>;
/// State of a plan of steps (messages with blocks of A and B for one update) on one port by the
/// dates that a simulation of full chunks of C has, with communication to a worker overlapped with
/// its computation. The transfers of C count only if the constructor is asked to count them. Dates
/// are seconds since the start of the plan.
using ExactClock = StepClock<ExactPlannedWorker>;

/// An order of steps: for each step, the index of its worker in the platform, from 0. A step sends
/// a worker the blocks of A and B for one update of its chunk (square of blocks of C).
using StepOrder = std::vector<std::int32_t>;

/// Creates a dispatcher, never null, that executes the steps (blocks of A and B for one update) of
/// `order` one after the other, with chunks of C of the sides that chunk_side() gives for `layout`.
/// Before a step, the worker's complete chunk is received and a new one sent where needed; a step
/// is skipped if no column of C is left or its worker has no memory for a chunk. Complete chunks
/// still held at the end are received in the order in which their last updates end. If the order is
/// too short, C is computed only in part: each incomplete chunk is sent one step beyond the order
/// and never returned. Worker indices must be valid for the platform (not checked: undefined
/// behaviour). A run throws SimulationError if a worker stops (noise) that a later step or return
/// needs. The problem must outlive the dispatcher; the platform and the layout need not.
std::unique_ptr<Dispatcher> make_order_dispatcher(StepOrder order, const Platform& platform,
                                                  const Problem& problem,
                                                  const MemoryLayout& layout);

/// Simulates an order of steps (the worker of each message with blocks of A and B), with chunks of
/// C of the sides that chunk_side() gives for `layout`, without noise and returns its makespan in
/// simulated seconds; 0 for an empty order. Steps are executed, skipped and completed as by
/// make_order_dispatcher(); an order that is too short gives the end of its last transfer. Exact
/// for one-port and two-port masters; a multi-port master is simulated as if it were two-port.
/// Takes time proportional to the number of transfers. Worker indices must be valid for the
/// platform (not checked: undefined behaviour).
double order_makespan_s(const StepOrder& order, const Platform& platform, const Problem& problem,
                        const MemoryLayout& layout);

}  // namespace starport
