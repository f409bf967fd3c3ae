// Estimates of the makespan of tilings without simulating their schedules; initial tilings and
// simulated annealing based on these estimates.
#pragma once

#include "heuristics/star/polaris/tiling.hpp"
#include "sim/platform/platform.hpp"

#include <cstdint>
#include <vector>

namespace starport::polaris {

/// Estimated cost of a strip of a tiling (whole columns or rows of C, divided into one rectangle
/// per worker), as Estimator::estimate_strip() returns it: time on the master's port and longest
/// computation, in simulated seconds. Both are 0 for a strip without parts.
struct StripCost {
  /// Total time on the master's port of the transfers for a strip (whole columns or rows of C), in
  /// seconds, without the returns of C if the master receives through a port of its own (two-port);
  /// 0 on a multi-port without limits; infinite if a worker lacks the memory for its rectangle.
  double port_s = 0;
  /// Largest sum, over the workers of the strip, of the duration of a worker's computation and, if
  /// included, its lag (time that it takes beyond that until its last return of C), in seconds; on
  /// a multi-port master at least the longest time that the transfers take on a worker's link.
  /// Finite but meaningless if a worker lacks the memory (port_s is infinite then).
  double longest_s = 0;
};

/// Estimated cost of assigning one rectangle of C to one worker in its cheapest mode (choice of the
/// matrix that stays in its memory), as Estimator::estimate_part() returns it: times in seconds, on
/// the master's port, on the worker's link and per block update. The time on the port is infinite
/// if the worker lacks the memory.
struct PartCost {
  /// Time on the master's port of the transfers for a worker's rectangle of C, in seconds, without
  /// the return of C if the master receives through a port of its own (two-port); 0 on a multi-port
  /// without limits; infinite if the worker lacks the memory.
  double port_s = 0;
  /// Time on the worker's link of the transfers for its rectangle of C, in both directions, in
  /// seconds, on a multi-port master; 0 on others, where the port limits it.
  double link_s = 0;
  /// Time of one block update on the worker, in seconds, when it updates as many blocks at a time
  /// as is typical of its cheapest mode (choice of the matrix that stays in its memory); finite but
  /// meaningless if port_s is infinite.
  double update_s = 0;
};

/// Estimator of the costs of tilings (divisions of C among workers) for one platform and problem,
/// without simulating schedules. Counts its operations, which limit the search, and caches costs of
/// rectangles; its const functions change both, so none of them is thread-safe. The platform and
/// the problem must outlive it and not change.
class Estimator {
 public:
  /// Creates an estimator of port times, computation times and makespans (seconds) of tilings
  /// (divisions of C among workers), for workers that compute in the modes (choices of the matrix
  /// that stays in memory) that `options` allow; `options` is copied. The lags (seconds added to a
  /// worker's computation time, lags_s) are 0 at first. Keeps pointers to `platform` and `problem`,
  /// which must outlive it and not change; temporaries are accepted and dangle.
  Estimator(const Platform& platform, const Problem& problem, const ModeOptions& options);

  /// Whether the estimated computation time of a worker includes its lag, the seconds that it takes
  /// beyond that until its last block of C is returned (member lags_s): `included` or `excluded`.
  enum class Lags { included, excluded };

  /// Estimates the cost (time on the port, longest computation) of `strip`, which must have the
  /// orientation of `tiling` (strips of rows or of columns) but need not be one of its strips. Adds
  /// one per part to `operations`. Widths and heights must be at least 1 and the workers exist (not
  /// checked).
  StripCost estimate_strip(const Tiling& tiling, const Strip& strip,
                           Lags lags = Lags::included) const;
  /// Estimates the makespan of a tiling (division of C among workers) in simulated seconds: the
  /// larger of the total port time and the longest computation of a worker, with its lag (`lags_s`)
  /// unless excluded. Infinite if a worker lacks the memory for its rectangle, 0 for a tiling
  /// without strips. Adds one per part to `operations`. Widths and heights must be at least 1 and
  /// the workers exist (not checked).
  double makespan_s(const Tiling& tiling, Lags lags = Lags::included) const;
  /// Returns the estimated makespan of a tiling (division of C among workers) without lags
  /// (`lags_s`), in simulated seconds: infinite if a worker lacks the memory for its rectangle, 0
  /// without strips. Adds one per part to `operations`. Hardly any schedule of the tiling ends
  /// sooner, but it is not a proven bound.
  double lower_bound_s(const Tiling& tiling) const { return makespan_s(tiling, Lags::excluded); }
  /// Estimates the cost of a rectangle of `rows` x `columns` blocks of C (each at least 1) on
  /// `worker` (index from 0), in its cheapest mode (choice of the matrix that stays in its memory).
  /// The port time is infinite if no mode fits into the worker's memory. Adds 1 to `operations`.
  /// Sizes and index are not checked (undefined behaviour).
  PartCost estimate_part(int worker, std::int64_t rows, std::int64_t columns) const {
    return estimate_part(worker, rows, columns, problem_->t, true);
  }
  /// Estimates the cost of updating a rectangle of `rows` x `columns` blocks of C (each at least 1)
  /// for `length` values of k (at least 1) on `worker` (index from 0), in its cheapest mode (choice
  /// of the matrix that stays in its memory). Without `receives_c`, the blocks of C start from zero
  /// and are not sent to the worker. The port time is infinite if no mode fits into the worker's
  /// memory. Adds 1 to `operations`. Sizes and index are not checked (undefined behaviour).
  PartCost estimate_part(int worker, std::int64_t rows, std::int64_t columns, std::int64_t length,
                         bool receives_c) const;

  /// Restrictions on the modes (choices of the matrix that stays in a worker's memory) considered.
  /// Only `prefetch` may be changed after the first estimate: the cache ignores changes of the
  /// others and would return costs for their former values.
  ModeOptions modes;
  /// Lag of each worker in seconds, by index from 0: the time that it takes beyond its computations
  /// until its last block of C is returned (e.g. waiting for the port), as measured by the caller
  /// on simulated schedules. Estimates with Lags::included add it to the computation time. All 0 at
  /// first; must keep one value per worker.
  PerWorker<double> lags_s;
  /// Number of rectangles of C whose cost this object has estimated so far, cached ones included;
  /// anneal() and other callers add further work to it.
  mutable std::int64_t operations = 0;

 private:
  PartCost compute_part(int worker, std::int64_t rows, std::int64_t columns, std::int64_t length,
                        bool receives_c) const;

  const Platform* platform_;
  const Problem* problem_;
  /// The rectangle last estimated with a given hash.
  struct CacheEntry {
    int worker = -1;
    bool prefetch = false;
    bool receives_c = false;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t length = 0;
    PartCost cost;
  };
  mutable std::vector<CacheEntry> cache_;
};

/// Shifts block rows between the workers of each strip of a tiling, and block columns between its
/// strips (or columns and rows, with `of_rows`), one at a time, away from the worker that ends last
/// by the estimate, as long as it then ends sooner. Does nothing if the tiling takes time on the
/// port, which such shifts may lengthen, or if a worker lacks the memory for its rectangle: so it
/// serves for a multi-port master without limits. `tiling` must have a strip, and each strip a part
/// (not checked: undefined behaviour). `problem` must be that of `estimator`, whose `lags_s` count
/// and whose `operations` grow.
void balance(Tiling& tiling, const Estimator& estimator, const Problem& problem);

/// Improves the tiling `from` (division of C among workers) by random changes (threshold accepting,
/// Dueck and Scheuer 1990, which needs no exponential function and so gives the same result on
/// every machine) until at least `operations` more operations of `estimator` are counted. Returns
/// the tiling with the least cost, the estimated makespan plus 2 % of the port time, that it found,
/// `from` if none is better or `operations` is 0 or less. `idle` lists the workers (indices from 0,
/// none of them enrolled in `from`) that may be enrolled. Unless `several_strips`, accepts only
/// changed tilings of one strip. `from` must not be empty (division by zero). Advances `random`.
Tiling anneal(const Tiling& from, const std::vector<int>& idle, const Estimator& estimator,
              const Problem& problem, std::int64_t operations, bool several_strips,
              RandomGenerator& random);

/// Creates up to `count` initial tilings (divisions of C among workers) for the search, in
/// ascending order of their estimated makespans, of up to max(2, `count`) different sets of
/// workers; some may be equal, or have an infinite estimate. Unless `several_strips`, each has one
/// strip. Returns fewer, or none, if too few workers have the memory. `platform` and `problem` must
/// be those of `estimator`, whose `lags_s` count and whose `operations` grow.
std::vector<Tiling> make_initial_tilings(const Platform& platform, const Problem& problem,
                                         const Estimator& estimator, std::size_t count,
                                         bool several_strips);

}  // namespace starport::polaris
