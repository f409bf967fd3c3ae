// The homogeneous algorithm and its uses: HoLM (IPDPS'07 section 4), Hom and HomI (PPoPP'08
// section 6.2).
#pragma once

#include "sim/star/dispatcher.hpp"
#include "sim/star/layout.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace starport {

/// Algorithm 1 of both papers on `workers`, in that order, with one common chunk side: each gets
/// the next panel; then, row of chunks by row of chunks, SendC to each in turn, for k = 1..t
/// SendAB to each in turn, RecvC from each in turn. O(1) per transfer; the problem must outlive it.
std::unique_ptr<Dispatcher> algorithm_1(const std::vector<int>& workers, std::int64_t side,
                                        const Problem& problem);

/// The number of workers that saturates the master's port:
/// P = min(p, ceil(mu w / (2 c))), at least 1 (PPoPP'08 section 4).
std::int64_t saturating_workers(std::int64_t side, double c_s, double w_s, std::int64_t p);

/// HoLM: Algorithm 1 on a homogeneous platform, with the first P of its workers.
struct HolmParameters {
  std::optional<std::int64_t> workers;  ///< instead of P
};
Plan plan_holm(const HolmParameters& parameters, const Platform& platform, const Problem& problem);

/// The homogeneous platform that Hom and HomI see in a heterogeneous one: P workers as good as
/// (M, C, W) at least, taken for identical.
struct VirtualPlatform {
  Worker worker;  ///< m_blocks = M, c_s = C, w_s = W, and the largest latency among the eligible
  std::int64_t side;      ///< mu(M)
  std::int64_t enrolled;  ///< P; 0 when nobody is eligible, or has the memory

  VirtualPlatform(const Worker& thresholds, std::int64_t eligible)
      : worker(thresholds),
        side(kOptimizedOverlapped.side(worker.m_blocks)),
        enrolled(side == 0 || eligible == 0
                     ? 0
                     : saturating_workers(side, worker.c_s, worker.w_s, eligible)) {}

  bool admits(const Worker& real) const {
    return real.m_blocks >= worker.m_blocks && real.c_s <= worker.c_s && real.w_s <= worker.w_s;
  }
  /// Among equal estimates: smallest P, then largest mu, smallest (M, C, W).
  bool preferred_to(const VirtualPlatform& other) const;
};

/// The makespan of Algorithm 1 on the P identical workers, in O(1): each row of chunks begins with
/// a free port and idle workers, as RecvC waits for the last update, so that rows of one shape (in
/// full height and in what is left, in full rounds and in the last one) last equally long.
double estimate_s(const VirtualPlatform& candidate, const Problem& problem);

/// The figures of the platform from which virtual ones are made.
enum class Thresholds {
  memory,  ///< Hom: each memory M, with the largest c and w among the workers with m_i >= M
  all,     ///< HomI: each triple (M, C, W) of values present
  own      ///< another reading of HomI: each triple that some worker has
};

/// The virtual platform that (M, C, W) make; their own latency does not count.
VirtualPlatform extract(const Platform& platform, Worker thresholds);
/// The triples that the workers have, each once.
std::vector<Worker> own_thresholds(const Platform& platform);

/// The values of a figure present, in order.
template <class Value>
std::vector<Value> distinct(const Platform& platform, Value Worker::*figure) {
  std::vector<Value> values;
  for (const Worker& worker : platform.workers) values.push_back(worker.*figure);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// The one of smallest estimate, of those that enrol somebody.
VirtualPlatform best_of(std::vector<VirtualPlatform> candidates, const Problem& problem);
/// The best one: all are estimated.
VirtualPlatform best_virtual_platform(const Platform& platform, const Problem& problem,
                                      Thresholds thresholds);

/// Hom and HomI extract virtual homogeneous platforms, estimate on each the makespan of Algorithm
/// 1, and run it on real workers that are as good as the best one's.
Plan plan_extraction(Thresholds thresholds, const Platform& platform, const Problem& problem);
struct HomiParameters {
  Thresholds thresholds = Thresholds::all;
};
inline Plan plan_homi(const HomiParameters& parameters, const Platform& platform,
                      const Problem& problem) {
  return plan_extraction(parameters.thresholds, platform, problem);
}

}  // namespace starport
