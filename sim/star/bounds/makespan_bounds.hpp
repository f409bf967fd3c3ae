// Lower bounds on the makespan that count memory. Statements and proofs: makespan_bounds.md.
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstdint>
#include <optional>

namespace starport {

/// No schedule of the class named can end sooner, in seconds; nullopt where no worker has the
/// memory for one block update of that class. The last two are proved for masters with one port and
/// nominal durations: nullopt otherwise.
struct MakespanBounds {
  /// Steady state of PPoPP'08, Table 1, or of another port (bounds.hpp): chunks of side mu_i, C
  /// neglected on one port. Not a bound where a layout has larger chunks.
  std::optional<double> steady_state_s;
  /// One rectangle of C at a time on a worker, A and B sent anew for each: the published
  /// heuristics.
  std::optional<double> c_stationary_s;
  /// Any schedule of the model; the k of one block of C may even be split between workers.
  std::optional<double> any_schedule_s;
};

MakespanBounds makespan_bounds(const Platform& platform, const Problem& problem,
                               double steady_state_updates_per_s, bool nominal);
inline constexpr bool kNominal = true;

/// The fewest blocks of A, B and C that x block updates touch (Loomis-Whitney inside an r x s x t
/// box). Concave and increasing in x.
double touched_blocks(const Problem& problem, double updates);

/// The fewest loads of A and B and residencies of C, together, of a worker with m blocks that does
/// x block updates from an empty memory.
double fewest_loads(const Problem& problem, std::int64_t m_blocks, double updates);

/// The fewest blocks per block update of a worker with m blocks that keeps one h x v rectangle of
/// C: the least 1/h + 1/v + 2/t with h <= r, v <= s, h v + min(h, v) + 1 <= m. Infinite for m < 3.
double c_stationary_blocks_per_update(const Problem& problem, std::int64_t m_blocks);

std::optional<double> c_stationary_bound_s(const Platform& platform, const Problem& problem);
std::optional<double> any_schedule_bound_s(const Platform& platform, const Problem& problem);

}  // namespace starport
