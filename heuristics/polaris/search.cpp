#include "heuristics/polaris/search.hpp"

#include "heuristics/polaris/loads.hpp"
#include "sim/model/update_ends.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::polaris {
namespace {

/// A layout with the estimate of each strip.
class Estimated {
 public:
  Estimated(const Estimator& estimator, Layout layout, std::vector<int> idle)
      : estimator_(&estimator), layout_(std::move(layout)), idle_(std::move(idle)) {
    for (const Strip& strip : layout_.strips) costs_.push_back(estimator_->cost(layout_, strip));
  }

  const Layout& layout() const { return layout_; }

  bool change(const Problem& problem, Draws& draws) {
    const Touched touched = polaris::change(layout_, idle_, problem, draws);
    if (!touched.changed) return false;
    if (touched.all || costs_.size() != layout_.strips.size()) {
      costs_.clear();
      for (const Strip& strip : layout_.strips) costs_.push_back(estimator_->cost(layout_, strip));
    } else {
      for (const std::size_t at : {touched.first, touched.second}) {
        costs_[at] = estimator_->cost(layout_, layout_.strips[at]);
      }
    }
    return true;
  }

  /// The estimated makespan, and a little of the port's time, so that saving it counts.
  double cost() const {
    double port = estimator_->lags.port_s;
    double longest = 0;
    for (const StripCost& strip : costs_) {
      port += strip.port_s;
      longest = std::max(longest, strip.longest_s);
    }
    return std::max(port, longest) + 0.02 * port;
  }

 private:
  const Estimator* estimator_;
  Layout layout_;
  std::vector<int> idle_;
  std::vector<StripCost> costs_;
};

class Searcher {
 public:
  Searcher(const Platform& platform, const Problem& problem, const Effort& effort,
           std::uint64_t seed, Objective objective, const Without& without)
      : platform_(platform),
        problem_(problem),
        effort_(fitted(effort, problem)),
        without_(without),
        estimator_(platform, problem, without.modes),
        draws_(seed),
        objective_(objective),
        latencies_(std::any_of(platform.workers.begin(), platform.workers.end(),
                               [](const Worker& worker) { return worker.latency_s > 0; })) {
    best_.options.modes = without.modes;
    best_.options.walk.late_c = !without.late_c;
    if (without.staggered) best_.options.walk.joining = 0;
    if (without.annealing) effort_.estimates = 0;
    if (without.climbing) effort_.trials = 0;
  }

  Candidate search() {
    search_time();
    if (best_.makespan_s == kUnknown) return best_;
    search_fewer();
    return chosen();
  }

 private:
  void search_time() {
    const auto layouts =
        first_layouts(platform_, problem_, estimator_, effort_.layouts, !without_.strips);
    for (const Layout& layout : layouts) {
      if (best_.makespan_s < kUnknown && spent() > 0.1) break;
      Candidate candidate{layout, best_.options, 0};
      serve(candidate);
      consider(candidate);
    }
    if (best_.makespan_s == kUnknown) return;
    const auto rounds = static_cast<std::int64_t>(layouts.size());
    for (const Layout& layout : layouts) {
      if (spent() > 0.3) break;
      estimator_.lags = Lags{std::vector<double>(platform_.workers.size()), 0};
      Layout current = anneal(layout, effort_.estimates / (2 * rounds));
      for (int again = 0; again < 3; ++again) {
        Candidate candidate{current, best_.options, 0};
        const PortRun run = serve(candidate);
        consider(candidate);
        if (run.tasks.empty()) break;
        learn(candidate.layout, run);
        current = anneal(current, effort_.estimates / (6 * rounds));
      }
      Candidate candidate{current, best_.options, 0};
      serve(candidate);
      consider(candidate);
    }
    try_options(best_.layout);
    climb(best_, effort_.transfers - transfers_);
  }

  /// Small products have few layouts: less will do.
  static Effort fitted(Effort effort, const Problem& problem) {
    const std::int64_t sides = std::min<std::int64_t>(problem.r + problem.s, 10'000);
    effort.estimates = std::min(effort.estimates, sides * sides);
    effort.trials = std::min(effort.trials, sides * sides / 4);
    return effort;
  }
  /// The share of the effort.
  double spent() const {
    return static_cast<double>(transfers_) / static_cast<double>(effort_.transfers);
  }

  /// Lets workers go, one by one, as long as that may be of use.
  void search_fewer() {
    Candidate current = best_;
    while (current.layout.enrolled() > 1 && spent() < 1.5) {
      const double share = 1 / static_cast<double>(best_.layout.enrolled());
      Layout smaller = current.layout;
      drop_smallest(smaller);
      if (effort_.estimates > 0) {
        smaller = anneal(
            smaller,
            static_cast<std::int64_t>(0.2 * share * static_cast<double>(effort_.estimates)), false);
      }
      Candidate candidate{smaller, current.options, 0};
      serve(candidate);
      if (candidate.makespan_s == kUnknown) return;
      consider(candidate);
      candidate = climb(
          candidate,
          static_cast<std::int64_t>(0.3 * share * static_cast<double>(effort_.transfers)), false);
      if (objective_ == Objective::time && candidate.makespan_s > 1.03 * best_.makespan_s) return;
      current = candidate;
    }
  }

  void drop_smallest(Layout& layout) const {
    std::size_t strip = 0;
    std::size_t part = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < layout.strips.size(); ++i) {
      for (std::size_t j = 0; j < layout.strips[i].parts.size(); ++j) {
        const std::int64_t area =
            std::int64_t{layout.strips[i].width} * layout.strips[i].parts[j].height;
        if (area >= least) continue;
        least = area;
        strip = i;
        part = j;
      }
    }
    take_out(layout, problem_, strip, part);
  }

  /// By the objective, among the best of each number of enrolled workers.
  Candidate chosen() const {
    const Candidate* choice = nullptr;
    for (const Candidate& candidate : by_enrolled_) {
      if (candidate.makespan_s == kUnknown) continue;
      if (objective_ == Objective::time) {
        if (candidate.makespan_s <= 1.01 * best_.makespan_s) return candidate;
      } else if (choice == nullptr || work(candidate) < work(*choice)) {
        choice = &candidate;
      }
    }
    if (choice != nullptr) return *choice;
    Candidate none;
    none.makespan_s = kUnknown;
    return none;
  }

  static double work(const Candidate& candidate) {
    return candidate.makespan_s * static_cast<double>(candidate.layout.enrolled());
  }

  PortRun serve(Candidate& candidate, double limit_s = kUnknown) {
    const auto tasks = tasks_of(candidate.layout, platform_, problem_, without_.modes);
    PortRun run;
    run.makespan_s = kUnknown;
    const bool possible = std::none_of(tasks.begin(), tasks.end(), [](const Task& task) {
      return task.mode.kind == Mode::Kind::none;
    });
    if (possible) run = run_port(platform_, problem_, tasks, candidate.options, false, limit_s);
    transfers_ += run.transfers * static_cast<std::int64_t>(8 + tasks.size()) / 8;
    candidate.makespan_s = run.makespan_s;
    return run;
  }

  void consider(const Candidate& candidate) {
    if (candidate.makespan_s < best_.makespan_s) best_ = candidate;
    const std::size_t enrolled = candidate.layout.enrolled();
    if (by_enrolled_.size() <= enrolled) {
      by_enrolled_.resize(enrolled + 1, {.layout = {}, .options = {}, .makespan_s = kUnknown});
    }
    Candidate& best = by_enrolled_[enrolled];
    if (candidate.makespan_s < best.makespan_s) best = candidate;
  }

  void try_options(const Layout& layout) {
    const auto attempt = [&](const auto& set) {
      if (best_.makespan_s < kUnknown && spent() > 0.5) return;
      Candidate candidate{layout, best_.options, 0};
      set(candidate.options);
      serve(candidate, best_.makespan_s);
      consider(candidate);
    };
    for (const double share : {0.5, 0.25, 1.0}) {
      attempt([&](PortOptions& options) { options.walk.loading_share = share; });
    }
    for (const std::int64_t joining : {1, 4, 0}) {
      if (without_.staggered) break;
      attempt([&](PortOptions& options) { options.walk.joining = joining; });
    }
    for (const std::int64_t columns : {4, 16}) {
      if (!latencies_) break;
      attempt([&](PortOptions& options) {
        options.walk.pieces = 1;
        options.walk.depth = columns;
        options.walk.group = columns;
        options.return_columns = columns;
      });
    }
    for (const double patience : {1.0, 5.0}) {
      attempt([&](PortOptions& options) { options.patience = patience; });
    }
  }

  /// Threshold accepting (Dueck and Scheuer 1990): no exponential, so the same everywhere.
  Layout anneal(const Layout& from, std::int64_t operations, bool may_enrol = true) {
    Estimated current(estimator_, from,
                      may_enrol ? idle_workers(from, platform_, problem_) : std::vector<int>{});
    Layout best = from;
    double best_cost = current.cost();
    double cost = best_cost;
    const std::int64_t begin = estimator_.operations;
    while (estimator_.operations - begin < operations) {
      const double left =
          1 - static_cast<double>(estimator_.operations - begin) / static_cast<double>(operations);
      Estimated changed = current;
      estimator_.operations += 1 + static_cast<std::int64_t>(current.layout().enrolled() / 8);
      if (!changed.change(problem_, draws_)) continue;
      if (without_.strips && changed.layout().strips.size() > 1) continue;
      const double new_cost = changed.cost();
      if (new_cost > cost * (1 + 0.03 * left * left)) continue;
      current = std::move(changed);
      cost = new_cost;
      if (cost < best_cost) {
        best_cost = cost;
        best = current.layout();
      }
    }
    return best;
  }

  /// What the estimate missed.
  void learn(const Layout& layout, const PortRun& run) {
    std::size_t at = 0;
    for (const Strip& strip : layout.strips) {
      for (const Part& part : strip.parts) {
        const TaskOutcome& outcome = run.tasks[at++];
        double& lag = estimator_.lags.worker_s[static_cast<std::size_t>(part.worker)];
        lag = 0.5 * lag + 0.5 * (outcome.home_s - outcome.compute_s);
      }
    }
  }

  /// Changes a schedule itself; returns the best of those that it comes by.
  Candidate climb(Candidate current, std::int64_t transfers, bool may_enrol = true) {
    Candidate best = current;
    std::vector<int> idle =
        may_enrol ? idle_workers(current.layout, platform_, problem_) : std::vector<int>{};
    const std::int64_t begin = transfers_;
    std::int64_t trials = 0;
    while (transfers_ - begin < transfers && trials++ < effort_.trials) {
      const double left =
          1 - static_cast<double>(transfers_ - begin) / static_cast<double>(transfers);
      Candidate changed = current;
      std::vector<int> changed_idle = idle;
      ++transfers_;
      if (draws_.below(12) == 0) {
        change_options(changed.options);
      } else if (!change(changed.layout, changed_idle, problem_, draws_).changed) {
        continue;
      }
      if (without_.strips && changed.layout.strips.size() > 1) continue;
      const double limit_s = current.makespan_s * (1 + 0.004 * left * left);
      serve(changed, limit_s);
      if (changed.makespan_s > limit_s) continue;
      current = std::move(changed);
      idle = std::move(changed_idle);
      consider(current);
      if (current.makespan_s < best.makespan_s) best = current;
    }
    return best;
  }

  void change_options(PortOptions& options) {
    const auto one_of = [&](auto... values) {
      const double list[] = {static_cast<double>(values)...};
      return list[draws_.below(sizeof...(values))];
    };
    switch (draws_.below(latencies_ ? 8 : 5)) {
      case 0:
        options.walk.loading_share = one_of(0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0);
        break;
      case 1:
        if (without_.staggered) break;
        options.walk.joining = static_cast<std::int64_t>(one_of(0, 1, 2, 3, 4, 6));
        break;
      case 2:
        options.walk.rest = static_cast<std::int64_t>(one_of(1, 2, 3, 4));
        break;
      case 3:
        options.walk.pieces = static_cast<std::int64_t>(one_of(1, 2, 3, 4, 6, 8));
        break;
      case 5:
        options.return_columns = static_cast<std::int64_t>(one_of(1, 2, 4, 8, 16, 32));
        break;
      case 6:
        options.walk.group = static_cast<std::int64_t>(one_of(1, 2, 4, 8, 16, 32));
        break;
      case 7:
        options.walk.depth = static_cast<std::int64_t>(one_of(1, 2, 4, 8, 16));
        break;
      default:
        options.patience = one_of(0, 1, 2, 3, 5, 8, 12);
    }
  }

  const Platform& platform_;
  const Problem& problem_;
  Effort effort_;
  Without without_;
  Estimator estimator_;
  Draws draws_;
  Objective objective_;
  bool latencies_;                      ///< messages are then better long
  std::vector<Candidate> by_enrolled_;  ///< the best of each number of enrolled workers
  Candidate best_{.layout = {}, .options = {}, .makespan_s = kUnknown};
  std::int64_t transfers_ = 0;
};

}  // namespace

Candidate search(const Platform& platform, const Problem& problem, const Effort& effort,
                 std::uint64_t seed, Objective objective, const Without& without) {
  return Searcher(platform, problem, effort, seed, objective, without).search();
}

}  // namespace starport::polaris
