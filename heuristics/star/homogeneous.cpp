#include "heuristics/star/homogeneous.hpp"

#include "heuristics/star/fast/chunk_run.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <numeric>
#include <tuple>

namespace starport {
namespace {

/// Algorithm 1 of PPoPP'08 (section 4): one row of chunks at a time, one chunk per worker.
class Algorithm1 {
 public:
  Algorithm1(const std::vector<int>& workers, std::int64_t side, const Problem& problem)
      : columns_(problem) {
    workers_.reserve(workers.size());
    for (const int worker : workers) {
      workers_.emplace_back(worker, side, kOptimizedOverlapped, problem);
    }
  }

  /// Returns the worker of the next transfer, null when C is complete. Dates do not matter.
  template <class Run>
  ChunkWorker* choose(const Run&) {
    if (turn_ == active_) start_visit();
    return active_ == 0 ? nullptr : &workers_[turn_++];
  }

 private:
  /// Starts a visit, which gives each worker one transfer: SendC, t times SendAB, or RecvC.
  void start_visit() {
    turn_ = 0;
    if (active_ > 0 && workers_.front().has_chunk()) return;
    // The next row of chunks, of the same panels or of new ones; the last panels may be fewer than
    // the workers.
    active_ = 0;
    while (active_ < workers_.size() && workers_[active_].start_chunk(columns_)) ++active_;
  }

  std::vector<ChunkWorker> workers_;
  ColumnCounter columns_;
  std::size_t active_ = 0;  ///< number of workers, the first ones, that hold a chunk of the row
  std::size_t turn_ = 0;    ///< index of the worker to serve next
};

/// Returns the indices 0 to count - 1.
std::vector<int> first_workers(std::int64_t count) {
  std::vector<int> workers(static_cast<std::size_t>(count));
  std::iota(workers.begin(), workers.end(), 0);
  return workers;
}

/// Durations of the messages and updates of a chunk of given size.
struct ChunkCosts {
  double c_s;       ///< duration of SendC, or of RecvC
  double step_s;    ///< duration of SendAB
  double update_s;  ///< duration of the update of a SendAB

  ChunkCosts(const Worker& worker, std::int64_t rows, std::int64_t columns)
      : c_s(worker.transfer_time_s(rows * columns)),
        step_s(worker.transfer_time_s(rows + columns)),
        update_s(static_cast<double>(rows * columns) * worker.w_s) {}
};

/// Returns the duration of a row of chunks, `full_chunks` full ones and one last, that starts with
/// a free port and idle workers. The row ends with a longest path: along the port, except for at
/// most one stretch along the updates of one worker, from its k-th step to its return. (A path that
/// came back to the port for a later step could be longer than the path along the port only if
/// updates last longer than a round of steps; then the path from the first step to the return is
/// longer still.) The length of the path is linear in k and, among the full chunks, in the index of
/// the worker, so that the longest is at an end of both.
double row_duration_s(const ChunkCosts& full, std::int64_t full_chunks, const ChunkCosts& last,
                      double t) {
  const auto full_count = static_cast<double>(full_chunks);
  const double c_s = full_count * full.c_s + last.c_s;
  const double round_s = full_count * full.step_s + last.step_s;
  double longest_s = t * round_s + c_s;
  const auto consider_worker = [&](double index, const ChunkCosts& chunk) {
    const double on_port_s =
        index * full.step_s + chunk.step_s + (full_count - index) * full.c_s + last.c_s;
    longest_s = std::max({longest_s, on_port_s + t * chunk.update_s,
                          on_port_s + chunk.update_s + (t - 1) * round_s});
  };
  consider_worker(full_count, last);
  if (full_chunks > 0) {
    consider_worker(0, full);
    consider_worker(full_count - 1, full);
  }
  return c_s + longest_s;
}

/// Returns all candidates that `thresholds` stands for, including those that nobody fits.
std::vector<VirtualPlatform> list_virtual_platforms(const Platform& platform,
                                                    Thresholds thresholds) {
  std::vector<VirtualPlatform> candidates;
  if (thresholds == Thresholds::own) {
    for (const Worker& own : find_own_thresholds(platform))
      candidates.push_back(make_virtual_platform(platform, own));
    return candidates;
  }
  for (const std::int64_t m_blocks : distinct_values(platform, &Worker::m_blocks)) {
    Worker worst{.c_s = 0, .w_s = 0, .m_blocks = m_blocks, .latency_s = 0};
    if (thresholds == Thresholds::memory) {
      for (const Worker& worker : platform.workers) {
        if (worker.m_blocks < m_blocks) continue;
        worst.c_s = std::max(worst.c_s, worker.c_s);
        worst.w_s = std::max(worst.w_s, worker.w_s);
      }
      candidates.push_back(make_virtual_platform(platform, worst));
      continue;
    }
    for (const double c_s : distinct_values(platform, &Worker::c_s)) {
      for (const double w_s : distinct_values(platform, &Worker::w_s)) {
        worst.c_s = c_s;
        worst.w_s = w_s;
        candidates.push_back(make_virtual_platform(platform, worst));
      }
    }
  }
  return candidates;
}

/// Returns the P eligible workers smallest in (c_i, w_i, index).
std::vector<int> select_enrolled(const VirtualPlatform& chosen, const Platform& platform) {
  std::vector<int> eligible;
  int index = 0;
  for (const Worker& worker : platform.workers) {
    if (chosen.admits(worker)) eligible.push_back(index);
    ++index;
  }
  std::stable_sort(eligible.begin(), eligible.end(), [&](int i, int j) {
    const Worker& x = platform.workers[i];
    const Worker& y = platform.workers[j];
    return std::tuple(x.c_s, x.w_s) < std::tuple(y.c_s, y.w_s);
  });
  eligible.resize(static_cast<std::size_t>(chosen.enrolled));
  return eligible;
}

}  // namespace

std::unique_ptr<Dispatcher> make_algorithm_1(const std::vector<int>& workers, std::int64_t side,
                                             const Problem& problem) {
  return std::make_unique<ChoiceDispatcher<Algorithm1>>(workers, side, problem);
}

std::int64_t saturating_workers(std::int64_t side, double c_s, double w_s, std::int64_t p) {
  const double quotient = tolerant_ceil(static_cast<double>(side) * w_s / (2 * c_s));
  if (quotient >= static_cast<double>(p)) return p;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(quotient));
}

Plan plan_holm(const HolmParameters& parameters, const Platform& platform, const Problem& problem) {
  const auto p = static_cast<std::int64_t>(platform.workers.size());
  const Worker worker = at_chunk_size(platform.workers.front(), kOptimizedOverlapped);
  const std::int64_t side = kOptimizedOverlapped.side(worker.m_blocks);
  const std::int64_t enrolled = parameters.workers
                                    ? std::min(*parameters.workers, p)
                                    : saturating_workers(side, worker.c_s, worker.w_s, p);
  return {.dispatcher = make_algorithm_1(first_workers(enrolled), side, problem)};
}

bool VirtualPlatform::is_preferred_to(const VirtualPlatform& other) const {
  const auto key = [](const VirtualPlatform& x) {
    return std::tuple(x.enrolled, -x.side, x.worker.m_blocks, x.worker.c_s, x.worker.w_s);
  };
  return key(*this) < key(other);
}

double estimate_makespan_s(const VirtualPlatform& candidate, const Problem& problem) {
  const std::int64_t side = candidate.side;
  const std::int64_t round = std::min(problem.s, candidate.enrolled * side);
  const auto t = static_cast<double>(problem.t);
  double sum_s = 0;
  for (const auto& [rounds, columns] :
       {std::pair(problem.s / round, round),
        std::pair<std::int64_t, std::int64_t>(1, problem.s % round)}) {
    if (columns == 0) continue;
    const std::int64_t full_chunks = (columns - 1) / side;
    for (const auto& [count, rows] : {std::pair(problem.r / side, side),
                                      std::pair<std::int64_t, std::int64_t>(1, problem.r % side)}) {
      if (count * rows == 0) continue;
      const ChunkCosts full(candidate.worker, rows, side);
      const ChunkCosts last(candidate.worker, rows, columns - full_chunks * side);
      sum_s += static_cast<double>(rounds * count) * row_duration_s(full, full_chunks, last, t);
    }
  }
  return sum_s;
}

VirtualPlatform make_virtual_platform(const Platform& platform, Worker thresholds) {
  const VirtualPlatform single(thresholds, 1);
  std::int64_t eligible = 0;
  thresholds.latency_s = 0;
  for (const Worker& worker : platform.workers) {
    if (!single.admits(worker)) continue;
    ++eligible;
    thresholds.latency_s = std::max(thresholds.latency_s, worker.latency_s);
  }
  return {thresholds, eligible};
}

std::vector<Worker> find_own_thresholds(const Platform& platform) {
  const auto key = [](const Worker& x) { return std::tuple(x.m_blocks, x.c_s, x.w_s); };
  std::vector<Worker> triples(platform.workers.begin(), platform.workers.end());
  std::sort(triples.begin(), triples.end(),
            [&](const Worker& x, const Worker& y) { return key(x) < key(y); });
  const auto same = [&](const Worker& x, const Worker& y) { return key(x) == key(y); };
  triples.erase(std::unique(triples.begin(), triples.end(), same), triples.end());
  return triples;
}

VirtualPlatform find_best(std::vector<VirtualPlatform> candidates, const Problem& problem) {
  std::erase_if(candidates, [](const VirtualPlatform& x) { return x.enrolled == 0; });
  std::vector<double> estimates_s;
  for (const VirtualPlatform& x : candidates)
    estimates_s.push_back(estimate_makespan_s(x, problem));
  const double least_s = *std::min_element(estimates_s.begin(), estimates_s.end());
  const VirtualPlatform* best = nullptr;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (clearly_less(least_s, estimates_s[i])) continue;
    if (best == nullptr || candidates[i].is_preferred_to(*best)) best = &candidates[i];
  }
  return *best;
}

VirtualPlatform find_best_virtual_platform(const Platform& platform, const Problem& problem,
                                           Thresholds thresholds) {
  return find_best(list_virtual_platforms(platform, thresholds), problem);
}

Plan plan_on_virtual_platform(const VirtualPlatform& chosen, const Platform& platform,
                              const Problem& problem) {
  return {.dispatcher = make_algorithm_1(select_enrolled(chosen, platform), chosen.side, problem),
          .details = {
              {"virtual_platform",
               fmt::format("{} worker{}, m={}, c={}, w={}", chosen.enrolled,
                           chosen.enrolled > 1 ? "s" : "", chosen.worker.m_blocks,
                           format_seconds(chosen.worker.c_s), format_seconds(chosen.worker.w_s))}}};
}

}  // namespace starport
