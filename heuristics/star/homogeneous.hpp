// The homogeneous algorithm (Algorithm 1) and the heuristics that use it: HoLM (IPDPS'07 section
// 4), Hom and HomI (PPoPP'08 section 6.2).
#pragma once

#include "sim/star/dispatcher.hpp"
#include "sim/star/heuristic.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace starport {

/// Creates a dispatcher (which decides the messages of a run) of Algorithm 1 of PPoPP'08 and
/// IPDPS'07 on `workers`, distinct indices in the platform from 0, with chunks of `side` x `side`
/// blocks of C; never null. Each worker in turn takes a panel (`side` block columns); then, for
/// each row of chunks: a chunk of C to each worker in turn, t times (the block columns of A) blocks
/// of A and B to each in turn, and the chunks of C back from each in turn; so again until C is
/// complete. O(1) per transfer. The dispatcher ends at once, without computing C, if `workers` is
/// empty or `side` is 0. Memories and duplicates are not checked. A run throws SimulationError for
/// a worker that does not exist or has stopped, except that the dispatcher's own measure() does not
/// check that workers exist (undefined behaviour). Keeps a pointer to the problem, which must
/// outlive it; `workers` is copied.
std::unique_ptr<Dispatcher> make_algorithm_1(const std::vector<int>& workers, std::int64_t side,
                                             const Problem& problem);

/// Returns the number of identical workers that keep the master's port busy: P = min(p, ceil(mu w /
/// (2 c))), at least 1 (PPoPP'08, section 4); a quotient within a relative 1e-9 of an integer
/// counts as that integer. `side` is mu, the side in blocks of a chunk (square of C on a worker),
/// >= 0; `c_s` the time to transfer a block in seconds, > 0; `w_s` the time of a block update in
/// seconds, >= 0; `p` the number of workers available, >= 1. Nothing is checked.
std::int64_t saturating_workers(std::int64_t side, double c_s, double w_s, std::int64_t p);

/// Options of the heuristic HoLM (Algorithm 1 of PPoPP'08 on a homogeneous platform), which sends
/// to identical workers in turn: how many of them it uses. A plain value.
struct HolmParameters {
  /// Number of workers to use, at least 1 (not checked: with 0 the plan sends nothing, below 0
  /// plan_holm() throws std::length_error); more than the platform has counts as all. If empty,
  /// HoLM chooses the number that keeps the master's port busy (saturating_workers()).
  std::optional<std::int64_t> workers;
};
/// Makes the plan of HoLM: Algorithm 1 (identical workers in turn) on the first P workers of a
/// homogeneous platform, where P is the number that keeps the master's port busy unless
/// `parameters` sets it (IPDPS'07, section 4). The platform needs at least one worker, and all must
/// be identical; neither is checked here (without workers the behaviour is undefined), but by
/// Heuristic::plan(). If the memory is too small for a chunk, the plan sends nothing. A run throws
/// SimulationError if a worker in use stops (noise) before its last transfer. The problem must
/// outlive the plan; the platform need not.
Plan plan_holm(const HolmParameters& parameters, const Platform& platform, const Problem& problem);

/// A virtual platform, candidate of the heuristics Hom and HomI: P workers of a heterogeneous
/// platform that are treated as identical ones with memory M (blocks), transfer time C (seconds per
/// block) and update time W (seconds per block update). Each of them has at least that memory and
/// at most these times. A plain value that names no workers; made by make_virtual_platform() or a
/// search for the best one, executed by plan_on_virtual_platform().
struct VirtualPlatform {
  /// Figures that each of the identical workers is taken to have: M in blocks, C in seconds per
  /// block, W in seconds per block update, and as latency, in seconds, the largest of the workers
  /// that meet these thresholds.
  Worker worker;
  /// Side, in blocks, of the largest chunks (squares of blocks of C) that fit in the memory M of
  /// the identical workers with two sets of buffers for A and B (side^2 + 4 side blocks); 0 if M is
  /// too small.
  std::int64_t side;
  /// Number P of workers to use: as many as keep the master's port busy (saturating_workers()), at
  /// most those that meet the thresholds (memory, transfer time, update time); 0 if there are none
  /// or the memory is too small for a chunk (square of blocks of C).
  std::int64_t enrolled;

  /// Creates the virtual platform for `thresholds` (memory, transfer time per block > 0, update
  /// time), which `eligible` workers (>= 0) meet, and computes the side of its chunks of C and the
  /// number of workers to use. The latency is that of `thresholds`. Nothing is checked.
  VirtualPlatform(const Worker& thresholds, std::int64_t eligible)
      : worker(thresholds),
        side(kOptimizedOverlapped.side(worker.m_blocks)),
        enrolled(side == 0 || eligible == 0
                     ? 0
                     : saturating_workers(side, worker.c_s, worker.w_s, eligible)) {}

  /// Returns true if the worker `real` meets the thresholds of this virtual platform: it has at
  /// least the memory and is no slower, in its link and in its computation. Its latency does not
  /// matter.
  bool admits(const Worker& real) const {
    return real.m_blocks >= worker.m_blocks && real.c_s <= worker.c_s && real.w_s <= worker.w_s;
  }
  /// Returns true if this virtual platform is chosen when both have the same estimated makespan:
  /// the one with fewer enrolled workers, then with larger chunks, then with the smaller memory,
  /// transfer time and update time in this order. False if all of these are equal.
  bool is_preferred_to(const VirtualPlatform& other) const;
};

/// Returns the makespan, in simulated seconds without noise, of Algorithm 1 (the workers in turn)
/// on the identical workers of `candidate`, with the constant update time candidate.worker.w_s, and
/// a master with one port, in O(1). `candidate.enrolled` must be positive and problem.s at least 1
/// (not checked: otherwise division by zero).
double estimate_makespan_s(const VirtualPlatform& candidate, const Problem& problem);

/// Choice of the thresholds that Hom or HomI tries. Each consists of a memory M in blocks, a
/// transfer time C in seconds per block and an update time W in seconds per block update: workers
/// with at least that memory and at most these times are treated as identical workers with exactly
/// these figures.
enum class Thresholds {
  /// Thresholds that Hom tries: each worker's memory M, with the largest transfer time and the
  /// largest update time among the workers with at least this memory.
  memory,
  /// Thresholds that HomI tries: each combination of a memory, a transfer time and an update time
  /// of some workers (p^3 for p workers).
  all,
  /// Thresholds by another reading of HomI: the memory, transfer time and update time of each
  /// worker.
  own
};

/// Returns the virtual platform (workers treated as identical ones) of the workers that meet
/// `thresholds` (at least the memory, at most the transfer time and the update time; the latency in
/// `thresholds` is ignored and set to the largest of these workers). Its `enrolled` is 0 if no
/// worker meets them or the memory is too small for a chunk. O(p) for p workers.
VirtualPlatform make_virtual_platform(const Platform& platform, Worker thresholds);
/// Returns one worker for each distinct triple (memory, transfer time, update time) of the
/// platform's workers, in ascending order of memory, then the times. Other figures, such as the
/// latency, are those of any worker with these values.
std::vector<Worker> find_own_thresholds(const Platform& platform);

/// Returns the distinct values of the data member `member` over all workers of the platform, in
/// ascending order, e.g. distinct_values(platform, &Worker::m_blocks); empty without workers.
template <class Value>
std::vector<Value> distinct_values(const Platform& platform, Value Worker::*member) {
  std::vector<Value> values;
  for (const Worker& worker : platform.workers) values.push_back(worker.*member);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Returns the virtual platform with the smallest estimated makespan among `candidates`; of equal
/// ones (within a relative 1e-9), the one preferred by is_preferred_to(). Those with `enrolled` = 0
/// are ignored; at least one other is required, otherwise the behaviour is undefined.
VirtualPlatform find_best(std::vector<VirtualPlatform> candidates, const Problem& problem);
/// Returns the virtual platform with the smallest estimated makespan among all candidates for
/// `thresholds`, by estimating every one (ties within a relative 1e-9: is_preferred_to()): the
/// definition of Hom and HomI. Workers must have constant speeds (at_chunk_size()); others count
/// with their highest speed, w_s. For Thresholds::all it takes O(p^4) time for p workers of
/// distinct figures; use fast::find_best_virtual_platform() for large platforms. Some worker must
/// have the memory for a chunk of one block (5 blocks), otherwise the behaviour is undefined.
VirtualPlatform find_best_virtual_platform(const Platform& platform, const Problem& problem,
                                           Thresholds thresholds);

/// Makes the plan that runs Algorithm 1 (workers in turn) on the virtual platform `chosen` of Hom
/// or HomI, i.e. on `chosen.enrolled` of the real workers that meet its thresholds: those with the
/// fastest links (least time per block), of equal ones those with the shortest updates, then of the
/// smallest index. The plan's details name `chosen`, which must be a candidate of `platform` (not
/// checked: with fewer workers than `chosen.enrolled` that meet its thresholds, worker 0 is
/// enrolled in place of the missing ones). With chosen.enrolled = 0 the plan sends nothing. A run
/// throws SimulationError if an enrolled worker stops (noise) before its last transfer. The problem
/// must outlive the plan; the platform need not.
Plan plan_on_virtual_platform(const VirtualPlatform& chosen, const Platform& platform,
                              const Problem& problem);

/// Options of the heuristic HomI, which selects some workers of a heterogeneous platform and treats
/// them as identical ones: which thresholds it tries for the selection (least memory in blocks,
/// largest transfer time in seconds per block, largest update time in seconds per block update). A
/// plain value.
struct HomiParameters {
  /// Thresholds that HomI tries: each combination of a memory, a transfer time and an update time
  /// of some workers (Thresholds::all), or those of each worker (Thresholds::own), another reading
  /// of PPoPP'08, section 6.2. Thresholds::memory gives the plan of Hom.
  Thresholds thresholds = Thresholds::all;
};

}  // namespace starport
