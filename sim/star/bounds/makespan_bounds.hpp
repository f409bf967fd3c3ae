// Lower bounds on the makespan (statements and proofs: makespan_bounds.md) and on the communication
// volume of one worker.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"
#include "sim/star/heuristic.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace starport {

/// A published lower bound on the communication-to-computation ratio (blocks moved per block
/// update) of a worker with a given memory; made by communication_bounds().
struct CommunicationBound {
  /// Name of the bound by its publication, such as "IPDPS'07 before refinement"; a string literal.
  const char* name;
  /// Lower bound on the blocks of A, B and C that the worker sends and receives per block update
  /// C_ij += A_ik B_kj, in the limit of large matrices.
  double blocks_per_update;
};

/// Returns the published lower bounds on the blocks moved per block update by a worker with memory
/// for `m_blocks` blocks (at least 0, not checked; infinite for 0), always four, from the weakest
/// to the strongest: that of Irony, Toledo and Tiskin 2004; two of IPDPS'07, before and after
/// refinement (the latter also in PPoPP'08); that of Smith et al. 2019 and COSMA 2019.
std::vector<CommunicationBound> communication_bounds(std::int64_t m_blocks);

/// Returns the blocks moved per block update by a worker that keeps the largest square of blocks of
/// C (a chunk) that `layout`, its division of memory, fits into `m_blocks` blocks: 2/t + 2/side,
/// where `t` (at least 1, not checked) is the number of updates of each block of C. Infinite when
/// no chunk fits.
double achieved_ccr(const MemoryLayout& layout, std::int64_t m_blocks, std::int64_t t);

/// Lower bounds on the makespan of runs without noise, in simulated seconds, each for a class of
/// schedules; nullopt if no worker has the memory for a block update in that class. For runs with
/// noise only steady_state_s is set, for comparison: such a run may end earlier.
struct MakespanBounds {
  /// Lower bound in simulated seconds by the highest rate of block updates in the long run
  /// (steady_state()), for schedules that keep one rectangle of C at a time on worker i, with sides
  /// of at most mu_i blocks (the largest mu with mu^2 + 4 mu blocks of memory,
  /// kOptimizedOverlapped), and send A and B again for each; on one port the transfers of C are
  /// neglected. With noise it is set too, but a run may end earlier. nullopt if no worker has
  /// memory for 5 blocks (mu_i = 1).
  std::optional<double> steady_state_s;
  /// Lower bound in simulated seconds for C-stationary schedules, such as those of the published
  /// heuristics: one rectangle of C at a time stays on a worker until it is done, A and B are sent
  /// again for each. nullopt with noise, or if no worker has memory for 3 blocks.
  std::optional<double> c_stationary_s;
  /// Lower bound in simulated seconds for all schedules in which each block of C gets all its
  /// updates on one worker (any_schedule_bound_s()). nullopt with noise, or if no worker has memory
  /// for 3 blocks.
  std::optional<double> any_schedule_s;
};

/// Returns the lower bounds on the makespan of the product `problem` on `platform`, all except
/// split_k_bound_s(). `steady_state_updates_per_s` is SteadyState::throughput_updates_per_s, the
/// highest rate in the long run in block updates per second; if it is 0, steady_state_s is nullopt.
/// `nominal` is true for runs without noise (kNominal); if false, only steady_state_s is set.
/// Without noise, takes hardly longer than any_schedule_bound_s() alone.
MakespanBounds makespan_bounds(const Platform& platform, const Problem& problem,
                               double steady_state_updates_per_s, bool nominal);
/// Value of the argument `nominal` of makespan_bounds() for runs without noise (random variation,
/// slow-downs, stops).
inline constexpr bool kNominal = true;

/// Returns a lower bound, not rounded up, on the number of blocks of A, B and C, all together, that
/// `updates` block updates C_ij += A_ik B_kj of `problem` touch (Loomis-Whitney): S(x) in
/// makespan_bounds.md, concave and increasing. `updates` need not be an integer and may be at most
/// Problem::updates() (not checked). Returns 0 if `updates` is not positive.
double touched_blocks(const Problem& problem, double updates);

/// Returns a vector whose element N, for N from 0 to `most_blocks`, is the largest number of block
/// updates that together touch at most N blocks of A, B and C, in a product of any size (Alonso and
/// Cerf 1996).
std::vector<double> most_updates(std::size_t most_blocks);

/// Returns a lower bound on the communication of a worker, in blocks: the number of blocks of A and
/// B sent to it plus the number of stays of blocks of C in its memory, each from the arrival of the
/// block, or its start at zero, to its return. The worker has memory for `m_blocks` blocks (at
/// least 1, not checked), initially empty, and does `updates` block updates of `problem`, at most
/// Problem::updates() (not checked): Q_m(x) in makespan_bounds.md. Returns 0 if `updates` is not
/// positive.
double fewest_loads(const Problem& problem, std::int64_t m_blocks, double updates);

/// Returns the smallest number of blocks moved per block update by a worker with memory for
/// `m_blocks` blocks that keeps one rectangle of h x v blocks of C at a time: the least 1/h + 1/v +
/// 2/t with h <= r, v <= s and h v + min(h, v) + 1 <= m_blocks, where the product has r x s blocks
/// of C and t block columns of A (Problem). Infinite if `m_blocks` is below 3.
double c_stationary_blocks_per_update(const Problem& problem, std::int64_t m_blocks);

/// Returns the lower bound on the makespan, in simulated seconds, of C-stationary schedules (a
/// worker keeps one rectangle of C at a time and receives A and B again for each) without noise,
/// for the kind of port that the master has; nullopt if every worker has memory for fewer than 3
/// blocks.
std::optional<double> c_stationary_bound_s(const Platform& platform, const Problem& problem);
/// Returns the lower bound on the makespan, in simulated seconds, of all schedules without noise in
/// which each block of C is sent to one worker, which does all its updates, for the kind of port
/// that the master has; nullopt if every worker has memory for fewer than 3 blocks. Found by
/// bisection (to a relative 1e-5) with a branch and bound search of up to 300 nodes per step, fewer
/// on platforms of more than 66 workers; the result is always valid, but may be below the best
/// bound that a longer search would prove.
std::optional<double> any_schedule_bound_s(const Platform& platform, const Problem& problem);
/// Returns the lower bound on the makespan, in simulated seconds, of all schedules without noise of
/// the model in which workers may share the updates of blocks of C and the master adds up their
/// partial sums (Transfer::partial_sums); nullopt if every worker has memory for fewer than 3
/// blocks. It holds for more schedules than any_schedule_bound_s() and is not above it, except
/// where the search for the latter, which is limited, stops early. Takes as long as
/// any_schedule_bound_s().
std::optional<double> split_k_bound_s(const Platform& platform, const Problem& problem);

}  // namespace starport
