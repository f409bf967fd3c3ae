#include "heuristics/tiles/zone_trials.hpp"

#include "heuristics/tiles/central_list.hpp"
#include "sim/tiles/event_engine.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <utility>
#include <variant>
#include <vector>

namespace starport::tiles {
namespace {

constexpr std::int64_t kMaxTrialTasks = 40'000;
/// Runs whose times differ by less than this share count as equally fast.
constexpr double kSameTime = 0.005;

/// A list of tasks has to be faster by more than this share, and may move more tiles by this one.
constexpr double kFasterList = 0.02;
constexpr double kMoreOfList = 0.2;

/// A simulated run.
struct Trial {
  TrialChoice choice{};
  double end_s = 0;
  std::int64_t transfers = 0;
};

std::unique_ptr<Strategy> make_strategy(const StrategyContext& context, const TrialChoice& choice,
                                        const Platform& assumed) {
  if (choice.list_candidates > 0)
    return std::make_unique<TimelyList>(context, choice.list_candidates, assumed);
  return std::make_unique<ZoneGrowth>(context, choice.parameters, assumed);
}

Trial simulate(const StrategyContext& context, const Platform& platform,
               const TrialChoice& choice) {
  Trial trial{.choice = choice};
  const StrategyMaker strategy = [&](const StrategyContext& own) {
    return make_strategy(own, choice, platform);
  };
  run_event_engine(platform, context.graph, strategy, {.runtime = context.runtime},
                   [&](const TraceRecord& record) {
                     if (const auto* task = std::get_if<TracedTask>(&record)) {
                       trial.end_s = std::max(trial.end_s, task->end_s);
                     } else if (const auto* transfer = std::get_if<TracedTransfer>(&record)) {
                       trial.end_s = std::max(trial.end_s, transfer->end_s);
                       ++trial.transfers;
                     }
                   });
  return trial;
}

/// Returns the share by which all workers together are slower without the `idle` slowest GPUs.
double slow_down_without(const Platform& platform, int idle) {
  std::vector<double> gpus = node_speeds(platform);
  const double hub = gpus[kHub];
  gpus.erase(gpus.begin());
  std::ranges::sort(gpus);
  const double lost = std::accumulate(gpus.begin(), gpus.begin() + idle, 0.0);
  const double speed = std::accumulate(gpus.begin(), gpus.end(), hub);
  return lost < speed ? lost / (speed - lost) : std::numeric_limits<double>::infinity();
}

}  // namespace

TrialChoice choose_by_trials(const StrategyContext& context, const ZoneGrowth::Parameters& base,
                             double slower) {
  if (context.platform.nodes() == 1 || context.graph.tasks() > kMaxTrialTasks)
    return {.parameters = base};
  const Platform assumed = assume_durations(context.platform, base.uncertainty, context.seed);
  std::vector<Trial> trials;
  const auto add = [&](int open, int planned, int idle) {
    auto parameters = base;
    parameters.open_tiles = open;
    parameters.planned_tasks = planned;
    parameters.idle_gpus = idle;
    trials.push_back(simulate(context, assumed, {.parameters = parameters}));
  };
  std::set<std::pair<int, int>> tried;
  for (const int open : {base.open_tiles, 1, 3, 8}) {
    for (const int planned : {base.planned_tasks, 1, 0}) {
      if (tried.emplace(open, planned).second) add(open, planned, 0);
    }
  }
  for (int idle = 1; idle < context.platform.nodes() - 1; ++idle) {
    if (slow_down_without(assumed, idle) > slower) break;
    add(base.open_tiles, base.planned_tasks, idle);
  }
  const double fastest_s = std::ranges::min(trials, {}, &Trial::end_s).end_s;
  const double until_s = fastest_s * (1 + std::max(slower, kSameTime));
  std::erase_if(trials, [&](const Trial& trial) { return trial.end_s > until_s; });
  Trial best = std::ranges::min(trials, {}, &Trial::transfers);
  if (slower > 0) return best.choice;
  const auto most =
      static_cast<std::int64_t>((1 + kMoreOfList) * static_cast<double>(best.transfers));
  double before_s = (1 - kFasterList) * best.end_s;
  for (const std::size_t candidates : {kAllTasks, std::size_t{10}}) {
    TrialChoice choice = best.choice;
    choice.list_candidates = candidates;
    const Trial list = simulate(context, assumed, choice);
    if (list.end_s >= before_s || list.transfers > most) continue;
    before_s = (1 - kFasterList) * list.end_s;
    best = list;
  }
  return best.choice;
}

std::unique_ptr<Strategy> make_by_trials(const StrategyContext& context,
                                         const ZoneGrowth::Parameters& base, double slower) {
  return make_strategy(context, choose_by_trials(context, base, slower),
                       assume_durations(context.platform, base.uncertainty, context.seed));
}

}  // namespace starport::tiles
