// The homogeneous platforms that Hom and HomI see in a heterogeneous one, and the choice among them
// (PPoPP'08 section 6.2).
#pragma once

#include "sim/platform/platform.hpp"
#include "sim/platform/problem.hpp"

#include <cstdint>
#include <string>

namespace starport {

/// P workers as good as (M, C, W) at least, taken for identical.
struct VirtualPlatform {
  Worker worker;  ///< m_blocks = M, c_s = C, w_s = W, and the largest latency among the eligible
  std::int64_t side = 0;      ///< mu(M)
  std::int64_t enrolled = 0;  ///< P

  VirtualPlatform(const Worker& thresholds, std::int64_t eligible);

  bool admits(const Worker& real) const {
    return real.m_blocks >= worker.m_blocks && real.c_s <= worker.c_s && real.w_s <= worker.w_s;
  }
};

/// The makespan of Algorithm 1 on the P identical workers. O(P t): rows of chunks alike last alike.
double estimate_s(const VirtualPlatform& candidate, const Problem& problem);
/// No estimate is smaller, and few are much larger. O(1).
double bound_s(const VirtualPlatform& candidate, const Problem& problem);

struct Extraction {
  VirtualPlatform best;  ///< smallest estimate, then smallest P, largest mu, smallest (M, C, W)
  std::string thinned;   ///< how many thresholds were tried, if not all
};

/// Hom: for each M present, the workers with m_i >= M, and the largest c and w among them.
/// O(p log p), and the estimates of those whose bound is below the best estimate.
Extraction best_by_memory(const Platform& platform, const Problem& problem);

/// Triples (M, C, W) that HomI looks at; at least 8.
inline constexpr double kMostTriples = 1e8;

/// HomI: for each triple (M, C, W) of values present, the workers that are as good. O(1) per
/// triple, O(p) per M, and the estimates of those whose bound is below the best estimate.
///
/// Past `most_triples` only a part of the values is tried, at even distances in their order:
/// p = 100,000 workers all different make 10^15 triples, and estimates do not grow or fall along
/// any of the three (a larger C or W admits more workers, a larger M fewer of them for larger
/// chunks), so that no order of the triples leaves most of them unseen; a branch and bound over
/// ranges was not tried.
Extraction best_by_all_figures(const Platform& platform, const Problem& problem,
                               double most_triples = kMostTriples);

}  // namespace starport
