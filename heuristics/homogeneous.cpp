#include "heuristics/homogeneous.hpp"

#include "heuristics/chunks.hpp"
#include "sim/model/error.hpp"
#include "sim/model/ties.hpp"
#include "sim/model/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

namespace starport {

void algorithm_1(const std::vector<int>& workers, std::int64_t side, const Problem& problem,
                 const std::function<void(const Transfer&)>& emit) {
  std::vector<ChunkWorker> crew;
  for (const int worker : workers) {
    crew.emplace_back(worker, side, kOptimizedOverlapped, problem);
  }
  ColumnCounter columns(problem);
  while (columns.any_left()) {
    // The workers that get a panel in this round: all but in the last one.
    std::size_t active = 0;
    while (active < crew.size() && crew[active].start_chunk(columns)) ++active;
    const std::int64_t rows_of_chunks = (problem.r + side - 1) / side;
    for (std::int64_t row = 0; row < rows_of_chunks; ++row) {
      for (std::size_t i = 0; i < active; ++i) {
        if (row > 0) crew[i].start_chunk(columns);
        emit(crew[i].next());  // SendC
      }
      for (std::int64_t k = 0; k < problem.t; ++k) {
        for (std::size_t i = 0; i < active; ++i) emit(crew[i].next());  // SendAB
      }
      for (std::size_t i = 0; i < active; ++i) emit(crew[i].next());  // RecvC
    }
  }
}

std::int64_t saturating_workers(std::int64_t side, double c_s, double w_s, std::int64_t p) {
  const double quotient = tolerant_ceil(static_cast<double>(side) * w_s / (2 * c_s));
  if (quotient >= static_cast<double>(p)) return p;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(quotient));
}

namespace {

Plan run_algorithm_1(const std::vector<int>& workers, std::int64_t side, const Problem& problem) {
  std::vector<Transfer> transfers;
  algorithm_1(workers, side, problem,
              [&](const Transfer& transfer) { transfers.push_back(transfer); });
  return list_plan(std::move(transfers));
}

std::vector<int> first_workers(std::int64_t count) {
  std::vector<int> workers(static_cast<std::size_t>(count));
  std::iota(workers.begin(), workers.end(), 0);
  return workers;
}

}  // namespace

Plan HomogeneousMaster::plan(const Platform& platform, const Problem& problem) const {
  if (!platform.homogeneous()) throw NotApplicable("the workers are not all alike");
  const auto p = static_cast<std::int64_t>(platform.workers.size());
  const Worker& worker = platform.workers.front();
  const std::int64_t side = chunk_sides(platform, problem, layout()).front();
  const std::int64_t enrolled =
      enrolled_ ? std::min(*enrolled_, p) : saturating_workers(side, worker.c_s, worker.w_s, p);
  return run_algorithm_1(first_workers(enrolled), side, problem);
}

namespace {

/// A homogeneous platform seen in a heterogeneous one: P workers as good as (M, C, W) at least.
struct VirtualPlatform {
  Worker worker;  ///< m_blocks = M, c_s = C, w_s = W, and the largest latency among the eligible
  std::int64_t side = 0;      ///< mu(M)
  std::int64_t enrolled = 0;  ///< P
  double bound_s = 0;         ///< no schedule of Algorithm 1 on it is shorter
  std::size_t rank = 0;       ///< among the candidates, by (M, C, W)

  bool admits(const Worker& real) const {
    return real.m_blocks >= worker.m_blocks && real.c_s <= worker.c_s && real.w_s <= worker.w_s;
  }
};

/// Fixes P, the latency and the bound; false when no worker is eligible or the side is 0.
bool complete(VirtualPlatform& candidate, const Platform& platform, const Problem& problem) {
  std::int64_t eligible = 0;
  for (const Worker& real : platform.workers) {
    if (!candidate.admits(real)) continue;
    ++eligible;
    candidate.worker.latency_s = std::max(candidate.worker.latency_s, real.latency_s);
  }
  candidate.side = kOptimizedOverlapped.side(candidate.worker.m_blocks);
  if (eligible == 0 || candidate.side == 0) return false;
  const Worker& worker = candidate.worker;
  candidate.enrolled = saturating_workers(candidate.side, worker.c_s, worker.w_s, eligible);

  // The port carries every block once, the workers share the updates.
  const auto panels = static_cast<double>((problem.s + candidate.side - 1) / candidate.side);
  const auto bands = static_cast<double>((problem.r + candidate.side - 1) / candidate.side);
  const auto r = static_cast<double>(problem.r);
  const auto s = static_cast<double>(problem.s);
  const auto t = static_cast<double>(problem.t);
  const double port = (2 * r * s + t * (r * panels + s * bands)) * worker.c_s;
  const double computation = r * s * t * worker.w_s / static_cast<double>(candidate.enrolled);
  candidate.bound_s = std::max(port, computation);
  return true;
}

/// Hom: for each M, the workers with m_i >= M, and the largest c and w among them.
std::vector<VirtualPlatform> memory_thresholds(const Platform& platform) {
  std::set<std::int64_t> memories;
  for (const Worker& worker : platform.workers) memories.insert(worker.m_blocks);
  std::vector<VirtualPlatform> candidates;
  for (const std::int64_t memory : memories) {
    VirtualPlatform candidate;
    candidate.worker.m_blocks = memory;
    for (const Worker& worker : platform.workers) {
      if (worker.m_blocks < memory) continue;
      candidate.worker.c_s = std::max(candidate.worker.c_s, worker.c_s);
      candidate.worker.w_s = std::max(candidate.worker.w_s, worker.w_s);
    }
    candidates.push_back(candidate);
  }
  return candidates;
}

/// HomI: each triple of values present.
std::vector<VirtualPlatform> all_thresholds(const Platform& platform) {
  std::set<std::int64_t> memories;
  std::set<double> links;
  std::set<double> speeds;
  for (const Worker& worker : platform.workers) {
    memories.insert(worker.m_blocks);
    links.insert(worker.c_s);
    speeds.insert(worker.w_s);
  }
  std::vector<VirtualPlatform> candidates;
  for (const std::int64_t memory : memories) {
    for (const double c : links) {
      for (const double w : speeds) {
        VirtualPlatform candidate;
        candidate.worker = {.c_s = c, .w_s = w, .m_blocks = memory};
        candidates.push_back(candidate);
      }
    }
  }
  return candidates;
}

/// The makespan of Algorithm 1 on P identical workers.
double estimate_s(const VirtualPlatform& candidate, const Problem& problem) {
  const Platform platform{.name = "",
                          .workers = std::vector<Worker>(
                              static_cast<std::size_t>(candidate.enrolled), candidate.worker)};
  Star star(platform, problem);
  algorithm_1(first_workers(candidate.enrolled), candidate.side, problem,
              [&](const Transfer& transfer) { star.advance(transfer); });
  return star.now_s();
}

/// The candidate of smallest estimate, then smallest P, then largest mu, then smallest (M, C, W).
/// Candidates are tried by growing lower bound, so that most need no estimate.
VirtualPlatform best_estimate(std::vector<VirtualPlatform> candidates, const Problem& problem) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& x, const auto& y) { return x.bound_s < y.bound_s; });
  const VirtualPlatform* best = nullptr;
  double best_s = kUnknown;
  for (const VirtualPlatform& candidate : candidates) {
    if (clearly_less(best_s, candidate.bound_s)) break;
    const double estimate = estimate_s(candidate, problem);
    const bool tie = best != nullptr && nearly_equal(estimate, best_s);
    const bool preferred = tie && std::tuple(candidate.enrolled, -candidate.side, candidate.rank) <
                                      std::tuple(best->enrolled, -best->side, best->rank);
    if (clearly_less(estimate, best_s) || preferred) {
      best = &candidate;
      best_s = estimate;
    }
  }
  return *best;
}

/// The P eligible workers smallest in (c_i, w_i, index).
std::vector<int> enrolled_workers(const VirtualPlatform& chosen, const Platform& platform) {
  std::vector<int> eligible;
  for (std::size_t i = 0; i < platform.workers.size(); ++i) {
    if (chosen.admits(platform.workers[i])) eligible.push_back(static_cast<int>(i));
  }
  std::stable_sort(eligible.begin(), eligible.end(), [&](int i, int j) {
    const Worker& x = platform.workers[static_cast<std::size_t>(i)];
    const Worker& y = platform.workers[static_cast<std::size_t>(j)];
    return std::tuple(x.c_s, x.w_s) < std::tuple(y.c_s, y.w_s);
  });
  eligible.resize(static_cast<std::size_t>(chosen.enrolled));
  return eligible;
}

}  // namespace

Plan HomogeneousExtraction::plan(const Platform& platform, const Problem& problem) const {
  chunk_sides(platform, problem, layout());  // refuses a platform where nobody has enough memory
  std::vector<VirtualPlatform> candidates =
      thresholds_ == Thresholds::memory ? memory_thresholds(platform) : all_thresholds(platform);
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i].rank = i;
  std::erase_if(candidates, [&](VirtualPlatform& candidate) {
    return !complete(candidate, platform, problem);
  });
  const VirtualPlatform chosen = best_estimate(std::move(candidates), problem);
  Plan plan = run_algorithm_1(enrolled_workers(chosen, platform), chosen.side, problem);
  plan.details = {
      {"virtual_platform",
       fmt::format("{} worker{}, m={}, c={}, w={}", chosen.enrolled, chosen.enrolled > 1 ? "s" : "",
                   chosen.worker.m_blocks, format_seconds(chosen.worker.c_s),
                   format_seconds(chosen.worker.w_s))}};
  return plan;
}

}  // namespace starport
