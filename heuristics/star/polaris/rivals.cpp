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
    : workers_(platform.workers),
      problem_(problem),
      layout_(sides == ChunkSides::toledo ? &kToledo : &kOptimizedOverlapped) {
  std::set<std::int64_t> different;
  for (const Worker& worker : workers_) {
    largest_sides_.push_back(chunk_side(worker, *layout_));
    if (largest_sides_.back() > 0) different.insert(largest_sides_.back());
  }
  if (different.empty()) return;
  tried_sides_.push_back(0);
  if (sides == ChunkSides::equal) tried_sides_.assign(different.begin(), different.end());
}

ChunkBound::Panels ChunkBound::make_panels(std::int64_t side) const {
  Panels panels;
  for (std::int64_t i = 0; i < std::ssize(workers_); ++i) {
    const std::int64_t largest = largest_sides_[i];
    if (largest == 0 || largest < side) continue;
    const std::int64_t mine = side > 0 ? side : largest;
    panels.emplace_back(workers_[i], problem_, mine, layout_->step_depth(mine));
  }
  std::ranges::sort(panels, {}, &Panel::price_s);
  return panels;
}

bool ChunkBound::any_panels(const std::function<bool(const Panels&)>& can) const {
  return std::ranges::any_of(tried_sides_,
                             [&](std::int64_t side) { return can(make_panels(side)); });
}

double ChunkBound::least_port_s(const Panels& panels, const std::vector<Sum>& sums,
                                std::size_t last, double narrower) const {
  double port_s = 0;
  double full = columns();  // columns of full panels
  if (last < panels.size()) {
    // Full panels that are cheaper for the port come first.
    const Line& port = panels[last].port;
    const auto dearer = std::ranges::lower_bound(panels, port.column_s, {}, &Panel::price_s);
    const Sum& cheaper = sums[static_cast<std::size_t>(dearer - panels.begin())];
    narrower = std::min(narrower, std::max(0.0, columns() - cheaper.columns));
    port_s = port.at(narrower);
    full -= narrower;
  }
  const double missing = full - sums.back().columns;
  if (missing > columns() * (kTolerance - 1)) return kUnknown;
  const auto next =
      std::ranges::upper_bound(sums.begin() + 1, sums.end() - 1, full, {}, &Sum::columns);
  const Sum& before = *(next - 1);
  const Panel& partly = panels[static_cast<std::size_t>(next - sums.begin()) - 1];
  return port_s + before.port_s +
         (std::min(full, sums.back().columns) - before.columns) * partly.price_s();
}

bool ChunkBound::have_time(const Panels& panels, double makespan_s) const {
  std::vector<Sum> sums{{.columns = 0, .port_s = 0}};
  for (const Panel& panel : panels) {
    const double full = std::min(panel.full(makespan_s), columns());
    sums.push_back({.columns = sums.back().columns + full,
                    .port_s = sums.back().port_s + full * panel.price_s()});
  }
  if (least_port_s(panels, sums, panels.size(), 0) <= makespan_s) return true;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const double narrower = panels[i].narrower(makespan_s);
    if (narrower > 0 && least_port_s(panels, sums, i, narrower) <= makespan_s) return true;
  }
  return false;
}

bool ChunkBound::suffice(const Panels& panels, double makespan_s, std::size_t enrolled) const {
  std::vector<double> full;
  double columns = 0;
  for (const Panel& panel : panels) {
    full.push_back(panel.full(makespan_s));
    columns = std::max(columns, panel.narrower(makespan_s));
  }
  std::ranges::sort(full, std::greater<>());
  for (std::size_t i = 0; i < std::min(enrolled, full.size()); ++i) columns += full[i];
  return columns * kTolerance >= this->columns();
}

bool ChunkBound::can_end_by(double makespan_s, std::size_t enrolled) const {
  if (makespan_s == kUnknown) return !tried_sides_.empty();
  const double end_s = makespan_s * kTolerance;
  return any_panels([&](const Panels& panels) {
    return have_time(panels, end_s) && suffice(panels, end_s, enrolled);
  });
}

bool ChunkBound::can_cost(double work_s) const {
  if (work_s == kUnknown) return !tried_sides_.empty();
  work_s *= kTolerance;
  return any_panels([&](const Panels& panels) {
    // However many workers are enrolled, they do no more than all full panels of the fastest in
    // that time, and the panel with the last columns.
    double rate = 0;  // columns per second
    double widest = 0;
    for (const Panel& panel : panels) {
      rate = std::max(rate, panel.columns / panel.worker_s());
      widest = std::max(widest, panel.columns);
    }
    if ((work_s * rate + widest) * kTolerance < columns()) return false;
    for (std::size_t enrolled = 1; enrolled <= panels.size(); ++enrolled) {
      const double makespan_s = work_s / static_cast<double>(enrolled);
      if (!have_time(panels, makespan_s)) return false;  // nor for more workers, in less time
      if (suffice(panels, makespan_s, enrolled)) return true;
    }
    return false;
  });
}

bool ChunkBound::can_reach(double threshold_s, Objective objective) const {
  return objective == Objective::work ? can_cost(threshold_s)
                                      : can_end_by(threshold_s, workers_.size());
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
