// Lower bounds on the makespan. Statements and proofs: makespan_bounds.md.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstdint>
#include <optional>

namespace starport {

/// Lower bounds on the makespan in seconds, each for a class of schedules. nullopt if no worker has
/// the memory for a block update in that class. The last two are proved only for one port and
/// nominal durations, and are nullopt otherwise.
struct MakespanBounds {
  /// Bound by the steady-state rate (steady_state.hpp), for chunks of side mu_i at most; on one
  /// port C is neglected.
  std::optional<double> steady_state_s;
  /// Bound for C-stationary schedules, such as those of the published heuristics: one rectangle of
  /// C at a time on a worker, A and B sent again for each.
  std::optional<double> c_stationary_s;
  /// Bound for all schedules of the model, even if the updates of a block of C are split between
  /// workers.
  std::optional<double> any_schedule_s;
};

/// Returns all bounds for an instance. `steady_state_updates_per_s` is the rate of steady_state(),
/// 0 for none; `nominal` is true without noise.
MakespanBounds makespan_bounds(const Platform& platform, const Problem& problem,
                               double steady_state_updates_per_s, bool nominal);
/// Argument of makespan_bounds() for runs without noise.
inline constexpr bool kNominal = true;

/// Returns the smallest number of blocks of A, B and C that `updates` block updates touch
/// (Loomis-Whitney inside an r x s x t box): S(x) in makespan_bounds.md, concave and increasing.
double touched_blocks(const Problem& problem, double updates);

/// Returns a lower bound on loads of A and B plus residencies of C of a worker with `m_blocks`
/// blocks, initially empty, that does `updates` block updates: Q_m(x) in makespan_bounds.md.
double fewest_loads(const Problem& problem, std::int64_t m_blocks, double updates);

/// Returns the smallest number of blocks moved per block update by a worker with `m_blocks` blocks
/// that keeps one h x v rectangle of C at a time: the least 1/h + 1/v + 2/t with h <= r, v <= s and
/// h v + min(h, v) + 1 <= m. Infinite for m < 3.
double c_stationary_blocks_per_update(const Problem& problem, std::int64_t m_blocks);

/// Returns the bound for C-stationary schedules; nullopt if every memory is smaller than 3 blocks.
std::optional<double> c_stationary_bound_s(const Platform& platform, const Problem& problem);
/// Returns the bound for all schedules; nullopt if every memory is smaller than 3 blocks.
std::optional<double> any_schedule_bound_s(const Platform& platform, const Problem& problem);

}  // namespace starport
