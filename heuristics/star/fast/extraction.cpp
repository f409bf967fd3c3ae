// HomI's best virtual platform, without estimating every candidate.
#include "heuristics/star/fast/large_platforms.hpp"
#include "sim/files/numbers.hpp"
#include "sim/platform/ties.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace starport::fast {
namespace {

/// Tries all thresholds of memory, link and speed. Lower bounds exclude most of them, so that few
/// are estimated.
class Extraction {
 public:
  Extraction(const Platform& platform, const Problem& problem)
      : platform_(platform), problem_(problem), by_link_(platform.workers) {
    std::ranges::stable_sort(by_link_, {}, &Worker::c_s);
  }

  VirtualPlatform find_best() {
    for (const Thresholds some : {Thresholds::memory, Thresholds::own}) {
      const VirtualPlatform good = starport::find_best_virtual_platform(platform_, problem_, some);
      least_s_ = std::min(least_s_, estimate_makespan_s(good, problem_));
    }
    auto memories = distinct_values(platform_, &Worker::m_blocks);
    std::ranges::reverse(memories);  // larger chunks first
    for (const std::int64_t m_blocks : memories) {
      const std::int64_t side = kOptimizedOverlapped.side(m_blocks);
      if (side > 0) try_memory(m_blocks, side);
    }
    return starport::find_best(std::move(candidates_), problem_);
  }

 private:
  void try_memory(std::int64_t m_blocks, std::int64_t side) {
    PerWorker<Worker> eligible;  // workers with the memory and the link, by speed
    for (std::size_t i = 0; i < by_link_.size(); ++i) {
      const Worker& worker = by_link_[i];
      if (worker.m_blocks >= m_blocks)
        eligible.insert(std::ranges::upper_bound(eligible, worker.w_s, {}, &Worker::w_s), worker);
      const bool is_last = i + 1 == by_link_.size() || by_link_[i + 1].c_s > worker.c_s;
      if (!is_last || eligible.empty()) continue;
      if (is_excluded(least_port_s(side, worker.c_s))) return;
      try_link({.c_s = worker.c_s, .m_blocks = m_blocks}, eligible);
    }
  }
  /// Tries all speeds with a memory and a link, those of `thresholds`.
  void try_link(Worker thresholds, const PerWorker<Worker>& eligible) {
    const auto most = std::ssize(eligible);
    for (std::int64_t count = 1; count <= most; ++count) {
      const Worker& slowest = eligible[static_cast<std::size_t>(count - 1)];
      thresholds.latency_s = std::max(thresholds.latency_s, slowest.latency_s);
      if (is_excluded(least_computation_s(slowest.w_s, most))) return;
      if (is_excluded(least_computation_s(slowest.w_s, count))) continue;
      const double next_w_s =
          count < most ? eligible[static_cast<std::size_t>(count)].w_s : kUnknown;
      // A lower speed with the same workers helps only if more of them are then enrolled.
      for (auto w = std::ranges::lower_bound(speeds_, slowest.w_s);
           w != speeds_.end() && *w < next_w_s; ++w) {
        thresholds.w_s = *w;
        const VirtualPlatform candidate(thresholds, count);
        estimate(candidate);
        if (candidate.enrolled == count) break;
      }
    }
  }
  void estimate(const VirtualPlatform& candidate) {
    if (is_excluded(least_s(candidate))) return;
    const double estimate_s = estimate_makespan_s(candidate, problem_);
    if (is_excluded(estimate_s)) return;
    candidates_.push_back(candidate);
    least_s_ = std::min(least_s_, estimate_s);
  }

  /// True if an estimate of at least `bound_s`, up to rounding, is clearly larger than the least.
  bool is_excluded(double bound_s) const {
    return clearly_less(least_s_, bound_s * (1 - kRelativeTolerance));
  }
  /// Returns the time of the port for all transfers without latency: a lower bound on the estimate.
  double least_port_s(std::int64_t side, double c_s) const {
    const auto& [r, s, t, block_size] = problem_;
    const std::int64_t per_step = r * ceil_div(s, side) + s * ceil_div(r, side);
    return c_s * (2 * static_cast<double>(r * s) +
                  static_cast<double>(t) * static_cast<double>(per_step));
  }
  /// Returns the time for all updates, shared equally: a lower bound on the estimate.
  double least_computation_s(double w_s, std::int64_t workers) const {
    return static_cast<double>(problem_.updates()) * w_s / static_cast<double>(workers);
  }

  /// Returns the time for the transfers of C and for the updates of the first worker, which has a
  /// chunk in each row of chunks: a lower bound on the estimate.
  double least_s(const VirtualPlatform& candidate) const {
    const auto& [r, s, t, block_size] = problem_;
    const std::int64_t round = candidate.enrolled * candidate.side;
    const std::int64_t columns = s / round * candidate.side + std::min(s % round, candidate.side);
    return 2 * static_cast<double>(r * s) * candidate.worker.c_s +
           static_cast<double>(r * columns) * static_cast<double>(t) * candidate.worker.w_s;
  }

  const Platform& platform_;
  const Problem& problem_;
  PerWorker<Worker> by_link_;  ///< the workers in ascending order of c
  const std::vector<double> speeds_ = distinct_values(platform_, &Worker::w_s);
  double least_s_ = kUnknown;  ///< least estimate so far
  std::vector<VirtualPlatform> candidates_;
};

}  // namespace

VirtualPlatform find_best_virtual_platform(const Platform& platform, const Problem& problem) {
  return Extraction(platform, problem).find_best();
}

Plan plan_extraction(Thresholds thresholds, const Platform& real, const Problem& problem) {
  Platform platform = real;
  for (Worker& worker : platform.workers) worker = at_chunk_size(worker, kOptimizedOverlapped);
  const VirtualPlatform best =
      thresholds == Thresholds::all
          ? fast::find_best_virtual_platform(platform, problem)
          : starport::find_best_virtual_platform(platform, problem, thresholds);
  return plan_on_virtual_platform(best, platform, problem);
}

}  // namespace starport::fast
