// The homogeneous algorithm (Algorithm 1) and the heuristics that use it: HoLM (IPDPS'07 section
// 4), Hom and HomI (PPoPP'08 section 6.2).
#pragma once

#include "sim/star/dispatcher.hpp"
#include "sim/star/layout.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace starport {

/// Makes a dispatcher of Algorithm 1 of both papers on the workers with these indices, in this
/// order, with a common chunk side: each takes the next panel; then, for each row of chunks, SendC
/// to each in turn, for k = 1..t SendAB to each in turn, RecvC from each in turn. O(1) per
/// transfer. The problem must outlive the dispatcher.
std::unique_ptr<Dispatcher> make_algorithm_1(const std::vector<int>& workers, std::int64_t side,
                                             const Problem& problem);

/// Returns the number of identical workers that saturates the master's port, for chunks of side mu
/// = `side`: P = min(p, ceil(mu w / (2 c))), at least 1 (PPoPP'08 section 4).
std::int64_t saturating_workers(std::int64_t side, double c_s, double w_s, std::int64_t p);

/// Parameters of HoLM.
struct HolmParameters {
  std::optional<std::int64_t> workers;  ///< number of workers to enrol, instead of P
};
/// HoLM: plans Algorithm 1 on the first P workers of a homogeneous platform (IPDPS'07, section 4).
/// The platform and the problem must outlive the plan.
Plan plan_holm(const HolmParameters& parameters, const Platform& platform, const Problem& problem);

/// A candidate of Hom and HomI: P workers of a heterogeneous platform that have at least memory M
/// and at most c = C and w = W (thresholds), treated as if they were identical workers (M, C, W).
struct VirtualPlatform {
  Worker worker;          ///< (M, C, W), and the largest latency of an eligible worker
  std::int64_t side;      ///< mu(M), the chunk side
  std::int64_t enrolled;  ///< P; 0 if no worker is eligible, or M is too small

  /// `eligible`: number of workers that meet the thresholds.
  VirtualPlatform(const Worker& thresholds, std::int64_t eligible)
      : worker(thresholds),
        side(kOptimizedOverlapped.side(worker.m_blocks)),
        enrolled(side == 0 || eligible == 0
                     ? 0
                     : saturating_workers(side, worker.c_s, worker.w_s, eligible)) {}

  /// Returns true if `real` is eligible: it meets the thresholds.
  bool admits(const Worker& real) const {
    return real.m_blocks >= worker.m_blocks && real.c_s <= worker.c_s && real.w_s <= worker.w_s;
  }
  /// Returns true if this candidate wins among equal estimates: it has the smaller P, then the
  /// larger mu, then the smaller (M, C, W).
  bool is_preferred_to(const VirtualPlatform& other) const;
};

/// Returns the makespan of Algorithm 1 on the P identical workers, in O(1). Each row of chunks
/// starts with a free port and idle workers, as RecvC waits for the last update, so rows of one
/// shape (full or last height, full or last round of panels) last equally long. P must be positive.
double estimate_makespan_s(const VirtualPlatform& candidate, const Problem& problem);

/// The thresholds (M, C, W) that Hom and HomI try.
enum class Thresholds {
  memory,  ///< Hom: each memory M, with the largest c and w among the workers with m_i >= M
  all,     ///< HomI: each combination of the memories, c and w of the workers
  own      ///< another reading of HomI: the (m_i, c_i, w_i) of each worker
};

/// Returns the virtual platform for thresholds (M, C, W) on `platform`; `thresholds.latency_s` is
/// ignored. O(p).
VirtualPlatform make_virtual_platform(const Platform& platform, Worker thresholds);
/// Returns the distinct (m_i, c_i, w_i) of the workers, sorted.
std::vector<Worker> find_own_thresholds(const Platform& platform);

/// Returns the distinct values of a member of Worker over the platform, sorted.
template <class Value>
std::vector<Value> distinct_values(const Platform& platform, Value Worker::*member) {
  std::vector<Value> values;
  for (const Worker& worker : platform.workers) values.push_back(worker.*member);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Returns the candidate of smallest estimated makespan, and of ties the preferred one, among those
/// with P > 0. There must be one.
VirtualPlatform find_best(std::vector<VirtualPlatform> candidates, const Problem& problem);
/// Returns the best virtual platform by estimating every candidate: the definition of Hom and HomI.
/// fast::find_best_virtual_platform() returns the same for large platforms.
VirtualPlatform find_best_virtual_platform(const Platform& platform, const Problem& problem,
                                           Thresholds thresholds);

/// Hom and HomI: estimates the makespan of Algorithm 1 on each virtual homogeneous platform, and
/// plans it on real workers that meet the thresholds of the best. The platform and the problem must
/// outlive the plan.
Plan plan_extraction(Thresholds thresholds, const Platform& platform, const Problem& problem);
/// Parameters of HomI.
struct HomiParameters {
  Thresholds thresholds = Thresholds::all;
};
/// HomI: plan_extraction() with the thresholds of `parameters`.
inline Plan plan_homi(const HomiParameters& parameters, const Platform& platform,
                      const Problem& problem) {
  return plan_extraction(parameters.thresholds, platform, problem);
}

}  // namespace starport
