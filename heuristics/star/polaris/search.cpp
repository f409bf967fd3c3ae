#include "heuristics/star/polaris/estimate.hpp"
#include "heuristics/star/polaris/polaris.hpp"
#include "heuristics/star/polaris/serving.hpp"

#include <algorithm>
#include <limits>

namespace starport::polaris {
namespace {

/// The search for the best tiling and options: annealing on estimates, then climbing on simulated
/// schedules.
class Searcher {
 public:
  Searcher(const Platform& platform, const Problem& problem, std::uint64_t seed,
           Objective objective, const Features& parts)
      : platform_(platform),
        problem_(problem),
        features_(parts),
        estimator_(platform, problem,
                   {.resident = parts.resident,
                    .exchanged = parts.exchanged,
                    .cut_messages = parts.cut_messages}),
        runs_(platform, problem),
        seed_(seed),
        random_(seed),
        objective_(objective),
        latencies_(std::any_of(platform.workers.begin(), platform.workers.end(),
                               [](const Worker& worker) { return worker.latency_s > 0; })),
        few_blocks_(std::any_of(platform.workers.begin(), platform.workers.end(),
                                [](const Worker& worker) { return worker.m_blocks < 400; })) {
    options_.modes = estimator_.modes;
    options_.message_options.late_c = parts.late_c;
    if (!parts.staggered) options_.message_options.joining = 0;
  }

  /// Searches with one budget after the other, each starting from what has been found before.
  SearchResult search(const std::vector<SearchBudget>& budgets) {
    Candidate choice;
    std::vector<Tiling> choices;
    for (const SearchBudget& budget : budgets) {
      // On large platforms a single schedule exceeds a small budget.
      if (!shortlist_.empty() && transfers_ > budget.transfers) continue;
      budget_ = scale_budget(budget);
      search_tilings();
      if (few_blocks_) {
        options_.modes.prefetch = false;
        search_tilings();
        options_.modes.prefetch = true;
      }
      if (shortlist_.empty()) break;
      search_fewer_workers();
      choice = shortlist_.select(objective_, choice.makespan_s);
      choices.push_back(choice.tiling);
    }
    // At the end, so that what is found for a lower effort is found for a higher one too.
    for (const Tiling& tiling : choices) {
      if (tiling.enrolled() == platform_.workers.size()) continue;
      search_among(workers_of(tiling), budgets.front());
      choice = shortlist_.select(objective_, choice.makespan_s);
    }
    if (budgets.size() > 1) {
      search_more_workers(choice.tiling, budgets.front());
      search_without_single_workers(budgets[1]);
      choice = shortlist_.select(objective_, choice.makespan_s);
    }
    SearchResult result{.candidate = std::move(choice)};
    if (result.candidate.makespan_s == kUnknown) return result;
    const ServingOptions& options = result.candidate.options;
    result.tasks = make_tasks(result.candidate.tiling, platform_, problem_, options.modes);
    result.order = runs_.order(result.tasks, options);
    return result;
  }

 private:
  /// A tiling to improve, with the lags measured on its last schedule.
  struct Start {
    Tiling tiling;
    PerWorker<double> lags_s;
    double makespan_s;
  };

  /// Anneals several tilings in rounds and drops the slower half after each round, then improves
  /// the best one.
  void search_tilings() {
    transfers_ = 0;
    estimator_.lags_s = no_lags();
    estimator_.modes = options_.modes;
    std::vector<Start> starts;
    for (Tiling& tiling :
         make_initial_tilings(platform_, problem_, estimator_, budget_.tilings, features_.strips)) {
      if (!shortlist_.empty() && spent() > 0.1) break;
      const double makespan_s = evaluate(tiling).makespan_s;
      starts.push_back({std::move(tiling), no_lags(), makespan_s});
    }
    if (shortlist_.empty()) return;
    constexpr int kRounds = 4;
    for (int round = 0; round < kRounds; ++round) {
      for (Start& start : starts) {
        if (spent() > 0.6) break;
        estimator_.lags_s = start.lags_s;
        start.tiling = anneal(
            start.tiling, budget_.estimates / kRounds / static_cast<std::int64_t>(starts.size()));
        const ServedSchedule run = evaluate(start.tiling);
        start.makespan_s = run.makespan_s;
        if (!run.tasks.empty()) update_lags(start.tiling, run, start.lags_s);
      }
      std::stable_sort(starts.begin(), starts.end(),
                       [](const Start& x, const Start& y) { return x.makespan_s < y.makespan_s; });
      starts.resize((starts.size() + 1) / 2);
    }
    try_options(shortlist_.fastest().tiling);
    climb(shortlist_.fastest(), budget_.transfers - transfers_);
  }

  PerWorker<double> no_lags() const { return PerWorker<double>(platform_.workers.size()); }

  /// Reduces the budget for small products, which have few tilings.
  SearchBudget scale_budget(SearchBudget budget) const {
    const auto sides = static_cast<double>(problem_.r + problem_.s);
    const auto scale = [&](std::int64_t whole, double large) {
      return static_cast<std::int64_t>(std::min(1.0, sides * sides / large) *
                                       static_cast<double>(whole));
    };
    budget.estimates = features_.annealing ? scale(budget.estimates, 20'000) : 0;
    budget.trials = features_.climbing ? scale(budget.trials, 2'000) : 0;
    return budget;
  }
  /// Returns the used fraction of the budget of transfers.
  double spent() const {
    return static_cast<double>(transfers_) / static_cast<double>(budget_.transfers);
  }

  /// Removes workers one by one, as long as the result may improve the objective.
  void search_fewer_workers() {
    Candidate current = shortlist_.fastest();
    estimator_.modes = current.options.modes;
    while (current.tiling.enrolled() > 1 && spent() < 1.5) {
      const double share = 1 / static_cast<double>(shortlist_.fastest().tiling.enrolled());
      const auto part = [&](double fraction, std::int64_t operations) {
        return static_cast<std::int64_t>(fraction * share * static_cast<double>(operations));
      };
      drop_smallest_part(current.tiling);
      current.tiling = anneal(current.tiling, part(0.2, budget_.estimates), false);
      serve(current);
      if (current.makespan_s == kUnknown) return;
      shortlist_.consider(current);
      current = climb(current, part(0.3, budget_.transfers), false);
      const bool slow = current.makespan_s > 1.03 * shortlist_.fastest().makespan_s;
      if (objective_ == Objective::time && slow) return;
    }
  }

  /// Returns the indices of the workers enrolled in a tiling.
  static std::vector<int> workers_of(const Tiling& tiling) {
    std::vector<int> workers;
    for (const Strip& strip : tiling.strips) {
      for (const Part& part : strip.parts) workers.push_back(part.worker);
    }
    return workers;
  }

  /// Searches again among some workers alone, since the others, although they may not be enrolled,
  /// influence the initial tilings and the random changes. Adds the result to the shortlist and
  /// returns its makespan.
  double search_among(std::vector<int> workers, const SearchBudget& budget) {
    std::ranges::sort(workers);
    Platform part_of_platform = platform_;
    part_of_platform.workers = PerWorker<Worker>(workers.size());
    for (std::size_t i = 0; i < workers.size(); ++i)
      part_of_platform.workers[i] = platform_.workers[static_cast<std::size_t>(workers[i])];
    SearchResult found =
        polaris::search(part_of_platform, problem_, {budget}, seed_, objective_, features_);
    for (Strip& strip : found.candidate.tiling.strips) {
      for (Part& part : strip.parts) part.worker = workers[static_cast<std::size_t>(part.worker)];
    }
    if (found.candidate.makespan_s < kUnknown) shortlist_.consider(found.candidate);
    return found.candidate.makespan_s;
  }

  /// Adds idle workers one by one to those of a tiling, the fastest first, as long as a search
  /// among them finds a better schedule.
  void search_more_workers(const Tiling& tiling, const SearchBudget& budget) {
    constexpr int max_searches = 4;
    std::vector<int> workers = workers_of(tiling);
    std::vector<int> idle = idle_workers(tiling, platform_, problem_, options_.modes);
    std::ranges::stable_sort(idle, {}, [&](int i) {
      const Worker& worker = platform_.workers[static_cast<std::size_t>(i)];
      return worker.c_s + worker.w_s;
    });
    for (std::size_t i = 0; i < std::min<std::size_t>(idle.size(), max_searches); ++i) {
      const double before_s = shortlist_.fastest().makespan_s;
      workers.push_back(idle[i]);
      if (search_among(workers, budget) >= before_s) workers.pop_back();
    }
  }

  /// Leaves out one worker after the other, whether it is enrolled or not, as long as a search
  /// among the rest finds a better schedule. Only for products that are small for the number of
  /// workers: the larger a product, the less a single worker misleads the search.
  void search_without_single_workers(const SearchBudget& budget) {
    const auto count = std::ssize(platform_.workers);
    if (count < 3 || problem_.r * problem_.s > 8 * count) return;
    constexpr int max_searches = 8;
    std::vector<int> workers;
    for (int i = 0; i < static_cast<int>(count); ++i) workers.push_back(i);
    for (int i = 0; i < std::min(static_cast<int>(count), max_searches); ++i) {
      const double before_s = shortlist_.fastest().makespan_s;
      std::vector<int> rest = workers;
      std::erase(rest, i);
      if (search_among(rest, budget) < before_s) workers = std::move(rest);
    }
  }

  /// Removes the part with the smallest area.
  void drop_smallest_part(Tiling& tiling) const {
    std::size_t strip = 0;
    std::size_t part = 0;
    std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < tiling.strips.size(); ++i) {
      for (std::size_t j = 0; j < tiling.strips[i].parts.size(); ++j) {
        const std::int64_t area =
            std::int64_t{tiling.strips[i].width} * tiling.strips[i].parts[j].height;
        if (area >= smallest) continue;
        smallest = area;
        strip = i;
        part = j;
      }
    }
    remove_part(tiling, problem_, strip, part);
  }

  /// Simulates the schedule of a candidate up to `limit_s` and sets its makespan.
  ServedSchedule serve(Candidate& candidate, double limit_s = kUnknown) {
    const auto tasks = make_tasks(candidate.tiling, platform_, problem_, candidate.options.modes);
    ServedSchedule run;
    const bool is_possible =
        std::none_of(tasks.begin(), tasks.end(),
                     [](const RectangleTask& task) { return task.mode.kind == Mode::Kind::none; });
    if (is_possible) run = runs_.serve(tasks, candidate.options, limit_s);
    transfers_ += run.transfers * static_cast<std::int64_t>(8 + tasks.size()) / 8;
    candidate.makespan_s = run.makespan_s;
    return run;
  }

  /// Simulates the schedule of a tiling with the current options and adds it to the shortlist.
  ServedSchedule evaluate(const Tiling& tiling) {
    Candidate candidate{tiling, options_};
    ServedSchedule run = serve(candidate);
    shortlist_.consider(candidate);
    return run;
  }

  /// Tries other options for a tiling.
  void try_options(const Tiling& tiling) {
    const auto try_with = [&](const auto& set) {
      if (spent() > 0.8) return;
      Candidate candidate{tiling, shortlist_.fastest().options};
      set(candidate.options);
      serve(candidate, shortlist_.fastest().makespan_s);
      shortlist_.consider(candidate);
    };
    for (const double share : {0.5, 0.25, 1.0}) {
      try_with([&](ServingOptions& options) { options.message_options.loading_share = share; });
    }
    for (const std::int64_t joining : {1, 4, 0}) {
      if (!features_.staggered) break;
      try_with([&](ServingOptions& options) { options.message_options.joining = joining; });
    }
    for (const std::int64_t columns : {4, 16}) {
      if (!latencies_) break;
      try_with([&](ServingOptions& options) {
        options.message_options.pieces = 1;
        options.message_options.depth = columns;
        options.message_options.group = columns;
        options.return_columns = columns;
      });
    }
    for (const double patience : {1.0, 5.0}) {
      try_with([&](ServingOptions& options) { options.patience = patience; });
    }
  }

  /// Anneals a tiling with `operations` estimates.
  Tiling anneal(const Tiling& from, std::int64_t operations, bool may_enrol = true) {
    const auto idle =
        may_enrol ? idle_workers(from, platform_, problem_, estimator_.modes) : std::vector<int>{};
    return polaris::anneal(from, idle, estimator_, problem_, operations, features_.strips, random_);
  }

  /// Updates the lags of the workers from a schedule of the tiling.
  static void update_lags(const Tiling& tiling, const ServedSchedule& run,
                          PerWorker<double>& lags_s) {
    std::size_t task = 0;
    for (const Strip& strip : tiling.strips) {
      for (const Part& part : strip.parts) {
        const TaskOutcome& outcome = run.tasks[task++];
        double& lag = lags_s[part.worker];
        lag = 0.5 * lag + 0.5 * (outcome.return_end_s - outcome.compute_s);
      }
    }
  }

  /// Improves a schedule by random changes to its tiling and options, each evaluated by simulation.
  /// Returns the best schedule found.
  Candidate climb(Candidate current, std::int64_t transfers, bool may_enrol = true) {
    Candidate best = current;
    estimator_.modes = current.options.modes;
    std::vector<int> idle =
        may_enrol ? idle_workers(current.tiling, platform_, problem_, current.options.modes)
                  : std::vector<int>{};
    const std::int64_t begin = transfers_;
    std::int64_t trials = 0;
    while (transfers_ - begin < transfers && trials++ < budget_.trials) {
      const double left =
          1 - std::max(static_cast<double>(transfers_ - begin) / static_cast<double>(transfers),
                       static_cast<double>(trials) / static_cast<double>(budget_.trials));
      Candidate changed = current;
      std::vector<int> changed_idle = idle;
      ++transfers_;
      if (random_.integer_below(12) == 0) {
        change_options(changed.options);
      } else if (!change_randomly(changed.tiling, changed_idle, problem_, random_).changed) {
        continue;
      }
      if (!features_.strips && changed.tiling.strips.size() > 1) continue;
      const double limit_s = current.makespan_s * (1 + 0.004 * left * left);
      if (estimator_.lower_bound_s(changed.tiling) > limit_s) {
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

  /// Changes one option at random.
  void change_options(ServingOptions& options) {
    const auto draw = [&](auto... values) {
      const double list[] = {static_cast<double>(values)...};
      return list[random_.integer_below(sizeof...(values))];
    };
    switch (random_.integer_below(latencies_ ? 8 : 5)) {
      case 0:
        options.message_options.loading_share = draw(0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0);
        break;
      case 1:
        if (!features_.staggered) break;
        options.message_options.joining = static_cast<std::int64_t>(draw(0, 1, 2, 3, 4, 6));
        break;
      case 2:
        options.message_options.rest = static_cast<std::int64_t>(draw(1, 2, 3, 4));
        break;
      case 3:
        options.message_options.pieces = static_cast<std::int64_t>(draw(1, 2, 3, 4, 6, 8));
        break;
      case 5:
        options.return_columns = static_cast<std::int64_t>(draw(1, 2, 4, 8, 16, 32));
        break;
      case 6:
        options.message_options.group = static_cast<std::int64_t>(draw(1, 2, 4, 8, 16, 32));
        break;
      case 7:
        options.message_options.depth = static_cast<std::int64_t>(draw(1, 2, 4, 8, 16));
        break;
      default:
        options.patience = draw(0, 1, 2, 3, 5, 8, 12);
    }
  }

  const Platform& platform_;
  const Problem& problem_;
  Features features_;
  Estimator estimator_;
  ServingCache runs_;
  std::uint64_t seed_;
  RandomGenerator random_;
  Objective objective_;
  SearchBudget budget_;
  bool latencies_;  ///< some worker has a latency, so that long messages may be better
  bool
      few_blocks_;  ///< some worker has little memory, so that modes without prefetch may be better
  Shortlist shortlist_;
  ServingOptions options_;      ///< initial options
  std::int64_t transfers_ = 0;  ///< weighted number of simulated transfers
};

}  // namespace

SearchResult search(const Platform& platform, const Problem& problem,
                    const std::vector<SearchBudget>& efforts, std::uint64_t seed,
                    Objective objective, const Features& parts) {
  return Searcher(platform, problem, seed, objective, parts).search(efforts);
}

}  // namespace starport::polaris
