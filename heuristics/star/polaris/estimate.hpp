// Estimates of the makespan of tilings without simulating their schedules.
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
  /// on a multi-port the time that its limits (shared bandwidth, number of transfers) require, 0
  /// without any; infinite if a worker lacks the memory for its rectangle.
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
  /// the return of C if the master receives through a port of its own (two-port); on a multi-port
  /// the time that its limits (shared bandwidth, number of transfers) require, 0 without any;
  /// infinite if the worker lacks the memory.
  double port_s = 0;
  /// Time on the worker's link of the transfers for its rectangle of C, in both directions, in
  /// seconds, on a multi-port master; 0 on others, where the port limits it, and if the worker
  /// lacks the memory.
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

  /// Estimates the cost (time on the port, longest computation of a worker) of `strip`, which must
  /// have the orientation of `tiling` (strips of rows or of columns) but need not be one of its
  /// strips. Computations include the lags of the workers (`lags_s`) unless excluded; the port time
  /// is infinite if a worker lacks the memory. Adds one per part to `operations`. Widths and
  /// heights must be at least 1 and the workers exist (not checked).
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
  /// without strips. Hardly any schedule of the tiling ends sooner, but it is not a proven bound.
  /// Adds one per part to `operations`. Widths and heights must be at least 1 and the workers exist
  /// (not checked).
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
  /// Only `prefetch` and `spare_columns` may be changed after the first estimate: the cache ignores
  /// changes of the others and would return costs for their former values.
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
    Prefetch prefetch = Prefetch::none;
    std::int64_t spare_columns = 0;
    bool receives_c = false;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t length = 0;
    PartCost cost;
  };
  mutable std::vector<CacheEntry> cache_;
};

}  // namespace starport::polaris
