// Estimates of the makespan of tilings without simulating their schedules; initial tilings and
// simulated annealing based on these estimates.
#pragma once

#include "heuristics/star/polaris/tiling.hpp"
#include "sim/platform/platform.hpp"

#include <cstdint>
#include <vector>

namespace starport::polaris {

/// Estimated cost of a strip of a tiling: time on the master's port and longest computation, in
/// simulated seconds.
struct StripCost {
  /// Total time of the strip's transfers on the port, in seconds; infinite if a worker lacks the
  /// memory for its rectangle.
  double port_s = 0;
  /// Largest sum, over the workers of the strip, of the duration of a worker's computation and, if
  /// included, its lag, in seconds. Finite but meaningless for a worker that lacks the memory (see
  /// port_s).
  double longest_s = 0;
};

/// Estimated cost of assigning one rectangle of C to one worker, in its cheapest mode.
struct PartCost {
  /// Time of the rectangle's transfers on the port, in seconds; infinite if the worker lacks the
  /// memory.
  double port_s = 0;
  /// Time of one block update on the worker, in seconds.
  double update_s = 0;
};

/// Estimates costs of tilings without simulating schedules. Counts its operations, which limit the
/// search, and caches costs of rectangles. Not thread-safe, not even const functions. The platform
/// and the problem must outlive it.
class Estimator {
 public:
  /// Creates an estimator for modes that `options` allow, with all lags 0. Keeps pointers to
  /// `platform` and `problem`, which must outlive it.
  Estimator(const Platform& platform, const Problem& problem, const ModeOptions& options);

  /// Whether a worker's computation time includes its lag (`lags_s`): `included` or `excluded`.
  enum class Lags { included, excluded };

  /// Estimates the cost of `strip`, which must have the orientation of `tiling` (strips of rows or
  /// of columns). Counts one operation per part.
  StripCost estimate_strip(const Tiling& tiling, const Strip& strip,
                           Lags lags = Lags::included) const;
  /// Estimates the makespan of a tiling in simulated seconds: the larger of the total port time and
  /// the longest computation. Infinite if a worker lacks the memory for its rectangle. Counts one
  /// operation per part.
  double makespan_s(const Tiling& tiling, Lags lags = Lags::included) const;
  /// Returns the estimated makespan without lags, in simulated seconds. Hardly any schedule of the
  /// tiling ends sooner, but it is not a proven bound.
  double lower_bound_s(const Tiling& tiling) const { return makespan_s(tiling, Lags::excluded); }
  /// Estimates the cost of a rectangle of `rows` x `columns` blocks of C on `worker` (index from 0,
  /// not checked), in its cheapest mode. Counts one operation.
  PartCost estimate_part(int worker, std::int64_t rows, std::int64_t columns) const;

  /// Restrictions on the modes considered. Only `prefetch` may be changed after the first estimate,
  /// as the cache ignores changes of the others.
  ModeOptions modes;
  /// Lag of each worker in seconds, by index: the time that it takes beyond its computations until
  /// its last block of C is returned, a moving average over simulated schedules set by the caller.
  /// Estimates with Lags::included add it to the computation time. All 0 at first.
  PerWorker<double> lags_s;
  /// Number of rectangles estimated so far, cached ones included; callers may add other work to it.
  mutable std::int64_t operations = 0;

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

/// Improves the tiling `from` by random changes (threshold accepting, Dueck and Scheuer 1990, which
/// needs no exponential function and so gives the same result on every machine) until about
/// `operations` more operations of `estimator` are counted; returns the best tiling found, `from`
/// if none is better. `idle` lists the workers (indices from 0) that may be enrolled. Unless
/// `several_strips`, only tilings of one strip are accepted. `from` must not be empty.
Tiling anneal(const Tiling& from, const std::vector<int>& idle, const Estimator& estimator,
              const Problem& problem, std::int64_t operations, bool several_strips,
              RandomGenerator& random);

/// Creates up to `count` initial tilings of different sets of workers, in ascending order of their
/// estimated makespans. Unless `several_strips`, each has one strip. Returns fewer, or none, if too
/// few workers have the memory.
std::vector<Tiling> make_initial_tilings(const Platform& platform, const Problem& problem,
                                         const Estimator& estimator, std::size_t count,
                                         bool several_strips);

}  // namespace starport::polaris
