// Search for schedules that split k between workers (heuristics/star/polaris/README.md, "Splitting
// k").
#include "heuristics/star/polaris/estimate.hpp"
#include "heuristics/star/polaris/initial_tilings.hpp"
#include "heuristics/star/polaris/polaris.hpp"
#include "heuristics/star/polaris/serving.hpp"
#include "sim/files/error.hpp"
#include "sim/star/analytic_run.hpp"
#include "sim/star/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace starport::polaris {
namespace {

/// Consecutive values of k, with the division of C among the workers that do their updates.
struct KPart {
  std::int32_t length = 0;
  Tiling tiling;
};

/// A division of k into parts, each with workers of its own. Those of the first part are sent C.
struct KSplit {
  std::vector<KPart> parts = {};
  ServingOptions options = {};
  double makespan_s = kUnknown;

  std::size_t enrolled() const {
    std::size_t count = 0;
    for (const KPart& part : parts) count += part.tiling.enrolled();
    return count;
  }
};

/// Returns the budgets of an effort level, which include those of the lower levels; `tilings` are
/// initial divisions of k.
std::vector<SearchBudget> k_split_budgets(Level level) {
  std::vector<SearchBudget> budgets{
      {.tilings = 4, .estimates = 30'000, .transfers = 400'000, .trials = 500}};
  if (level >= Level::normal) {
    budgets.push_back(
        {.tilings = 8, .estimates = 600'000, .transfers = 20'000'000, .trials = 6'000});
  }
  if (level >= Level::high) {
    budgets.push_back(
        {.tilings = 16, .estimates = 3'000'000, .transfers = 120'000'000, .trials = 60'000});
  }
  return budgets;
}

/// Calls visit(worker, rows, columns) for each rectangle of a tiling.
template <class Visit>
void for_each_rectangle(const Tiling& tiling, Visit&& visit) {
  for (const Strip& strip : tiling.strips) {
    for (const Part& part : strip.parts) {
      tiling.of_rows ? visit(part.worker, strip.width, part.height)
                     : visit(part.worker, part.height, strip.width);
    }
  }
}

/// Returns the tasks of all parts of k, one for each enrolled worker.
std::vector<RectangleTask> make_k_split_tasks(const KSplit& split, const Platform& platform,
                                              const Problem& problem) {
  std::vector<RectangleTask> tasks;
  std::int32_t first = 0;
  for (const KPart& part : split.parts) {
    Problem part_problem = problem;
    part_problem.t = part.length;
    for (RectangleTask& task :
         make_tasks(part.tiling, platform, part_problem, split.options.modes)) {
      task.inner = {first, first + part.length};
      task.receives_c = first == 0;
      tasks.push_back(std::move(task));
    }
    first += part.length;
  }
  return tasks;
}

/// Returns the tiling with all of C on one worker.
Tiling whole_tiling(int worker, const Problem& problem) {
  return {.of_rows = false,
          .strips = {Strip{static_cast<std::int32_t>(problem.s),
                           {{worker, static_cast<std::int32_t>(problem.r)}}}}};
}

/// The estimated cost of a division of k, or of a part of it.
struct KSplitCost {
  double port_s = 0;     ///< of the port that sends
  double return_s = 0;   ///< of the port that receives, if it is another one
  double longest_s = 0;  ///< of a worker and its link

  double makespan_s() const { return std::max({port_s, return_s, longest_s}); }
};

/// Applies one random change to a division of k.
class KSplitChanger {
 public:
  KSplitChanger(KSplit& split, std::vector<int>& idle, const Platform& platform,
                const Problem& problem, RandomGenerator& random)
      : split_(split), idle_(idle), platform_(platform), problem_(problem), random_(random) {}

  /// Returns false if the change drawn is impossible; the division may be invalid then.
  bool change() {
    const std::size_t kind = random_.integer_below(12);
    if (kind < 4) return shift_k();
    if (kind < 8) return change_randomly(draw_k_part().tiling, idle_, problem_, random_).changed;
    if (kind == 8) return swap_workers();
    if (kind == 9) return move_worker();
    if (kind == 10) return add_part();
    std::swap(split_.parts.front(), draw_k_part());  // other workers are sent C
    return true;
  }

 private:
  std::size_t draw_index() { return random_.integer_below(split_.parts.size()); }
  KPart& draw_k_part() { return split_.parts[draw_index()]; }
  Strip& draw_strip(Tiling& tiling) {
    return tiling.strips[random_.integer_below(tiling.strips.size())];
  }
  Part& draw_rectangle(Tiling& tiling) {
    Strip& strip = draw_strip(tiling);
    return strip.parts[random_.integer_below(strip.parts.size())];
  }

  bool shift_k() {
    KPart& from = draw_k_part();
    KPart& to = draw_k_part();
    const auto most = static_cast<std::size_t>(std::max(1, from.length / 8));
    const std::size_t limit = random_.integer_below(3) == 0 ? most : std::min<std::size_t>(most, 3);
    const auto amount = static_cast<std::int32_t>(1 + random_.integer_below(limit));
    if (&from == &to || from.length <= amount) return false;
    from.length -= amount;
    to.length += amount;
    return true;
  }

  bool swap_workers() {
    Part& first = draw_rectangle(draw_k_part().tiling);
    Part& second = draw_rectangle(draw_k_part().tiling);
    std::swap(first.worker, second.worker);
    return &first != &second;
  }

  /// Removes a random worker from a part of k, and the part if that was its only one.
  int remove_worker(std::size_t index) {
    Tiling& tiling = split_.parts[index].tiling;
    const std::size_t strip = random_.integer_below(tiling.strips.size());
    const std::size_t part = random_.integer_below(tiling.strips[strip].parts.size());
    const int worker = tiling.strips[strip].parts[part].worker;
    if (tiling.enrolled() > 1) {
      remove_part(tiling, problem_, strip, part);
    } else {
      split_.parts.erase(split_.parts.begin() + static_cast<std::ptrdiff_t>(index));
      rescale_lengths();
    }
    return worker;
  }

  /// Moves a worker to another part of k, where it takes over a half of another one's rectangle, or
  /// leaves a worker out.
  bool move_worker() {
    const bool leaves_out = random_.integer_below(4) == 0;
    const int worker = remove_worker(draw_index());
    if (split_.parts.size() == 1) return false;
    if (leaves_out) {
      idle_.push_back(worker);
      return true;
    }
    Strip& strip = draw_strip(draw_k_part().tiling);
    const std::size_t part = random_.integer_below(strip.parts.size());
    const std::int32_t half = strip.parts[part].height / 2;
    if (half == 0) return false;
    strip.parts[part].height -= half;
    strip.parts.insert(strip.parts.begin() + static_cast<std::ptrdiff_t>(part), {worker, half});
    return true;
  }

  /// Gives a worker a part of k of its own, with as many updates as it would do of all.
  bool add_part() {
    if (std::ssize(split_.parts) >= problem_.t) return false;
    int worker = 0;
    if (!idle_.empty() && random_.integer_below(2) == 0) {
      const std::size_t index = random_.integer_below(idle_.size());
      worker = idle_[index];
      idle_.erase(idle_.begin() + static_cast<std::ptrdiff_t>(index));
    } else {
      const std::size_t index = draw_index();
      if (split_.parts[index].tiling.enrolled() < 2) return false;
      worker = remove_worker(index);
    }
    const double speed = 1 / platform_.workers[worker].w_s;
    double others = 0;
    for (const KPart& part : split_.parts) {
      for_each_rectangle(part.tiling, [&](int other, std::int64_t, std::int64_t) {
        others += 1 / platform_.workers[other].w_s;
      });
    }
    const auto length = static_cast<std::int32_t>(static_cast<double>(problem_.t) * speed / others);
    split_.parts.push_back({std::max(1, length), whole_tiling(worker, problem_)});
    rescale_lengths();
    return true;
  }

  void rescale_lengths() {
    std::vector<double> shares;
    for (const KPart& part : split_.parts) shares.push_back(part.length);
    const auto lengths = round_shares(shares, problem_.t);
    for (std::size_t i = 0; i < lengths.size(); ++i) split_.parts[i].length = lengths[i];
  }

  KSplit& split_;
  std::vector<int>& idle_;
  const Platform& platform_;
  const Problem& problem_;
  RandomGenerator& random_;
};

/// The search for the best division of k: annealing on estimates, then climbing on simulated
/// schedules.
class KSplitSearch {
 public:
  KSplitSearch(const Platform& platform, const Problem& problem, std::uint64_t seed,
               const Features& features)
      : platform_(platform),
        problem_(problem),
        features_(features),
        space_(platform, features),
        usable_(usable_workers(platform)),
        estimator_(platform, problem, space_.initial().modes),
        random_(seed),
        no_lags_(platform.workers.size()) {}

  /// Searches with one budget after the other and returns the fastest schedule found, whose
  /// makespan is kUnknown if there is none. Gives up early if no estimate is below `to_beat_s`.
  KSplit search(const std::vector<SearchBudget>& budgets, double to_beat_s) {
    if (usable_.size() < 2 || problem_.t < 2) return {};
    for (const SearchBudget& budget : budgets) {
      if (!search_with(scale(budget), to_beat_s)) break;
    }
    return best_;
  }

 private:
  /// A division to improve, with the lags measured on its last schedule.
  struct Start {
    KSplit split;
    PerWorker<double> lags_s;
  };

  /// Returns false if no schedule has been found and no estimate is below `to_beat_s`, or if one is
  /// too long to be replayed.
  bool search_with(const SearchBudget& budget, double to_beat_s) {
    transfers_ = 0;
    std::vector<Start> starts;
    // If all columns join at once, their partial sums return at once, but A is streamed only once.
    for (KSplit& split : make_initial_splits(budget.tilings)) {
      if (features_.staggered) starts.push_back({split, no_lags_});
      split.options.message_options.joining = 0;
      starts.push_back({std::move(split), no_lags_});
    }
    if (best_.makespan_s < kUnknown) starts.push_back({best_, no_lags_});
    if (starts.empty()) return false;
    constexpr int rounds = 3;
    for (int round = 0; round < rounds; ++round) {
      double least_s = kUnknown;
      for (Start& start : starts) {
        if (best_.makespan_s < kUnknown && transfers_ > budget.transfers / 2) break;
        anneal(start, features_.annealing ? budget.estimates / rounds / std::ssize(starts) : 0);
        least_s = std::min(least_s, estimate(start.split, no_lags_).makespan_s());
        if (least_s >= to_beat_s) continue;
        const ServedSchedule run = serve(start.split);
        if (is_too_long(run)) return false;
        if (features_.lags && !run.tasks.empty()) update_lags(start, run);
        consider(start.split);
      }
      if (least_s >= to_beat_s && best_.makespan_s == kUnknown) return false;
      std::ranges::stable_sort(starts, {},
                               [](const Start& start) { return start.split.makespan_s; });
      starts.resize((starts.size() + 1) / 2);
    }
    if (best_.makespan_s == kUnknown || transfers_ > budget.transfers) return true;
    try_options();
    climb(budget);
    return true;
  }

  SearchBudget scale(SearchBudget budget) const {
    const auto sides = static_cast<double>(problem_.r + problem_.s);
    const double share = std::min(1.0, sides * sides / 10'000);
    for (std::int64_t* limit : {&budget.estimates, &budget.trials})
      *limit = static_cast<std::int64_t>(share * static_cast<double>(*limit));
    if (!features_.climbing) budget.trials = 0;
    return budget;
  }

  void consider(const KSplit& split) {
    if (split.makespan_s < best_.makespan_s) best_ = split;
  }

  /// Adds the cost of a rectangle of a part of `length` values of k to `sum`; the worker ends
  /// `lag_s` after its computation. The port time is infinite if the worker lacks the memory.
  void add_cost(KSplitCost& sum, int worker, const std::array<std::int64_t, 3>& sizes,
                bool receives_c, double lag_s) const {
    const auto [rows, columns, length] = sizes;
    const PartCost cost = estimator_.estimate_part(worker, rows, columns, length, receives_c);
    sum.port_s += cost.port_s;
    if (platform_.port.kind == Port::Kind::two)
      sum.return_s += static_cast<double>(rows * columns) * platform_.workers[worker].c_s;
    const double compute_s = static_cast<double>(rows * columns * length) * cost.update_s;
    sum.longest_s = std::max({sum.longest_s, cost.link_s, compute_s + lag_s});
  }

  /// Estimates a division of k; each worker ends its lag after its computation.
  KSplitCost estimate(const KSplit& split, const PerWorker<double>& lags_s) {
    estimator_.modes = split.options.modes;
    KSplitCost sum;
    for (const KPart& part : split.parts) {
      const bool receives_c = &part == &split.parts.front();
      for_each_rectangle(part.tiling, [&](int worker, std::int64_t rows, std::int64_t columns) {
        add_cost(sum, worker, {rows, columns, part.length}, receives_c, lags_s[worker]);
      });
    }
    return sum;
  }

  static bool is_too_long(const ServedSchedule& run) {
    return std::cmp_greater(run.transfers, kMaxReplayed);
  }

  /// Simulates the schedule of a division up to `limit_s` and sets its makespan, which is kUnknown
  /// if the schedule is too long to be replayed.
  ServedSchedule serve(KSplit& split, double limit_s = kUnknown) {
    const auto tasks = make_k_split_tasks(split, platform_, problem_);
    ServedSchedule run;
    if (std::ranges::none_of(
            tasks, [](const RectangleTask& task) { return task.mode.kind == Mode::Kind::none; })) {
      run = serve_tasks(platform_, problem_, tasks, split.options, limit_s);
    }
    transfers_ += weigh_transfers(run.transfers, tasks.size());
    split.makespan_s = is_too_long(run) ? kUnknown : run.makespan_s;
    return run;
  }

  /// Updates the lags of the workers from a schedule.
  static void update_lags(Start& start, const ServedSchedule& run) {
    std::size_t task = 0;
    for (const KPart& part : start.split.parts) {
      for_each_rectangle(part.tiling, [&](int worker, std::int64_t, std::int64_t) {
        const TaskOutcome& outcome = run.tasks[task++];
        double& lag_s = start.lags_s[worker];
        lag_s = 0.5 * lag_s + 0.5 * (outcome.return_end_s - outcome.compute_s);
      });
    }
  }

  std::vector<int> idle_in(const KSplit& split) const {
    std::vector<int> idle = usable_;
    for (const KPart& part : split.parts) {
      for_each_rectangle(part.tiling,
                         [&](int worker, std::int64_t, std::int64_t) { std::erase(idle, worker); });
    }
    return idle;
  }

  bool change(KSplit& split, std::vector<int>& idle) {
    if (!KSplitChanger(split, idle, platform_, problem_, random_).change()) return false;
    return features_.strips || std::ranges::all_of(split.parts, [](const KPart& part) {
             return part.tiling.strips.size() == 1;
           });
  }

  /// Improves a division by random changes to its estimate, by threshold accepting.
  void anneal(Start& start, std::int64_t operations) {
    const auto cost = [&](const KSplit& split) {
      const KSplitCost estimated = estimate(split, start.lags_s);
      return estimated.makespan_s() + 0.02 * estimated.port_s;
    };
    KSplit current = start.split;
    std::vector<int> idle = idle_in(current);
    double current_cost = cost(current);
    double best_cost = current_cost;
    const std::int64_t begin = estimator_.operations;
    while (estimator_.operations - begin < operations) {
      const double left =
          1 - static_cast<double>(estimator_.operations - begin) / static_cast<double>(operations);
      ++estimator_.operations;
      KSplit changed = current;
      std::vector<int> changed_idle = idle;
      if (!change(changed, changed_idle)) continue;
      const double changed_cost = cost(changed);
      if (changed_cost > current_cost * (1 + 0.03 * left * left)) continue;
      current = std::move(changed);
      idle = std::move(changed_idle);
      current_cost = changed_cost;
      if (current_cost >= best_cost) continue;
      best_cost = current_cost;
      start.split = current;
    }
  }

  /// Tries other options for the best schedule.
  void try_options() {
    for (const auto& set : space_.changes()) {
      KSplit changed = best_;
      set(changed.options);
      serve(changed, best_.makespan_s);
      consider(changed);
    }
  }

  /// Improves the best schedule by random changes, each evaluated by simulation.
  void climb(const SearchBudget& budget) {
    KSplit current = best_;
    std::vector<int> idle = idle_in(current);
    const std::int64_t begin = transfers_;
    const std::int64_t transfers = budget.transfers - begin;
    for (std::int64_t trials = 0; trials < budget.trials && transfers_ - begin < transfers;) {
      const double left =
          1 - std::max(static_cast<double>(transfers_ - begin) / static_cast<double>(transfers),
                       static_cast<double>(trials) / static_cast<double>(budget.trials));
      ++transfers_;
      KSplit changed = current;
      std::vector<int> changed_idle = idle;
      if (features_.options && random_.integer_below(10) == 0) {
        space_.change(changed.options, random_);
      } else if (!change(changed, changed_idle)) {
        continue;
      }
      const double limit_s = current.makespan_s * (1 + 0.004 * left * left);
      if (estimate(changed, no_lags_).makespan_s() > limit_s) {
        transfers_ += static_cast<std::int64_t>(4 * changed.enrolled());
        continue;
      }
      ++trials;
      serve(changed, limit_s);
      if (changed.makespan_s > limit_s) continue;
      current = std::move(changed);
      idle = std::move(changed_idle);
      consider(current);
    }
  }

  /// Groups of workers, each for a part of k, with their estimate.
  struct Groups {
    double makespan_s = 0;
    std::vector<std::vector<int>> workers;
    std::vector<double> speeds;  ///< updates per second of each group
  };

  /// Divides the workers into groups of about the same speed, the fastest worker first, and
  /// estimates the makespan for rectangles of C that are nearly squares.
  Groups make_groups(std::vector<int> workers, std::size_t count) {
    std::ranges::stable_sort(workers, {}, [&](int i) { return platform_.workers[i].w_s; });
    Groups groups{.workers = std::vector<std::vector<int>>(count),
                  .speeds = std::vector<double>(count)};
    double speed = 0;
    for (const int worker : workers) {
      const auto slowest =
          static_cast<std::size_t>(std::ranges::min_element(groups.speeds) - groups.speeds.begin());
      groups.workers[slowest].push_back(worker);
      groups.speeds[slowest] += 1 / platform_.workers[worker].w_s;
      speed += 1 / platform_.workers[worker].w_s;
    }
    estimator_.modes = space_.initial().modes;
    KSplitCost sum;
    for (std::size_t g = 0; g < count; ++g) {
      const double length = static_cast<double>(problem_.t) * groups.speeds[g] / speed;
      for (const int worker : groups.workers[g]) {
        const double share = 1 / platform_.workers[worker].w_s / groups.speeds[g];
        const double area = share * static_cast<double>(problem_.r * problem_.s);
        const auto rows = std::clamp<std::int64_t>(std::llround(std::sqrt(area)), 1, problem_.r);
        const auto columns =
            std::clamp<std::int64_t>(std::llround(area / static_cast<double>(rows)), 1, problem_.s);
        add_cost(sum, worker, {rows, columns, std::max<std::int64_t>(1, std::llround(length))},
                 g == 0, 0);
      }
    }
    groups.makespan_s = sum.makespan_s();
    return groups;
  }

  /// Returns the tiling of C among a group that its estimate prefers; without strips if none fits.
  Tiling make_group_tiling(const std::vector<int>& group, std::int64_t length) {
    if (group.size() == 1) return whole_tiling(group.front(), problem_);
    const Platform part = select_workers(platform_, group);
    Problem part_problem = problem_;
    part_problem.t = length;
    const Estimator estimator(part, part_problem, space_.initial().modes);
    std::vector<Tiling> tilings =
        make_initial_tilings(part, part_problem, estimator, 1, features_.strips);
    estimator_.operations += estimator.operations;
    if (tilings.empty()) return {};
    for (Strip& strip : tilings.front().strips) {
      for (Part& rectangle : strip.parts)
        rectangle.worker = group[static_cast<std::size_t>(rectangle.worker)];
    }
    return std::move(tilings.front());
  }

  /// Returns divisions of k to start from: the first workers of two orders, in groups.
  std::vector<KSplit> make_initial_splits(std::size_t count) {
    std::vector<Groups> candidates;
    for (const bool by_port : {true, false}) {
      std::vector<int> order = usable_;
      std::ranges::stable_sort(order, {}, [&](int i) {
        const Worker& worker = platform_.workers[i];
        const double port_s = 2 * worker.c_s / std::sqrt(static_cast<double>(worker.m_blocks));
        return by_port ? port_s : worker.w_s + port_s;
      });
      for (std::size_t workers = 2; workers <= order.size(); workers += 1 + workers / 8) {
        const std::vector<int> chosen(order.begin(),
                                      order.begin() + static_cast<std::ptrdiff_t>(workers));
        const std::size_t most = std::min(workers, static_cast<std::size_t>(problem_.t));
        for (std::size_t parts = 2; parts < most; parts += 1 + parts / 3)
          candidates.push_back(make_groups(chosen, parts));
        candidates.push_back(make_groups(chosen, most));
      }
    }
    std::ranges::stable_sort(candidates, {}, &Groups::makespan_s);
    if (candidates.size() > 4 * count) candidates.resize(4 * count);
    std::vector<std::pair<double, KSplit>> found;
    for (const Groups& groups : candidates) {
      const auto lengths = round_shares(groups.speeds, problem_.t);
      KSplit split{.options = space_.initial()};
      for (std::size_t g = 0; g < lengths.size(); ++g)
        split.parts.push_back({lengths[g], make_group_tiling(groups.workers[g], lengths[g])});
      const bool fits = std::ranges::none_of(
          split.parts, [](const KPart& part) { return part.tiling.strips.empty(); });
      if (!fits) continue;
      for (const Prefetch prefetch : space_.prefetches()) {
        split.options.modes.prefetch = prefetch;
        const double makespan_s = estimate(split, no_lags_).makespan_s();
        if (makespan_s < kUnknown) found.emplace_back(makespan_s, split);
      }
    }
    std::ranges::stable_sort(found, {}, &std::pair<double, KSplit>::first);
    std::vector<KSplit> splits;
    double last_s = 0;
    for (auto& [makespan_s, split] : found) {
      if (splits.size() == count) break;
      if (makespan_s == last_s) continue;  // the same workers in both orders
      last_s = makespan_s;
      splits.push_back(std::move(split));
    }
    return splits;
  }

  const Platform& platform_;
  const Problem& problem_;
  Features features_;
  OptionSpace space_;
  std::vector<int> usable_;
  Estimator estimator_;
  RandomGenerator random_;
  PerWorker<double> no_lags_;
  std::int64_t transfers_ = 0;  ///< weighted number of simulated transfers with this budget
  KSplit best_;
};

std::string describe_parts(const KSplit& split) {
  const auto lengths = std::ranges::minmax(split.parts, {}, &KPart::length);
  return fmt::format("in {} parts of {} to {} values, for {} workers", split.parts.size(),
                     lengths.min.length, lengths.max.length, split.enrolled());
}

}  // namespace

Plan plan_split_k(const Parameters& parameters, const std::vector<Rival>& rivals,
                  const Platform& platform, const Problem& problem) {
  if (parameters.adapt) throw NotApplicable("with adapt=yes, it does not split k");
  const std::function<Plan()> planner = make_planner(parameters, rivals, platform, problem);
  Plan whole = planner();
  std::optional<Recording> recording = record(*whole.dispatcher, platform, problem);
  if (!recording) return planner();
  const Metrics& metrics = recording->metrics;
  Features features;
  if (parameters.without) features.*(*parameters.without) = false;
  const bool work = parameters.objective == Objective::work;
  KSplitSearch searcher(platform, problem, parameters.seed, features);
  const KSplit split =
      searcher.search(k_split_budgets(parameters.level), work ? kUnknown : metrics.makespan_s);
  const auto workers = [&](auto count) { return work ? static_cast<double>(count) : 1; };
  if (split.parts.size() > 1 && split.makespan_s * workers(split.enrolled()) <
                                    metrics.makespan_s * workers(metrics.enrolled_workers)) {
    const auto tasks = make_k_split_tasks(split, platform, problem);
    return {.dispatcher = make_fixed_order_dispatcher(
                list_transfers(platform, problem, tasks, split.options)),
            .details = {{"splits_k", describe_parts(split)}}};
  }
  // With several ports or noise, what a rival decides during the run is no list.
  if (platform.port.kind != Port::Kind::one || whole.adapts) return planner();
  whole.dispatcher = make_fixed_order_dispatcher(std::move(recording->transfers));
  return whole;
}

}  // namespace starport::polaris
