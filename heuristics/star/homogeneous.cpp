#include "heuristics/star/homogeneous.hpp"

#include "heuristics/star/chunks.hpp"
#include "heuristics/star/virtual_platform.hpp"
#include "sim/files/error.hpp"
#include "sim/files/units.hpp"
#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace starport {
namespace {

class Algorithm1 final : public ChunkDispatcher {
 public:
  Algorithm1(const std::vector<int>& workers, std::int64_t side, const Problem& problem)
      : columns_(problem) {
    crew_.reserve(workers.size());
    for (const int worker : workers) {
      crew_.emplace_back(worker, side, kOptimizedOverlapped, problem);
    }
  }

  Decision next(const MasterView&) override {
    if (turn_ == active_) begin_visit();
    if (active_ == 0) return Done{};
    return serve(crew_[turn_++]);
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
  return std::make_unique<Algorithm1>(workers, side, problem);
}

std::int64_t saturating_workers(std::int64_t side, double c_s, double w_s, std::int64_t p) {
  const double quotient = tolerant_ceil(static_cast<double>(side) * w_s / (2 * c_s));
  if (quotient >= static_cast<double>(p)) return p;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(quotient));
}

namespace {

Plan run_algorithm_1(const std::vector<int>& workers, std::int64_t side, const Problem& problem) {
  return {.dispatcher = algorithm_1(workers, side, problem), .details = {}, .adapts = false};
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
  const Extraction extraction = thresholds_ == Thresholds::memory
                                    ? best_by_memory(platform, problem)
                                    : best_by_all_figures(platform, problem);
  const VirtualPlatform& chosen = extraction.best;
  Plan plan = run_algorithm_1(enrolled_workers(chosen, platform), chosen.side, problem);
  plan.details = {
      {"virtual_platform",
       fmt::format("{} worker{}, m={}, c={}, w={}", chosen.enrolled, chosen.enrolled > 1 ? "s" : "",
                   chosen.worker.m_blocks, format_seconds(chosen.worker.c_s),
                   format_seconds(chosen.worker.w_s))}};
  if (!extraction.thinned.empty()) plan.details.emplace_back("thresholds", extraction.thinned);
  return plan;
}

}  // namespace starport
