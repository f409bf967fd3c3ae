// HomI's best virtual platform, without estimating every candidate.
#include "heuristics/star/fast/large_platforms.hpp"
#include "sim/files/numbers.hpp"
#include "sim/platform/ties.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace starport::fast {
namespace {

/// Search for HomI's best virtual platform among all thresholds of memory, link and speed. Lower
/// bounds exclude most of them, so that few are estimated.
class Extraction {
 public:
  Extraction(const Platform& platform, const Problem& problem)
      : platform_(platform), problem_(problem), by_speed_(platform.workers) {
    std::ranges::stable_sort(by_speed_, {}, &Worker::w_s);
  }

  VirtualPlatform find_best() {
    for (const Thresholds thresholds : {Thresholds::memory, Thresholds::own}) {
      const VirtualPlatform candidate =
          starport::find_best_virtual_platform(platform_, problem_, thresholds);
      least_s_ = std::min(least_s_, estimate_makespan_s(candidate, problem_));
    }
    auto memories = distinct_values(platform_, &Worker::m_blocks);
    std::ranges::reverse(memories);  // larger chunks first
    for (const std::int64_t m_blocks : memories) {
      const std::int64_t side = kOptimizedOverlapped.side(m_blocks);
      if (side == 0) continue;
      usable_.clear();
      for (const Worker& worker : by_speed_) {
        if (worker.m_blocks >= m_blocks) usable_.push_back(worker);
      }
      for (const double c_s : links_) {
        if (is_excluded(least_port_s(side, c_s))) break;
        try_speeds(m_blocks, c_s);
      }
    }
    return starport::find_best(std::move(candidates_), problem_);
  }

 private:
  /// Tries all speeds with one memory and one link.
  void try_speeds(std::int64_t m_blocks, double c_s) {
    std::int64_t eligible = 0;
    std::int64_t enrolled = 0;  // of the last candidate
    double latency_s = 0;
    auto next = usable_.begin();
    for (const double w_s : speeds_) {
      for (; next != usable_.end() && next->w_s <= w_s; ++next) {
        if (next->c_s > c_s) continue;
        ++eligible;
        latency_s = std::max(latency_s, next->latency_s);
      }
      if (is_excluded(least_computation_s(w_s, std::ssize(usable_)))) return;
      if (eligible == 0 || is_excluded(least_computation_s(w_s, eligible))) continue;
      const VirtualPlatform candidate(
          {.c_s = c_s, .w_s = w_s, .m_blocks = m_blocks, .latency_s = latency_s}, eligible);
      // If as many workers are enrolled, the candidate before is faster and preferred.
      if (candidate.enrolled != enrolled) estimate(candidate);
      enrolled = candidate.enrolled;
    }
  }
  void estimate(const VirtualPlatform& candidate) {
    if (is_excluded(lower_bound_s(candidate))) return;
    const double estimate_s = estimate_makespan_s(candidate, problem_);
    if (is_excluded(estimate_s)) return;
    candidates_.push_back(candidate);
    least_s_ = std::min(least_s_, estimate_s);
  }

  /// Returns true if an estimate of at least `bound_s`, up to rounding, is clearly larger than the
  /// least.
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
  double lower_bound_s(const VirtualPlatform& candidate) const {
    const auto& [r, s, t, block_size] = problem_;
    const std::int64_t round = candidate.enrolled * candidate.side;
    const std::int64_t columns = s / round * candidate.side + std::min(s % round, candidate.side);
    return 2 * static_cast<double>(r * s) * candidate.worker.c_s +
           static_cast<double>(r * columns) * static_cast<double>(t) * candidate.worker.w_s;
  }

  const Platform& platform_;
  const Problem& problem_;
  PerWorker<Worker> by_speed_;  ///< the workers in ascending order of w
  const std::vector<double> links_ = distinct_values(platform_, &Worker::c_s);
  const std::vector<double> speeds_ = distinct_values(platform_, &Worker::w_s);
  std::vector<Worker> usable_;  ///< those with the memory that is tried, in ascending order of w
  double least_s_ = kUnknown;   ///< least estimate so far
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
