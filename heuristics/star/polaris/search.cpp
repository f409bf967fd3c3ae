#include "heuristics/star/polaris/estimate.hpp"
#include "heuristics/star/polaris/polaris.hpp"
#include "heuristics/star/polaris/served_runs.hpp"

#include <algorithm>
#include <limits>

namespace starport::polaris {
namespace {

class Searcher {
 public:
  Searcher(const Platform& platform, const Problem& problem, std::uint64_t seed,
           Objective objective, const Parts& parts)
      : platform_(platform),
        problem_(problem),
        parts_(parts),
        estimator_(platform, problem,
                   {.resident = parts.resident,
                    .exchanged = parts.exchanged,
                    .cut_messages = parts.cut_messages}),
        runs_(platform, problem),
        draws_(seed),
        objective_(objective),
        latencies_(std::any_of(platform.workers.begin(), platform.workers.end(),
                               [](const Worker& worker) { return worker.latency_s > 0; })),
        few_blocks_(std::any_of(platform.workers.begin(), platform.workers.end(),
                                [](const Worker& worker) { return worker.m_blocks < 400; })) {
    options_.modes = estimator_.modes;
    options_.bundles.late_c = parts.late_c;
    if (!parts.staggered) options_.bundles.joining = 0;
  }

  /// One effort after the other: what each finds, those after it begin with.
  Found search(const std::vector<Effort>& efforts) {
    Candidate choice;
    for (const Effort& effort : efforts) {
      // On large stars a single schedule takes more than that.
      if (!shortlist_.empty() && transfers_ > effort.transfers) continue;
      effort_ = fitted(effort);
      search_tilings();
      if (few_blocks_) {
        options_.modes.ahead = false;
        search_tilings();
        options_.modes.ahead = true;
      }
      if (shortlist_.empty()) break;
      search_fewer();
      choice = shortlist_.chosen(objective_, choice.makespan_s);
    }
    Found found{.candidate = std::move(choice)};
    if (found.candidate.makespan_s == kUnknown) return found;
    const ServingOptions& options = found.candidate.options;
    found.tasks = tasks_of(found.candidate.tiling, platform_, problem_, options.modes);
    found.order = runs_.order(found.tasks, options);
    return found;
  }

 private:
  struct Start {
    Tiling tiling;
    PerWorker<double> lags_s;
    double makespan_s;
  };

  /// Anneals several tilings; after each round the slower half of them is given up.
  void search_tilings() {
    transfers_ = 0;
    estimator_.lags_s = no_lags();
    estimator_.modes = options_.modes;
    std::vector<Start> starts;
    for (Tiling& tiling :
         first_tilings(platform_, problem_, estimator_, effort_.tilings, parts_.strips)) {
      if (!shortlist_.empty() && spent() > 0.1) break;
      const double makespan_s = attempt(tiling).makespan_s;
      starts.push_back({std::move(tiling), no_lags(), makespan_s});
    }
    if (shortlist_.empty()) return;
    constexpr int kRounds = 4;
    for (int round = 0; round < kRounds; ++round) {
      for (Start& start : starts) {
        if (spent() > 0.6) break;
        estimator_.lags_s = start.lags_s;
        start.tiling = anneal(
            start.tiling, effort_.estimates / kRounds / static_cast<std::int64_t>(starts.size()));
        const ServedTasks run = attempt(start.tiling);
        start.makespan_s = run.makespan_s;
        if (!run.tasks.empty()) learn(start.tiling, run, start.lags_s);
      }
      std::stable_sort(starts.begin(), starts.end(),
                       [](const Start& x, const Start& y) { return x.makespan_s < y.makespan_s; });
      starts.resize((starts.size() + 1) / 2);
    }
    try_options(shortlist_.fastest().tiling);
    climb(shortlist_.fastest(), effort_.transfers - transfers_);
  }

  PerWorker<double> no_lags() const { return PerWorker<double>(platform_.workers.size()); }

  /// Small products have few tilings, and are soon served: less will do, by serving mostly.
  Effort fitted(Effort effort) const {
    const auto sides = static_cast<double>(problem_.r + problem_.s);
    const auto part = [&](std::int64_t whole, double large) {
      return static_cast<std::int64_t>(std::min(1.0, sides * sides / large) *
                                       static_cast<double>(whole));
    };
    effort.estimates = parts_.annealing ? part(effort.estimates, 20'000) : 0;
    effort.trials = parts_.climbing ? part(effort.trials, 2'000) : 0;
    return effort;
  }
  /// The share of the effort.
  double spent() const {
    return static_cast<double>(transfers_) / static_cast<double>(effort_.transfers);
  }

  /// Lets workers go, one by one, as long as that may be of use.
  void search_fewer() {
    Candidate current = shortlist_.fastest();
    estimator_.modes = current.options.modes;
    while (current.tiling.enrolled() > 1 && spent() < 1.5) {
      const double share = 1 / static_cast<double>(shortlist_.fastest().tiling.enrolled());
      const auto part = [&](double of, std::int64_t effort) {
        return static_cast<std::int64_t>(of * share * static_cast<double>(effort));
      };
      drop_smallest(current.tiling);
      current.tiling = anneal(current.tiling, part(0.2, effort_.estimates), false);
      serve(current);
      if (current.makespan_s == kUnknown) return;
      shortlist_.consider(current);
      current = climb(current, part(0.3, effort_.transfers), false);
      const bool slow = current.makespan_s > 1.03 * shortlist_.fastest().makespan_s;
      if (objective_ == Objective::time && slow) return;
    }
  }

  void drop_smallest(Tiling& tiling) const {
    std::size_t strip = 0;
    std::size_t part = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < tiling.strips.size(); ++i) {
      for (std::size_t j = 0; j < tiling.strips[i].parts.size(); ++j) {
        const std::int64_t area =
            std::int64_t{tiling.strips[i].width} * tiling.strips[i].parts[j].height;
        if (area >= least) continue;
        least = area;
        strip = i;
        part = j;
      }
    }
    take_out(tiling, problem_, strip, part);
  }

  ServedTasks serve(Candidate& candidate, double limit_s = kUnknown) {
    const auto tasks = tasks_of(candidate.tiling, platform_, problem_, candidate.options.modes);
    ServedTasks run;
    const bool possible = std::none_of(tasks.begin(), tasks.end(), [](const Task& task) {
      return task.mode.kind == Mode::Kind::none;
    });
    if (possible) run = runs_.serve(tasks, candidate.options, limit_s);
    transfers_ += run.transfers * static_cast<std::int64_t>(8 + tasks.size()) / 8;
    candidate.makespan_s = run.makespan_s;
    return run;
  }

  ServedTasks attempt(const Tiling& tiling) {
    Candidate candidate{tiling, options_};
    ServedTasks run = serve(candidate);
    shortlist_.consider(candidate);
    return run;
  }

  void try_options(const Tiling& tiling) {
    const auto attempt = [&](const auto& set) {
      if (spent() > 0.8) return;
      Candidate candidate{tiling, shortlist_.fastest().options};
      set(candidate.options);
      serve(candidate, shortlist_.fastest().makespan_s);
      shortlist_.consider(candidate);
    };
    for (const double share : {0.5, 0.25, 1.0}) {
      attempt([&](ServingOptions& options) { options.bundles.loading_share = share; });
    }
    for (const std::int64_t joining : {1, 4, 0}) {
      if (!parts_.staggered) break;
      attempt([&](ServingOptions& options) { options.bundles.joining = joining; });
    }
    for (const std::int64_t columns : {4, 16}) {
      if (!latencies_) break;
      attempt([&](ServingOptions& options) {
        options.bundles.pieces = 1;
        options.bundles.depth = columns;
        options.bundles.group = columns;
        options.return_columns = columns;
      });
    }
    for (const double patience : {1.0, 5.0}) {
      attempt([&](ServingOptions& options) { options.patience = patience; });
    }
  }

  Tiling anneal(const Tiling& from, std::int64_t operations, bool may_enrol = true) {
    const auto idle =
        may_enrol ? idle_workers(from, platform_, problem_, estimator_.modes) : std::vector<int>{};
    return polaris::anneal(from, idle, estimator_, problem_, operations, parts_.strips, draws_);
  }

  /// What the estimate missed.
  static void learn(const Tiling& tiling, const ServedTasks& run, PerWorker<double>& lags_s) {
    std::size_t at = 0;
    for (const Strip& strip : tiling.strips) {
      for (const Part& part : strip.parts) {
        const TaskOutcome& outcome = run.tasks[at++];
        double& lag = lags_s[part.worker];
        lag = 0.5 * lag + 0.5 * (outcome.home_s - outcome.compute_s);
      }
    }
  }

  /// Changes a schedule itself; returns the best of those that it comes by.
  Candidate climb(Candidate current, std::int64_t transfers, bool may_enrol = true) {
    Candidate best = current;
    estimator_.modes = current.options.modes;
    std::vector<int> idle =
        may_enrol ? idle_workers(current.tiling, platform_, problem_, current.options.modes)
                  : std::vector<int>{};
    const std::int64_t begin = transfers_;
    std::int64_t trials = 0;
    while (transfers_ - begin < transfers && trials++ < effort_.trials) {
      const double left =
          1 - std::max(static_cast<double>(transfers_ - begin) / static_cast<double>(transfers),
                       static_cast<double>(trials) / static_cast<double>(effort_.trials));
      Candidate changed = current;
      std::vector<int> changed_idle = idle;
      ++transfers_;
      if (draws_.below(12) == 0) {
        change_options(changed.options);
      } else if (!change(changed.tiling, changed_idle, problem_, draws_).changed) {
        continue;
      }
      if (!parts_.strips && changed.tiling.strips.size() > 1) continue;
      const double limit_s = current.makespan_s * (1 + 0.004 * left * left);
      if (estimator_.least_s(changed.tiling) > limit_s) {
        transfers_ += static_cast<std::int64_t>(4 * changed.tiling.enrolled());
        --trials;
        continue;
      }
      serve(changed, limit_s);
      if (changed.makespan_s > limit_s) continue;
      current = std::move(changed);
      idle = std::move(changed_idle);
      shortlist_.consider(current);
      if (current.makespan_s < best.makespan_s) best = current;
    }
    return best;
  }

  void change_options(ServingOptions& options) {
    const auto one_of = [&](auto... values) {
      const double list[] = {static_cast<double>(values)...};
      return list[draws_.below(sizeof...(values))];
    };
    switch (draws_.below(latencies_ ? 8 : 5)) {
      case 0:
        options.bundles.loading_share = one_of(0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0);
        break;
      case 1:
        if (!parts_.staggered) break;
        options.bundles.joining = static_cast<std::int64_t>(one_of(0, 1, 2, 3, 4, 6));
        break;
      case 2:
        options.bundles.rest = static_cast<std::int64_t>(one_of(1, 2, 3, 4));
        break;
      case 3:
        options.bundles.pieces = static_cast<std::int64_t>(one_of(1, 2, 3, 4, 6, 8));
        break;
      case 5:
        options.return_columns = static_cast<std::int64_t>(one_of(1, 2, 4, 8, 16, 32));
        break;
      case 6:
        options.bundles.group = static_cast<std::int64_t>(one_of(1, 2, 4, 8, 16, 32));
        break;
      case 7:
        options.bundles.depth = static_cast<std::int64_t>(one_of(1, 2, 4, 8, 16));
        break;
      default:
        options.patience = one_of(0, 1, 2, 3, 5, 8, 12);
    }
  }

  const Platform& platform_;
  const Problem& problem_;
  Parts parts_;
  Estimator estimator_;
  ServedRuns runs_;
  Draws draws_;
  Objective objective_;
  Effort effort_;
  bool latencies_;   ///< messages are then better long
  bool few_blocks_;  ///< on some worker: room for a message ahead is dear
  Shortlist shortlist_;
  ServingOptions options_;  ///< to begin with
  std::int64_t transfers_ = 0;
};

}  // namespace

Found search(const Platform& platform, const Problem& problem, const std::vector<Effort>& efforts,
             std::uint64_t seed, Objective objective, const Parts& parts) {
  return Searcher(platform, problem, seed, objective, parts).search(efforts);
}

}  // namespace starport::polaris
