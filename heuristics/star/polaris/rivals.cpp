#include "heuristics/star/polaris/rivals.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/heuristic.hpp"
#include "sim/star/update_end_dates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <set>

namespace starport::polaris {

namespace {

// Tolerance for rounding, since the dates of schedules are sums of many terms.
constexpr double kTolerance = 1 + 1e-9;

/// Runs the schedule of another dispatcher and stops it once it reaches the threshold.
class BoundedRun final : public Dispatcher {
 public:
  BoundedRun(Dispatcher& dispatcher, const Platform& platform, Objective objective,
             double threshold_s)
      : dispatcher_(dispatcher),
        enrolled_(platform.workers.size()),
        objective_(objective),
        threshold_s_(threshold_s) {}

  Decision next(const MasterView& star) override {
    reached_s_ = star.now_s();
    if (objective_ == Objective::work) reached_s_ *= static_cast<double>(count_);
    if (reached_s_ >= threshold_s_) return Done{};
    const Decision decision = dispatcher_.next(star);
    if (const auto* message = std::get_if<const Message*>(&decision)) {
      auto&& enrolled = enrolled_[static_cast<std::size_t>((*message)->worker)];
      if (!enrolled) ++count_;
      enrolled = true;
    }
    return decision;
  }
  Transfer transfer() const override { return dispatcher_.transfer(); }

  /// Returns the value of the objective for a run that ended at `end_s`, or a value of at least the
  /// threshold if it was stopped.
  double reached_s(double end_s) const {
    const double workers = objective_ == Objective::work ? static_cast<double>(count_) : 1;
    return std::max(reached_s_, end_s * workers);
  }

 private:
  Dispatcher& dispatcher_;
  std::vector<bool> enrolled_;
  std::int64_t count_ = 0;
  Objective objective_;
  double threshold_s_;
  double reached_s_ = 0;
};

}  // namespace

ChunkBound::Panel::Panel(const Worker& worker, const Problem& problem, std::int64_t side,
                         std::int64_t depth)
    : columns(static_cast<double>(std::min(side, problem.s))) {
  const auto r = static_cast<double>(problem.r);
  const auto t = static_cast<double>(problem.t);
  const auto chunks = static_cast<double>(ceil_div(problem.r, side));
  const auto steps = static_cast<double>(ceil_div(problem.t, depth));
  const double c_s = worker.c_s;
  const double a_s = r * c_s;                              // A for one k
  const double update_s = r * worker.w_s;                  // of a column, for one k
  const double latency_s = 3 * chunks * worker.latency_s;  // of the worker
  port = {t * a_s + chunks * (2 + steps) * worker.latency_s, 2 * a_s + t * chunks * c_s};
  link = {t * a_s + latency_s, 2 * a_s + t * chunks * c_s + update_s};
  computation = {a_s + latency_s, 2 * a_s + chunks * c_s + t * update_s};
}

double ChunkBound::Panel::narrower(double makespan_s) const {
  const double left_s = makespan_s - std::floor(makespan_s / worker_s()) * worker_s();
  const double last = std::min(link.columns_at(left_s), computation.columns_at(left_s));
  return std::floor(std::clamp(last, 0.0, columns));
}

ChunkBound::ChunkBound(const Platform& platform, const Problem& problem, ChunkSides sides)
    : columns_(static_cast<double>(problem.s)), workers_(platform.workers.size()) {
  const MemoryLayout& layout = sides == ChunkSides::toledo ? kToledo : kOptimizedOverlapped;
  PerWorker<std::int64_t> largest;
  std::set<std::int64_t> different;
  for (const Worker& worker : platform.workers) {
    largest.push_back(chunk_side(worker, layout));
    if (largest.back() > 0) different.insert(largest.back());
  }
  // Panels of the side of each worker or, for `equal`, of `side` on those that have memory for it.
  const auto add_panels = [&](std::int64_t side) {
    Panels& panels = alternatives_.emplace_back();
    for (std::int64_t i = 0; i < std::ssize(largest); ++i) {
      if (largest[i] == 0 || largest[i] < side) continue;
      const std::int64_t mine = side > 0 ? side : largest[i];
      panels.emplace_back(platform.workers[i], problem, mine, layout.step_depth(mine));
    }
    std::ranges::sort(panels, {}, &Panel::price_s);
  };
  if (sides == ChunkSides::equal) {
    std::ranges::for_each(different, add_panels);
  } else if (!different.empty()) {
    add_panels(0);
  }
}

double ChunkBound::least_port_s(const Panels& panels, const std::vector<Sum>& sums,
                                std::size_t last, double narrower) const {
  double port_s = 0;
  double full = columns_;  // columns of full panels
  if (last < panels.size()) {
    // Full panels that are cheaper for the port come first.
    const Line& port = panels[last].port;
    const auto dearer = std::ranges::lower_bound(panels, port.column_s, {}, &Panel::price_s);
    const Sum& cheaper = sums[static_cast<std::size_t>(dearer - panels.begin())];
    narrower = std::min(narrower, std::max(0.0, columns_ - cheaper.columns));
    port_s = port.at(narrower);
    full -= narrower;
  }
  const double missing = full - sums.back().columns;
  if (missing > columns_ * (kTolerance - 1)) return kUnknown;
  const auto next =
      std::ranges::upper_bound(sums.begin() + 1, sums.end() - 1, full, {}, &Sum::columns);
  const Sum& before = *(next - 1);
  const Panel& partly = panels[static_cast<std::size_t>(next - sums.begin()) - 1];
  return port_s + before.port_s +
         (std::min(full, sums.back().columns) - before.columns) * partly.price_s();
}

bool ChunkBound::can_end_by(const Panels& panels, double makespan_s, std::size_t enrolled) const {
  makespan_s *= kTolerance;
  std::vector<double> capacities;  // columns of full panels
  std::vector<Sum> sums{{.columns = 0, .port_s = 0}};
  double most = 0;  // columns on the workers enrolled
  for (const Panel& panel : panels) {
    const double full = std::min(capacities.emplace_back(panel.full(makespan_s)), columns_);
    sums.push_back({.columns = sums.back().columns + full,
                    .port_s = sums.back().port_s + full * panel.price_s()});
    most = std::max(most, panel.narrower(makespan_s));
  }
  bool can = least_port_s(panels, sums, panels.size(), 0) <= makespan_s;
  for (std::size_t i = 0; i < panels.size() && !can; ++i) {
    const double narrower = panels[i].narrower(makespan_s);
    can = narrower > 0 && least_port_s(panels, sums, i, narrower) <= makespan_s;
  }
  if (!can) return false;
  std::ranges::sort(capacities, std::greater<>());
  for (std::size_t i = 0; i < std::min(enrolled, capacities.size()); ++i) most += capacities[i];
  return most * kTolerance >= columns_;
}

bool ChunkBound::can_end_by(double makespan_s, std::size_t enrolled) const {
  if (makespan_s == kUnknown) return !alternatives_.empty();
  return std::ranges::any_of(alternatives_, [&](const Panels& panels) {
    return can_end_by(panels, makespan_s, enrolled);
  });
}

bool ChunkBound::can_cost(double work_s) const {
  for (std::size_t enrolled = 1; enrolled <= workers_; ++enrolled) {
    if (can_end_by(work_s / static_cast<double>(enrolled), enrolled)) return true;
  }
  return false;
}

bool ChunkBound::can_reach(double threshold_s, Objective objective) const {
  return objective == Objective::work ? can_cost(threshold_s) : can_end_by(threshold_s, workers_);
}

namespace {

/// Like find_best_rival(), and subtracts the simulated transfers from `transfers`; tries no
/// further rival once that is not positive.
const Rival* find_best_rival_within(const std::vector<Rival>& rivals, const Platform& platform,
                                    const Problem& problem, Objective objective,
                                    double& threshold_s, std::int64_t& transfers) {
  std::map<ChunkSides, ChunkBound> bounds;
  const Rival* best = nullptr;
  for (const Rival& rival : rivals) {
    // The bound counts transfers in both directions on one port.
    if (platform.port.kind == Port::Kind::one) {
      const auto [bound, added] = bounds.try_emplace(rival.sides, platform, problem, rival.sides);
      if (!bound->second.can_reach(threshold_s, objective)) continue;
    }
    if (transfers <= 0) break;
    try {
      const Plan plan = rival.heuristic->plan(platform, problem);
      BoundedRun run(*plan.dispatcher, platform, objective, threshold_s);
      MasterView star(platform, problem);
      const double end_s =
          run_recurrence(run, star, [&](const Message&, const Dates&) { --transfers; });
      if (run.reached_s(end_s) >= threshold_s) continue;
      threshold_s = run.reached_s(end_s);
      best = &rival;
    } catch (const InputError&) {  // no worker has memory for the layout of this heuristic
    }
  }
  return best;
}

}  // namespace

const Rival* find_best_rival(const std::vector<Rival>& rivals, const Platform& platform,
                             const Problem& problem, Objective objective, double& threshold_s) {
  std::int64_t transfers = std::numeric_limits<std::int64_t>::max();
  return find_best_rival_within(rivals, platform, problem, objective, threshold_s, transfers);
}

RivalOnSome find_best_rival_on_some(const std::vector<Rival>& rivals, const Platform& platform,
                                    const Problem& problem, Objective objective,
                                    double& threshold_s) {
  RivalOnSome best;
  if (platform.port.kind != Port::Kind::one) return best;
  const std::vector<int> usable = usable_workers(platform);
  const auto try_sets = [&](std::int64_t transfers) {
    for (const std::vector<int>& workers : sets_of(usable)) {
      const Rival* rival = find_best_rival_within(rivals, select_workers(platform, workers),
                                                  problem, objective, threshold_s, transfers);
      if (rival != nullptr) best = {rival, workers};
    }
  };
  if (usable.size() <= kFewWorkers) {
    try_sets(std::numeric_limits<std::int64_t>::max());
    return best;
  }
  constexpr std::int64_t planning = 8;  // transfers that take as long as planning a worker
  std::int64_t transfers = 2'000'000;   // left
  for (const Rival& rival : rivals) {
    std::vector<int> workers = usable;
    while (workers.size() > 1 && transfers > 0) {
      transfers -= planning * std::ssize(workers);
      const Platform part = select_workers(platform, workers);
      if (!ChunkBound(part, problem, rival.sides).can_reach(threshold_s, objective)) break;
      try {
        const Plan plan = rival.heuristic->plan(part, problem);
        BoundedRun run(*plan.dispatcher, part, objective, kUnknown);
        MasterView star(part, problem);
        std::ptrdiff_t last = 0;
        const double end_s = run_recurrence(run, star, [&](const Message& message, const Dates&) {
          last = message.worker;
          --transfers;
        });
        if (run.reached_s(end_s) < threshold_s) {
          threshold_s = run.reached_s(end_s);
          best = {&rival, workers};
        }
        workers.erase(workers.begin() + last);
      } catch (const InputError&) {  // no worker has memory for the layout of this heuristic
        break;
      }
    }
  }
  if (usable.size() <= kSeveralWorkers) try_sets(200'000);
  return best;
}

}  // namespace starport::polaris
