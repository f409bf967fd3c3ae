#include "heuristics/star/polaris/fallback.hpp"

#include "sim/files/error.hpp"
#include "sim/star/recurrence.hpp"

#include <algorithm>

namespace starport::polaris {
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
