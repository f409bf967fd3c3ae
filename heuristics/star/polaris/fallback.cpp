#include "heuristics/star/polaris/fallback.hpp"

#include "sim/files/error.hpp"
#include "sim/files/numbers.hpp"
#include "sim/star/layout.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/update_end_dates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

namespace starport::polaris {

namespace {

/// Against rounding: dates of schedules are sums of many terms.
constexpr double kTolerance = 1 + 1e-9;

}  // namespace

ChunkBound::ChunkBound(const Platform& platform, const Problem& problem, Panels panels)
    : columns_(static_cast<double>(problem.s)), full_(panels == Panels::full) {
  const auto r = static_cast<double>(problem.r);
  const auto t = static_cast<double>(problem.t);
  for (const Worker& worker : platform.workers) {
    std::int64_t side = chunk_side(worker, kOptimizedOverlapped);
    if (!full_) side = std::max(side, chunk_side(worker, kToledo));
    if (side == 0) continue;
    const auto chunks = static_cast<double>(ceil_div(problem.r, side));
    const auto v = static_cast<double>(std::min(side, problem.s));
    const double steps = full_ ? t : static_cast<double>(ceil_div(problem.t, side));
    const double c_s = 2 * r * v * worker.c_s;          // out and home
    const double ab_s = (r + chunks * v) * worker.c_s;  // for one k, of all chunks
    const double update_s = r * v * worker.w_s;         // the same
    panels_.push_back({.columns = v,
                       .port_s = c_s + t * ab_s + chunks * (2 + steps) * worker.latency_s,
                       .worker_s = c_s + 3 * chunks * worker.latency_s +
                                   std::max(ab_s + t * update_s, t * ab_s + update_s)});
  }
  std::sort(panels_.begin(), panels_.end(), [](const Panel& x, const Panel& y) {
    return x.port_s * y.columns < y.port_s * x.columns;
  });
}

double ChunkBound::columns_by(const Panel& panel, double makespan_s) const {
  const double panels = makespan_s / panel.worker_s;
  return panel.columns * (full_ ? std::floor(panels) : panels);
}

bool ChunkBound::may_end_by(double makespan_s, std::size_t enrolled) const {
  if (panels_.empty() || makespan_s == kUnknown) return !panels_.empty();
  makespan_s *= kTolerance;
  std::vector<double> most;  // columns of each worker
  double last = 0;           // of the panel that takes the last columns
  for (const Panel& panel : panels_) {
    most.push_back(columns_by(panel, makespan_s));
    last = std::max(last, panel.columns * makespan_s / panel.worker_s - most.back());
  }
  double port_s = 0;
  double left = columns_ - last;
  for (std::size_t i = 0; i < panels_.size() && left > 0; ++i) {
    const double columns = std::min(left, most[i]);
    left -= columns;
    port_s += columns / panels_[i].columns * panels_[i].port_s;
  }
  port_s += std::min(last, columns_) / panels_.front().columns * panels_.front().port_s;
  if (left > columns_ * (kTolerance - 1) || port_s > makespan_s) return false;
  const std::size_t count = std::min(enrolled, most.size());
  std::partial_sort(most.begin(), most.begin() + static_cast<std::ptrdiff_t>(count), most.end(),
                    std::greater<>());
  double sum = last;
  for (std::size_t i = 0; i < count; ++i) sum += most[i];
  return sum * kTolerance >= columns_;
}

bool ChunkBound::may_cost(double work_s) const {
  for (std::size_t enrolled = 1; enrolled <= panels_.size(); ++enrolled) {
    if (may_end_by(work_s / static_cast<double>(enrolled), enrolled)) return true;
  }
  return false;
}

namespace {

/// Runs a schedule as long as it may be better than what there is.
class Attempt final : public Dispatcher {
 public:
  Attempt(Dispatcher& dispatcher, const Platform& platform, Objective objective, double to_beat_s)
      : dispatcher_(dispatcher),
        enrolled_(platform.workers.size()),
        objective_(objective),
        to_beat_s_(to_beat_s) {}

  Decision next(const MasterView& star) override {
    reached_s_ = star.now_s();
    if (objective_ == Objective::work) reached_s_ *= static_cast<double>(count_);
    if (reached_s_ >= to_beat_s_) return Done{};
    const Decision decision = dispatcher_.next(star);
    if (const auto* message = std::get_if<const Message*>(&decision)) {
      auto&& enrolled = enrolled_[static_cast<std::size_t>((*message)->worker)];
      if (!enrolled) ++count_;
      enrolled = true;
    }
    return decision;
  }
  Transfer transfer() const override { return dispatcher_.transfer(); }

  /// By the objective, at the end; or what is no better than what there is.
  double reached_s() const { return reached_s_; }

 private:
  Dispatcher& dispatcher_;
  std::vector<bool> enrolled_;
  std::int64_t count_ = 0;
  Objective objective_;
  double to_beat_s_;
  double reached_s_ = 0;
};

}  // namespace

const Rival* best_rival(const std::vector<Rival>& rivals, const Platform& platform,
                        const Problem& problem, Objective objective, double to_beat_s) {
  const ChunkBound any(platform, problem, Panels::any);
  const ChunkBound full(platform, problem, Panels::full);
  const Rival* best = nullptr;
  for (const Rival& rival : rivals) {
    const ChunkBound& bound = rival.panels == Panels::any ? any : full;
    const bool hopeful = objective == Objective::work
                             ? bound.may_cost(to_beat_s)
                             : bound.may_end_by(to_beat_s, platform.workers.size());
    if (!hopeful) continue;
    try {
      const Plan plan = rival.heuristic->plan(platform, problem);
      Attempt attempt(*plan.dispatcher, platform, objective, to_beat_s);
      MasterView star(platform, problem);
      run_recurrence(attempt, star, [](const Message&, const Dates&) {});
      if (attempt.reached_s() >= to_beat_s) continue;
      to_beat_s = attempt.reached_s();
      best = &rival;
    } catch (const InputError&) {  // no worker has the memory for its layout
    }
  }
  return best;
}

}  // namespace starport::polaris
