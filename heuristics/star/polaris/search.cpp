#include "heuristics/star/polaris/anneal.hpp"
#include "heuristics/star/polaris/balance.hpp"
#include "heuristics/star/polaris/estimate.hpp"
#include "heuristics/star/polaris/initial_tilings.hpp"
#include "heuristics/star/polaris/options.hpp"
#include "heuristics/star/polaris/polaris.hpp"
#include "heuristics/star/polaris/serving.hpp"
#include "sim/star/bounds/makespan_bounds.hpp"
#include "sim/star/heuristic.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace starport::polaris {
namespace {

/// The search for the best tiling and options: annealing on estimates, then climbing on simulated
/// schedules.
class Searcher {
 public:
  /// With `chunks`, workers that have memory for a chunk compute in bands as high as it
  /// (ModeOptions::chunks).
  Searcher(const Platform& platform, const Problem& problem, std::uint64_t seed,
           Objective objective, const Features& features, bool chunks)
      : platform_(platform),
        problem_(problem),
        features_(features),
        space_(platform, features),
        options_(with_chunks(space_.initial(), chunks)),
        estimator_(platform, problem, options_.modes),
        runs_(platform, problem),
        seed_(seed),
        random_(seed),
        objective_(objective) {}

  /// Searches with all budgets and returns the best schedule.
  SearchResult search(const std::vector<SearchBudget>& budgets) {
    SearchResult result{.candidate = find_candidate(budgets)};
    if (result.candidate.makespan_s == kUnknown) return result;
    const ServingOptions& options = result.candidate.options;
    result.tasks = make_tasks(result.candidate.tiling, platform_, problem_, options.modes);
    result.order = runs_.order(result.tasks, options);
    return result;
  }

 private:
  static ServingOptions with_chunks(ServingOptions options, bool chunks) {
    options.modes.chunks = chunks;
    return options;
  }

  /// Searches with one budget after the other, each starting from what has been found before, so
  /// that a further budget never makes the result worse.
  Candidate find_candidate(const std::vector<SearchBudget>& budgets) {
    Candidate choice;
    for (std::size_t level = 0; level < budgets.size(); ++level) {
      const SearchBudget& budget = budgets[level];
      // On large platforms a single schedule exceeds a small budget.
      if (!shortlist_.empty() && transfers_ > budget.transfers) continue;
      budget_ = scale_budget(budget);
      for (const Prefetch prefetch : space_.prefetches()) {
        options_.modes.prefetch = prefetch;
        const bool may_be_long = prefetch == Prefetch::none && promises_more();
        if (prefetch == Prefetch::column || may_be_long || !exceeds(budget)) search_tilings();
      }
      options_.modes.prefetch = Prefetch::column;
      if (features_.fewer_workers && !shortlist_.empty()) search_fewer_workers();
      if (features_.other_workers && !exceeds(budget)) search_on_some(level, budgets);
      if (!shortlist_.empty()) choice = shortlist_.select(objective_);
    }
    return choice;
  }

  /// Searches among the workers of the best schedule alone and, with the second budget, among other
  /// sets.
  void search_on_some(std::size_t level, const std::vector<SearchBudget>& budgets) {
    if (!shortlist_.empty()) {
      const Tiling tiling = shortlist_.select(objective_).tiling;
      if (tiling.enrolled() < platform_.workers.size())
        search_quickly(enrolled_workers(tiling), twice(budgets.front()));
    }
    if (level != 1 || is_part_) return;
    const std::size_t usable = usable_workers(platform_).size();
    if (usable > kFewWorkers) search_other_enrolments({budgets[0], budgets[1]});
    if (usable <= kSeveralWorkers) search_all_enrolments({budgets[0], budgets[1]});
  }

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
        balance(start.tiling, estimator_, problem_);
        start.tiling = anneal(
            start.tiling, budget_.estimates / kRounds / static_cast<std::int64_t>(starts.size()));
        const ServedSchedule run = evaluate(start.tiling);
        start.makespan_s = run.makespan_s;
        if (features_.lags && !run.tasks.empty()) update_lags(start.tiling, run, start.lags_s);
      }
      std::stable_sort(starts.begin(), starts.end(),
                       [](const Start& x, const Start& y) { return x.makespan_s < y.makespan_s; });
      starts.resize((starts.size() + 1) / 2);
    }
    try_options(shortlist_.fastest().tiling);
    climb(shortlist_.fastest(), budget_.transfers - transfers_);
  }

  /// Returns true if the estimate of an initial tiling in the current modes is below the makespan
  /// of the fastest schedule. Workers with three or four blocks have no other modes.
  bool promises_more() {
    estimator_.lags_s = no_lags();
    estimator_.modes = options_.modes;
    const std::vector<Tiling> tilings =
        make_initial_tilings(platform_, problem_, estimator_, 1, features_.strips);
    return !tilings.empty() && (shortlist_.empty() || estimator_.makespan_s(tilings.front()) <
                                                          shortlist_.fastest().makespan_s);
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
  /// Returns true if a single schedule exceeds the budget of transfers, so that the search ends
  /// with it.
  bool exceeds(const SearchBudget& budget) const { return longest_ > budget.transfers; }
  /// Returns the used fraction of the budget of transfers.
  double spent() const {
    return static_cast<double>(transfers_) / static_cast<double>(budget_.transfers);
  }

  /// Removes workers one by one, as long as the result may improve the objective.
  void search_fewer_workers() {
    Candidate current = shortlist_.fastest();
    while (current.tiling.enrolled() > 1 && spent() < 1.5) {
      estimator_.modes = current.options.modes;
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

  /// Searches again among some workers alone, since the others, although they may not be enrolled,
  /// influence the initial tilings and the random changes. Adds the best and the fastest schedule
  /// found to the shortlist and returns the makespan of the fastest. Adds the workers of the best
  /// to `enrolled`, if not null, unless a single schedule exceeds the last budget. With one budget
  /// it does not search again among these.
  double search_among(std::vector<int> workers, const std::vector<SearchBudget>& budgets,
                      std::vector<int>* enrolled = nullptr) {
    std::ranges::sort(workers);
    const Platform part_of_platform = select_workers(platform_, workers);
    Features features = features_;
    features.other_workers = budgets.size() > 1;
    Searcher searcher(part_of_platform, problem_, seed_, objective_, features,
                      options_.modes.chunks);
    searcher.is_part_ = true;
    const Candidate best = searcher.find_candidate(budgets);
    operations_ += searcher.operations_ + searcher.estimator_.operations;
    for (Candidate found : {best, searcher.shortlist_.fastest()}) {
      const auto tasks_there =
          make_tasks(found.tiling, part_of_platform, problem_, found.options.modes);
      auto tasks = tasks_there;
      for (RectangleTask& task : tasks)
        task.worker = workers[static_cast<std::size_t>(task.worker)];
      for (Strip& strip : found.tiling.strips) {
        for (Part& part : strip.parts) part.worker = workers[static_cast<std::size_t>(part.worker)];
      }
      if (found.makespan_s < shortlist_.fastest().makespan_s)
        runs_.copy_from(searcher.runs_, tasks_there, tasks, found.options);
      shortlist_.consider(found);
    }
    if (enrolled != nullptr && !searcher.exceeds(budgets.back())) {
      for (const int i : enrolled_workers(best.tiling))
        enrolled->push_back(workers[static_cast<std::size_t>(i)]);
    }
    return searcher.shortlist_.fastest().makespan_s;
  }

  /// Returns true if no schedule on these workers alone is faster than the fastest one found.
  bool is_hopeless(const std::vector<int>& workers) const {
    if (objective_ == Objective::work) return false;  // fewer workers may need less in all
    const auto bound_s = any_schedule_bound_s(select_workers(platform_, workers), problem_);
    return !bound_s || *bound_s >= shortlist_.fastest().makespan_s;
  }

  /// Enrols an idle worker, leaves out an enrolled one, or both, as long as a search with twice the
  /// first budget finds a better schedule for the changed set of workers than for the one before.
  /// If one was better than all before, searches with all budgets among the set reached. Random
  /// changes to a tiling seldom get there, since it must be a good tiling for the new set at once.
  /// Tries many sets only if the estimates by which the first sets are chosen are far off: with
  /// little memory, and if C has few blocks for the number of workers.
  void search_other_enrolments(const std::vector<SearchBudget>& budgets) {
    constexpr std::int64_t max_operations = 4'000'000;
    const int max_searches = space_.has_small_memory() || has_few_blocks_of_c() ? 32 : 4;
    int searches = 0;
    const std::int64_t begin = operations_;
    const double before_s = shortlist_.fastest().makespan_s;
    std::vector<int> workers = enrolled_workers(shortlist_.fastest().tiling);
    const SearchBudget quick = twice(budgets.front());
    double best_s = search_quickly(workers, quick);
    for (bool improved = true; improved;) {
      improved = false;
      const auto left = static_cast<std::size_t>(2 * (max_searches - searches));
      for (const std::vector<int>& changed : change_one_worker(workers, platform_, left)) {
        if (operations_ - begin > max_operations || searches == max_searches) break;
        if (is_hopeless(changed)) continue;
        ++searches;
        const double makespan_s = search_quickly(changed, quick);
        if (makespan_s >= best_s) continue;
        best_s = makespan_s;
        workers = changed;
        improved = true;
        break;
      }
    }
    if (best_s < before_s) search_among(workers, budgets);
  }

  /// Searches among each set of workers whose lower bound is below the best makespan, the least
  /// bound first, so that on all of them the schedule is no slower than on some: with twice
  /// the first budget, and then with all among the best set, if it is better than all before. If
  /// there are few workers, with all among the best two sets, or among each if the product is
  /// small. Up to eight workers have 254 sets, so of more than a few only for products that are not
  /// large.
  void search_all_enrolments(const std::vector<SearchBudget>& budgets) {
    constexpr std::int64_t max_updates = 7'500'000;
    constexpr std::int64_t few_updates = 4'000;
    const bool few = usable_workers(platform_).size() <= kFewWorkers;
    if (!few && (problem_.updates() > max_updates || exceeds(budgets.front()))) return;
    const bool small = has_few_blocks_of_c() || problem_.updates() <= few_updates;
    const double before_s = shortlist_.fastest().makespan_s;
    std::vector<std::pair<double, std::vector<int>>> found;
    for (const auto& [bound_s, workers] : promising_sets()) {
      if (objective_ == Objective::time && bound_s >= shortlist_.fastest().makespan_s) break;
      if (few && small) {
        search_among(workers, budgets);
      } else {
        found.emplace_back(search_quickly(workers, twice(budgets.front())), workers);
      }
    }
    std::ranges::stable_sort(found, {}, &std::pair<double, std::vector<int>>::first);
    if (found.size() > (few ? 2 : 1)) found.resize(few ? 2 : 1);
    for (const auto& [makespan_s, workers] : found) {
      if (few || makespan_s < before_s) search_among(workers, budgets);
    }
  }

  /// Returns the sets of usable workers of which no lower bound excludes a better schedule, each
  /// with its lower bound on the makespan, in ascending order of these. Of sets with equal workers
  /// in the same order it returns one.
  std::vector<std::pair<double, std::vector<int>>> promising_sets() const {
    std::vector<std::pair<double, std::vector<int>>> sets;
    std::vector<std::vector<int>> hopeless;
    std::set<std::vector<std::tuple<double, double, std::int64_t, double, const void*>>> known;
    for (std::vector<int>& workers : sets_of(usable_workers(platform_))) {
      // A bound for all of them holds for some of them too.
      const auto includes_these = [&](const auto& set) {
        return std::ranges::includes(set, workers);
      };
      if (std::ranges::any_of(hopeless, includes_these)) continue;
      decltype(known)::value_type figures;
      for (const int i : workers) {
        const Worker& worker = platform_.workers[i];
        figures.emplace_back(worker.c_s, worker.w_s, worker.m_blocks, worker.latency_s,
                             worker.speeds.get());
      }
      if (!known.insert(std::move(figures)).second) continue;
      const double bound_s = *any_schedule_bound_s(select_workers(platform_, workers), problem_);
      if (objective_ == Objective::time && bound_s >= shortlist_.fastest().makespan_s) {
        hopeless.push_back(std::move(workers));
      } else {
        sets.emplace_back(bound_s, std::move(workers));
      }
    }
    std::ranges::stable_sort(sets, {}, [](const auto& set) { return set.first; });
    return sets;
  }

  /// Returns twice the budget: sets of workers are compared by what a search finds with it.
  static SearchBudget twice(SearchBudget budget) {
    budget.estimates *= 2;
    budget.transfers *= 2;
    budget.trials *= 2;
    return budget;
  }

  bool has_few_blocks_of_c() const {
    return problem_.r * problem_.s <= 8 * std::ssize(platform_.workers);
  }

  /// Searches among these workers with this budget, and then among those that the result
  /// enrols. Returns the makespan of the fastest schedule found. Searches among each set of workers
  /// once, since many sets lead to the same enrolled ones.
  double search_quickly(std::vector<int> workers, const SearchBudget& budget) {
    std::ranges::sort(workers);
    const auto [found, is_new] = quick_makespans_s_.try_emplace(workers, kUnknown);
    if (is_new) {
      std::vector<int> enrolled;
      found->second = search_among(workers, {budget}, &enrolled);
      if (!enrolled.empty() && enrolled.size() < workers.size())
        found->second = std::min(found->second, search_quickly(enrolled, budget));
    }
    return found->second;
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
    const std::int64_t transfers = weigh_transfers(run.transfers, tasks.size());
    longest_ = std::max(longest_, transfers);
    transfers_ += transfers;
    operations_ += transfers;
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
    for (const auto& set : space_.changes()) {
      if (spent() > 0.8) return;
      Candidate candidate{tiling, shortlist_.fastest().options};
      set(candidate.options);
      serve(candidate, shortlist_.fastest().makespan_s);
      shortlist_.consider(candidate);
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
    // The estimator gives lower bounds here, so that it takes the modes that move the fewest blocks
    // of those that the changes below can reach (but for one size in ten thousand).
    estimator_.modes = current.options.modes;
    estimator_.modes.spare_columns = 0;
    std::vector<Prefetch> prefetches;  // that single parts may get
    if (space_.has_small_memory()) {
      prefetches = space_.prefetches();
      estimator_.modes.prefetch = prefetches.back();
    }
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
      if (features_.options && random_.integer_below(12) == 0) {
        space_.change(changed.options, random_);
      } else if (prefetches.size() > 1 && random_.integer_below(12) == 0) {
        std::vector<Strip>& strips = changed.tiling.strips;
        std::vector<Part>& parts = strips[random_.integer_below(strips.size())].parts;
        parts[random_.integer_below(parts.size())].prefetch =
            prefetches[random_.integer_below(prefetches.size())];
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

  const Platform& platform_;
  const Problem& problem_;
  Features features_;
  OptionSpace space_;
  ServingOptions options_;  ///< initial options
  Estimator estimator_;
  ServingCache runs_;
  std::uint64_t seed_;
  RandomGenerator random_;
  Objective objective_;
  SearchBudget budget_;
  bool is_part_ = false;  ///< part of another search, among some of its workers
  Shortlist shortlist_;
  std::int64_t longest_ = 0;    ///< weighted number of transfers of the longest simulated schedule
  std::int64_t transfers_ = 0;  ///< weighted number of simulated transfers in search_tilings()
  /// Weighted number of all simulated transfers, and of the estimates of searches among some
  /// workers.
  std::int64_t operations_ = 0;
  std::map<std::vector<int>, double> quick_makespans_s_;  ///< of search_quickly(), by its workers
};

/// Returns whether a schedule with rows of blocks of B in several messages has so many that it
/// takes seconds to simulate once. Whole rows then make it hardly longer, since each worker gets
/// thousands of messages.
bool has_too_many_messages(const Platform& platform, const Problem& problem) {
  constexpr double max_transfers = 1e8;  // weighted
  constexpr double pieces = 4;           // of a row of blocks of B
  // A message allows at most an update of each block of the largest memory.
  const auto largest = std::ranges::max(platform.workers, {}, &Worker::m_blocks).m_blocks;
  const double messages =
      pieces * static_cast<double>(problem.updates()) / static_cast<double>(largest);
  return messages * static_cast<double>(weigh_transfers(8, platform.workers.size())) / 8 >
         max_transfers;
}

}  // namespace

SearchResult search(const Platform& platform, const Problem& problem,
                    const std::vector<SearchBudget>& efforts, std::uint64_t seed,
                    Objective objective, const Features& features) {
  Features used = features;
  if (has_too_many_messages(platform, problem)) used.cut_messages = false;
  SearchResult found = Searcher(platform, problem, seed, objective, used, false).search(efforts);
  constexpr std::int64_t small_memory = 100;  // blocks
  const bool has_small_chunks = std::ranges::any_of(platform.workers, [](const Worker& worker) {
    return worker.m_blocks < small_memory && kOptimizedOverlapped.side(worker.m_blocks) > 0;
  });
  if (!has_small_chunks) return found;
  used.tight_buffers = false;  // does not change modes with chunks
  std::vector<SearchBudget> parts = efforts;
  for (SearchBudget& budget : parts) {
    budget.estimates /= 3;
    budget.transfers /= 3;
  }
  SearchResult in_chunks = Searcher(platform, problem, seed, objective, used, true).search(parts);
  const auto value_s = [&](const SearchResult& result) {
    const Candidate& candidate = result.candidate;
    return objective == Objective::work ? candidate.work_s() : candidate.makespan_s;
  };
  return value_s(in_chunks) < value_s(found) ? in_chunks : found;
}

}  // namespace starport::polaris
