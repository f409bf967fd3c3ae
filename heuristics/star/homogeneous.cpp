#include "heuristics/star/homogeneous.hpp"

#include "heuristics/star/fast/for_many.hpp"
#include "heuristics/star/fast/rounds_in_lanes.hpp"
#include "sim/files/numbers.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <numeric>
#include <tuple>

namespace starport {
namespace {

class Algorithm1 {
 public:
  template <class Number, class Run>
  using InLanes = RoundsInLanes<Number, Run, Algorithm1>;
  static constexpr bool kOneLane = true;
  static constexpr std::size_t kMostAtOnce = 16;
  static constexpr std::size_t kMostInLanes = 1 << 10;

  Algorithm1(const std::vector<int>& workers, std::int64_t side, const Problem& problem)
      : columns_(problem) {
    crew_.reserve(workers.size());
    for (const int worker : workers) {
      crew_.emplace_back(worker, side, kOptimizedOverlapped, problem);
    }
  }

  /// Dates do not matter.
  template <class View>
  ChunkWorker* choose(const View&) {
    if (turn_ == active_) begin_visit();
    return active_ == 0 ? nullptr : &crew_[turn_++];
  }
  Rounds next_rounds() {
    const std::span<ChunkWorker> row(crew_.data(), active_);
    return {row, turn_ == active_ ? full_rounds_left(row) : 0};
  }

 private:
  /// A visit gives each worker one transfer: SendC, then t times SendAB, then RecvC.
  void begin_visit() {
    turn_ = 0;
    if (active_ > 0 && crew_.front().holds_chunk()) return;
    // The next row of chunks, of the same panels or of new ones: for the last, fewer workers.
    active_ = 0;
    while (active_ < crew_.size() && crew_[active_].start_chunk(columns_)) ++active_;
  }

  std::vector<ChunkWorker> crew_;
  ColumnCounter columns_;
  std::size_t active_ = 0;  ///< the first workers, which hold a chunk of the row
  std::size_t turn_ = 0;
};

}  // namespace

std::unique_ptr<Dispatcher> algorithm_1(const std::vector<int>& workers, std::int64_t side,
                                        const Problem& problem) {
  return std::make_unique<ChoiceDispatcher<Algorithm1>>(workers, side, problem);
}

std::int64_t saturating_workers(std::int64_t side, double c_s, double w_s, std::int64_t p) {
  const double quotient = tolerant_ceil(static_cast<double>(side) * w_s / (2 * c_s));
  if (quotient >= static_cast<double>(p)) return p;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(quotient));
}

namespace {

std::vector<int> first_workers(std::int64_t count) {
  std::vector<int> workers(static_cast<std::size_t>(count));
  std::iota(workers.begin(), workers.end(), 0);
  return workers;
}

}  // namespace

Plan plan_holm(const HolmParameters& parameters, const Platform& platform, const Problem& problem) {
  const auto p = static_cast<std::int64_t>(platform.workers.size());
  const Worker worker = at_chunk_size(platform.workers.front(), kOptimizedOverlapped);
  const std::int64_t side = kOptimizedOverlapped.side(worker.m_blocks);
  const std::int64_t enrolled = parameters.workers
                                    ? std::min(*parameters.workers, p)
                                    : saturating_workers(side, worker.c_s, worker.w_s, p);
  return {.dispatcher = algorithm_1(first_workers(enrolled), side, problem)};
}

bool VirtualPlatform::preferred_to(const VirtualPlatform& other) const {
  const auto key = [](const VirtualPlatform& x) {
    return std::tuple(x.enrolled, -x.side, x.worker.m_blocks, x.worker.c_s, x.worker.w_s);
  };
  return key(*this) < key(other);
}

namespace {

/// What a chunk of so many rows and columns takes.
struct ChunkCosts {
  double c_s;       ///< SendC, or RecvC
  double step_s;    ///< SendAB
  double update_s;  ///< the update that it allows

  ChunkCosts(const Worker& worker, std::int64_t rows, std::int64_t columns)
      : c_s(worker.transfer_time_s(rows * columns)),
        step_s(worker.transfer_time_s(rows + columns)),
        update_s(static_cast<double>(rows * columns) * worker.w_s) {}
};

/// A row of chunks, full ones and a last one, that begins with a free port and idle workers. Its
/// end is the end of a longest path: along the port, but for one stretch at most along the updates
/// of a worker, from its k-th step to its return. (One that came back to the port for a later step
/// would be longer than the port's way only where updates last longer than a round of steps; then
/// that from the first step on, to the return, is longer yet.) The length is linear in k and, among
/// the full chunks, in the number of the worker: the longest is at an end of both.
double row_s(const ChunkCosts& full, std::int64_t full_chunks, const ChunkCosts& last, double t) {
  const auto before_last = static_cast<double>(full_chunks);
  const double c_s = before_last * full.c_s + last.c_s;
  const double round_s = before_last * full.step_s + last.step_s;
  double longest_s = t * round_s + c_s;
  const auto consider = [&](double number, const ChunkCosts& chunk) {
    const double others_s =
        number * full.step_s + chunk.step_s + (before_last - number) * full.c_s + last.c_s;
    longest_s = std::max(
        {longest_s, others_s + t * chunk.update_s, others_s + chunk.update_s + (t - 1) * round_s});
  };
  consider(before_last, last);
  if (full_chunks > 0) {
    consider(0, full);
    consider(before_last - 1, full);
  }
  return c_s + longest_s;
}

}  // namespace

double estimate_s(const VirtualPlatform& candidate, const Problem& problem) {
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
      sum_s += static_cast<double>(rounds * count) * row_s(full, full_chunks, last, t);
    }
  }
  return sum_s;
}

VirtualPlatform extract(const Platform& platform, Worker thresholds) {
  const VirtualPlatform alone(thresholds, 1);
  std::int64_t eligible = 0;
  thresholds.latency_s = 0;
  for (const Worker& worker : platform.workers) {
    if (!alone.admits(worker)) continue;
    ++eligible;
    thresholds.latency_s = std::max(thresholds.latency_s, worker.latency_s);
  }
  return {thresholds, eligible};
}

std::vector<Worker> own_thresholds(const Platform& platform) {
  const auto key = [](const Worker& x) { return std::tuple(x.m_blocks, x.c_s, x.w_s); };
  std::vector<Worker> triples(platform.workers.begin(), platform.workers.end());
  std::sort(triples.begin(), triples.end(),
            [&](const Worker& x, const Worker& y) { return key(x) < key(y); });
  const auto same = [&](const Worker& x, const Worker& y) { return key(x) == key(y); };
  triples.erase(std::unique(triples.begin(), triples.end(), same), triples.end());
  return triples;
}

namespace {

std::vector<VirtualPlatform> virtual_platforms(const Platform& platform, Thresholds thresholds) {
  std::vector<VirtualPlatform> candidates;
  if (thresholds == Thresholds::own) {
    for (const Worker& own : own_thresholds(platform)) candidates.push_back(extract(platform, own));
    return candidates;
  }
  for (const std::int64_t m_blocks : distinct(platform, &Worker::m_blocks)) {
    Worker worst{.c_s = 0, .w_s = 0, .m_blocks = m_blocks, .latency_s = 0};
    if (thresholds == Thresholds::memory) {
      for (const Worker& worker : platform.workers) {
        if (worker.m_blocks < m_blocks) continue;
        worst.c_s = std::max(worst.c_s, worker.c_s);
        worst.w_s = std::max(worst.w_s, worker.w_s);
      }
      candidates.push_back(extract(platform, worst));
      continue;
    }
    for (const double c_s : distinct(platform, &Worker::c_s)) {
      for (const double w_s : distinct(platform, &Worker::w_s)) {
        worst.c_s = c_s;
        worst.w_s = w_s;
        candidates.push_back(extract(platform, worst));
      }
    }
  }
  return candidates;
}

}  // namespace

VirtualPlatform best_of(std::vector<VirtualPlatform> candidates, const Problem& problem) {
  std::erase_if(candidates, [](const VirtualPlatform& x) { return x.enrolled == 0; });
  std::vector<double> estimates_s;
  for (const VirtualPlatform& x : candidates) estimates_s.push_back(estimate_s(x, problem));
  const double least_s = *std::min_element(estimates_s.begin(), estimates_s.end());
  const VirtualPlatform* best = nullptr;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (clearly_less(least_s, estimates_s[i])) continue;
    if (best == nullptr || candidates[i].preferred_to(*best)) best = &candidates[i];
  }
  return *best;
}

VirtualPlatform best_virtual_platform(const Platform& platform, const Problem& problem,
                                      Thresholds thresholds) {
  return best_of(virtual_platforms(platform, thresholds), problem);
}

namespace {

/// The P eligible workers smallest in (c_i, w_i, index).
std::vector<int> enrolled_workers(const VirtualPlatform& chosen, const Platform& platform) {
  std::vector<int> eligible;
  int number = 0;
  for (const Worker& worker : platform.workers) {
    if (chosen.admits(worker)) eligible.push_back(number);
    ++number;
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

Plan plan_extraction(Thresholds thresholds, const Platform& real, const Problem& problem) {
  Platform platform = real;
  for (Worker& worker : platform.workers) worker = at_chunk_size(worker, kOptimizedOverlapped);
  const fast::Extraction extraction = fast::best_virtual_platform(platform, problem, thresholds);
  const VirtualPlatform& chosen = extraction.best;
  Plan plan{.dispatcher = algorithm_1(enrolled_workers(chosen, platform), chosen.side, problem),
            .details = {{"virtual_platform",
                         fmt::format("{} worker{}, m={}, c={}, w={}", chosen.enrolled,
                                     chosen.enrolled > 1 ? "s" : "", chosen.worker.m_blocks,
                                     format_seconds(chosen.worker.c_s),
                                     format_seconds(chosen.worker.w_s))}}};
  if (extraction.unproved) {
    plan.details.emplace_back(
        "thresholds", *extraction.unproved > 0
                          ? fmt::format("not all were tried: an estimate less by {:.2g} % is not "
                                        "ruled out",
                                        100 * *extraction.unproved)
                          : "of those whose estimates are as low, not all were compared");
  }
  return plan;
}

}  // namespace starport
