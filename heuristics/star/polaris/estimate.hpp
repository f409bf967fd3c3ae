// Estimates of the makespan of tilings without simulating their schedules; initial tilings and
// simulated annealing based on these estimates.
#pragma once

#include "heuristics/star/polaris/tiling.hpp"
#include "sim/platform/per_worker.hpp"

#include <cstdint>
#include <vector>

namespace starport::polaris {

/// Estimated cost of a strip.
struct StripCost {
  double port_s = 0;     ///< total port time
  double longest_s = 0;  ///< longest computation of a worker, plus its lag if included
};

/// Estimated cost of assigning one rectangle of C to one worker.
struct PartCost {
  double port_s = 0;    ///< port time; infinite if the worker lacks the memory
  double update_s = 0;  ///< time per block update
};

/// Estimates costs of tilings. Counts its operations, which limit the search, and caches costs of
/// rectangles; not thread-safe.
class Estimator {
 public:
  /// Keeps pointers to `platform` and `problem`.
  Estimator(const Platform& platform, const Problem& problem, const ModeOptions& options);

  /// Whether the computations of workers include their lags.
  enum class Lags { included, excluded };

  /// Estimates the cost of a strip of `tiling`.
  StripCost estimate_strip(const Tiling& tiling, const Strip& strip,
                           Lags lags = Lags::included) const;
  /// Returns the larger of the total port time and the longest computation; infinite if a worker
  /// lacks the memory for its rectangle.
  double makespan_s(const Tiling& tiling, Lags lags = Lags::included) const;
  /// Returns the estimate without lags. Hardly any schedule of the tiling ends sooner.
  double lower_bound_s(const Tiling& tiling) const { return makespan_s(tiling, Lags::excluded); }
  /// Estimates the cost of a rectangle of rows x columns blocks on `worker`, in its cheapest mode.
  PartCost estimate_part(int worker, std::int64_t rows, std::int64_t columns) const;

  ModeOptions modes;  ///< modes to consider
  /// Measured lag of each worker: the end of its work minus the duration of its computations.
  PerWorker<double> lags_s;
  mutable std::int64_t operations = 0;  ///< number of estimated rectangles so far

 private:
  PartCost compute_part(int worker, std::int64_t rows, std::int64_t columns) const;

  const Platform* platform_;
  const Problem* problem_;
  /// The rectangle last estimated with a given hash.
  struct CacheEntry {
    int worker = -1;
    bool prefetch = false;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    PartCost cost;
  };
  mutable std::vector<CacheEntry> cache_;
};

/// Improves a tiling by threshold accepting (Dueck and Scheuer 1990), which needs no exponential
/// function and so gives the same result on every machine. Performs `operations` estimates and
/// returns the best tiling found. Workers in `idle` may be enrolled. Unless `several_strips`, the
/// result has one strip.
Tiling anneal(const Tiling& from, const std::vector<int>& idle, const Estimator& estimator,
              const Problem& problem, std::int64_t operations, bool several_strips,
              RandomGenerator& random);

/// Creates up to `count` initial tilings, in ascending order of their estimated makespans. Unless
/// `several_strips`, each has one strip.
std::vector<Tiling> make_initial_tilings(const Platform& platform, const Problem& problem,
                                         const Estimator& estimator, std::size_t count,
                                         bool several_strips);

}  // namespace starport::polaris
