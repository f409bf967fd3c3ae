#include "heuristics/star/polaris/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace starport::polaris {
namespace {

constexpr int kHashBits = 11;

/// A tiling with the estimated cost of each strip, updated incrementally.
class EstimatedTiling {
 public:
  EstimatedTiling(const Estimator& estimator, Tiling tiling, std::vector<int> idle)
      : estimator_(&estimator), tiling_(std::move(tiling)), idle_(std::move(idle)) {
    for (const Strip& strip : tiling_.strips)
      costs_.push_back(estimator_->estimate_strip(tiling_, strip));
  }

  const Tiling& tiling() const { return tiling_; }

  /// Changes the tiling at random and updates the estimates.
  ChangedStrips change(const Problem& problem, RandomGenerator& random) {
    const ChangedStrips strips = change_randomly(tiling_, idle_, problem, random);
    if (!strips.changed) return strips;
    if (strips.all || costs_.size() != tiling_.strips.size()) {
      costs_.clear();
      for (const Strip& strip : tiling_.strips)
        costs_.push_back(estimator_->estimate_strip(tiling_, strip));
    } else {
      const Strip& second = tiling_.strips[strips.second];
      costs_[strips.first] = estimator_->estimate_strip(tiling_, tiling_.strips[strips.first]);
      if (strips.second != strips.first) {
        costs_[strips.second] = estimator_->estimate_strip(tiling_, second);
      } else {  // counts as two estimates
        estimator_->operations += std::ssize(second.parts);
      }
    }
    return strips;
  }

  /// Copies the strips that differ from `other`, and its idle workers.
  void copy_changes(const EstimatedTiling& other, const ChangedStrips& strips) {
    if (strips.all) {
      *this = other;
    } else if (strips.changed) {
      for (const std::size_t i : {strips.first, strips.second}) {
        tiling_.strips[i] = other.tiling_.strips[i];
        costs_[i] = other.costs_[i];
      }
      idle_ = other.idle_;
    }
  }

  /// Returns the estimated makespan plus 2 % of the port time, so that saving port time always
  /// counts.
  double cost() const {
    double port = 0;
    double longest = 0;
    for (const StripCost& strip : costs_) {
      port += strip.port_s;
      longest = std::max(longest, strip.longest_s);
    }
    return std::max(port, longest) + 0.02 * port;
  }

 private:
  const Estimator* estimator_;
  Tiling tiling_;
  std::vector<int> idle_;
  std::vector<StripCost> costs_;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMaxStrips = 8;
// With more workers, the cost of a group is its half-perimeters instead of estimated port times.
constexpr std::size_t kMaxEstimatedWorkers = 48;

/// Linear cost model of one worker: its port time as a function of its area of C, in blocks,
/// through the estimates of two rectangles.
struct CostLine {
  int worker;
  double fixed_s;     ///< port time for any area
  double per_area_s;  ///< port time per block of C
  double compute_s;   ///< computation per block of C
  double link_s;      ///< time of the worker's link per block of C; 0 if only the port limits it
};

/// Divides the area of C among workers such that port and computations end as early as possible.
class AreaDivider {
 public:
  AreaDivider(const Platform& platform, const Problem& problem, const Estimator& estimator)
      : platform_(platform),
        problem_(problem),
        estimator_(estimator),
        area_(static_cast<double>(problem.r * problem.s)) {}

  /// Fits the cost models for areas of C as in schedules with `enrolled` workers. Omits workers
  /// without enough memory.
  std::vector<CostLine> fit_lines(std::size_t enrolled) const {
    std::vector<CostLine> lines;
    const auto count = static_cast<std::int64_t>(enrolled);
    const auto shape = [&](std::int64_t workers) {  // a nearly square share of C
      const double part = area_ / static_cast<double>(workers);
      const auto side = static_cast<std::int64_t>(std::sqrt(part));
      const std::int64_t rows = std::clamp<std::int64_t>(side, 1, problem_.r);
      const auto columns = static_cast<std::int64_t>(part / static_cast<double>(rows));
      return std::pair{rows, std::clamp<std::int64_t>(columns, 1, problem_.s)};
    };
    const auto [h1, v1] = shape(2 * count);
    const auto [h2, v2] = shape(count);
    const auto a1 = static_cast<double>(h1 * v1);
    const auto a2 = static_cast<double>(h2 * v2);
    for (int worker = 0; worker < static_cast<int>(platform_.workers.size()); ++worker) {
      const double p1 = estimator_.estimate_part(worker, h1, v1).port_s;
      const auto [p2, link_s, update_s] = estimator_.estimate_part(worker, h2, v2);
      if (!(p2 < kInfinity) || !(p1 < kInfinity)) continue;
      const double slope = a2 > a1 ? std::max((p2 - p1) / (a2 - a1), 0.25 * p2 / a2) : p2 / a2;
      lines.push_back({worker, std::max(0.0, p2 - slope * a2), slope,
                       static_cast<double>(problem_.t) * update_s, link_s / a2});
    }
    return lines;
  }

  /// Computes the least makespan T for these workers by bisection and stores their areas in
  /// `loads`. Workers that are cheap for the port get as much as they can compute by T.
  double divide(std::vector<CostLine> chosen, PerWorker<double>& loads) const {
    std::sort(chosen.begin(), chosen.end(), [](const CostLine& x, const CostLine& y) {
      return x.per_area_s != y.per_area_s ? x.per_area_s < y.per_area_s : x.worker < y.worker;
    });
    double low = 0;
    double high = kInfinity;
    const CostLine& cheapest = chosen.front();
    double t = area_ * std::max({cheapest.compute_s, cheapest.per_area_s, cheapest.link_s});
    for (int i = 0; i < 60 && (high == kInfinity || high - low > 1e-4 * high); ++i) {
      const bool is_enough = port_end_s(chosen, t, loads) <= t;
      (is_enough ? high : low) = t;
      t = high == kInfinity ? 2 * t : low + (high - low) / 2;
    }
    port_end_s(chosen, high, loads);
    return high;
  }

 private:
  /// Returns the port time if no worker computes beyond date t; infinite if C is not covered then.
  double port_end_s(const std::vector<CostLine>& chosen, double t, PerWorker<double>& loads) const {
    loads.assign(platform_.workers.size(), 0.0);
    double left = area_;
    double port = 0;
    for (const CostLine& line : chosen) {
      const double lag = estimator_.lags_s[line.worker];
      double part = std::min(left, std::max(0.0, t - lag) / line.compute_s);
      if (line.link_s > 0) part = std::min(part, t / line.link_s);
      if (part <= 0) continue;
      loads[line.worker] = part;
      left -= part;
      port += line.fixed_s + part * line.per_area_s;
    }
    return left > 1e-9 * area_ ? kInfinity : port;
  }

  const Platform& platform_;
  const Problem& problem_;
  const Estimator& estimator_;
  double area_;
};

/// Divides C into strips of consecutive workers with the least port time, by a dynamic program
/// after PERI-SUM (Beaumont, Boudet, Rastello and Robert 2001).
class StripCutter {
 public:
  StripCutter(const Problem& problem, const Estimator& estimator, bool of_rows)
      : problem_(problem), estimator_(estimator), of_rows_(of_rows) {}

  /// Returns two tilings in which the workers, in this order, get areas in proportion to `loads`:
  /// the best of at most `max_strips` strips, if there is one, and the best of all, which is often
  /// the same. If workers outnumber the columns (or rows) that strips divide, the second need not
  /// be the very best. None if there are more workers than blocks of C.
  std::vector<Tiling> cut(const std::vector<int>& order, const PerWorker<double>& loads,
                          std::size_t max_strips) const {
    const std::size_t n = order.size();
    const auto across = static_cast<double>(of_rows_ ? problem_.r : problem_.s);
    const auto along = static_cast<double>(of_rows_ ? problem_.s : problem_.r);
    const double area = across * along;
    double total = 0;
    for (const int worker : order) total += loads[worker];
    std::vector<double> before(n + 1, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
      before[i + 1] = before[i] + loads[order[i]] * area / total;
    }
    const std::size_t strips = std::min({max_strips, n, static_cast<std::size_t>(across)});
    // best[end]: of the first `end` workers in 0, 1, ... strips, and at last in any number of them.
    std::vector<std::vector<Cut>> best(n + 1, std::vector<Cut>(strips + 2));
    best[0].front().cost_s = best[0].back().cost_s = 0;
    for (std::size_t end = 1; end <= n; ++end) {
      for (std::size_t begin = end; begin-- > 0;) {
        if (static_cast<double>(end - begin) > along) break;
        const double width = (before[end] - before[begin]) / along;
        double group_s = along + static_cast<double>(end - begin) * width;
        if (n <= kMaxEstimatedWorkers) {
          group_s = 0;
          for (std::size_t i = begin; i < end; ++i) {
            group_s += part_port_s(order[i], (before[i + 1] - before[i]) / width, width);
          }
        }
        const auto extend = [&](std::size_t from, std::size_t to) {
          const Cut& cut = best[begin][from];
          const double cost_s = cut.cost_s + group_s;
          // The strips left, of `along` workers at most, must have room for all other workers.
          const double strips_left = across - static_cast<double>(cut.strips + 1);
          if (cost_s < best[end][to].cost_s && static_cast<double>(n - end) <= strips_left * along)
            best[end][to] = {cost_s, begin, cut.strips + 1};
        };
        for (std::size_t b = 0; b < strips; ++b) extend(b, b + 1);
        extend(strips + 1, strips + 1);
      }
    }
    std::vector<Tiling> tilings;
    const auto add = [&](std::size_t b) {
      std::vector<std::size_t> borders{n};
      for (std::size_t end = n; end > 0; borders.push_back(end)) {
        end = best[end][b].begin;
        if (b <= strips) --b;
      }
      tilings.push_back(make_tiling(order, before, {borders.rbegin(), borders.rend()}));
    };
    const auto first = best[n].begin() + 1;
    const auto least =
        std::min_element(first, first + static_cast<std::ptrdiff_t>(strips),
                         [](const Cut& x, const Cut& y) { return x.cost_s < y.cost_s; });
    if (least->cost_s < kInfinity) add(static_cast<std::size_t>(least - best[n].begin()));
    if (best[n].back().cost_s < kInfinity) add(strips + 1);
    return tilings;
  }

 private:
  /// The last strip of the cheapest division of some workers into strips.
  struct Cut {
    double cost_s = kInfinity;  ///< of all strips
    std::size_t begin = 0;      ///< the first worker of the last strip
    std::size_t strips = 0;
  };

  /// Returns the tiling whose strips have the workers between two `borders` each; before[i] is the
  /// area of those before worker i.
  Tiling make_tiling(const std::vector<int>& order, const std::vector<double>& before,
                     const std::vector<std::size_t>& borders) const {
    Tiling tiling{.of_rows = of_rows_, .strips = {}};
    std::vector<double> widths;
    for (std::size_t b = 0; b + 1 < borders.size(); ++b) {
      std::vector<double> shares;
      for (std::size_t i = borders[b]; i < borders[b + 1]; ++i)
        shares.push_back(before[i + 1] - before[i]);
      const auto heights = round_shares(shares, of_rows_ ? problem_.s : problem_.r);
      Strip& strip = tiling.strips.emplace_back();
      for (std::size_t i = 0; i < heights.size(); ++i)
        strip.parts.push_back({order[borders[b] + i], heights[i]});
      widths.push_back(before[borders[b + 1]] - before[borders[b]]);
    }
    const auto rounded = round_shares(widths, of_rows_ ? problem_.r : problem_.s);
    for (std::size_t i = 0; i < rounded.size(); ++i) tiling.strips[i].width = rounded[i];
    return tiling;
  }

  double part_port_s(int worker, double height, double width) const {
    const auto h = std::max<std::int64_t>(1, std::llround(height));
    const auto v = std::max<std::int64_t>(1, std::llround(width));
    const PartCost cost =
        of_rows_ ? estimator_.estimate_part(worker, v, h) : estimator_.estimate_part(worker, h, v);
    return cost.port_s + cost.link_s;
  }

  const Problem& problem_;
  const Estimator& estimator_;
  bool of_rows_;
};

/// A set of enrolled workers and their loads.
struct Enrolment {
  double makespan_s;
  std::vector<int> workers;  ///< in descending order of their loads
  PerWorker<double> loads;   ///< areas of C in blocks
};

/// Returns enrolments of the first workers in three orders (port time per update, computation per
/// update, and their product), in ascending order of their makespans.
std::vector<Enrolment> make_enrolments(const Platform& platform, const Problem& problem,
                                       const Estimator& estimator) {
  const AreaDivider divider(platform, problem, estimator);
  std::vector<Enrolment> found;
  const std::size_t p = platform.workers.size();
  // Every count up to 16, then growing steps.
  for (std::size_t count = 1; count <= p; count += 1 + count / 16) {
    const auto lines = divider.fit_lines(count);
    if (lines.empty()) break;
    for (int order = 0; order < 3; ++order) {
      const auto key = [&](const CostLine& line) {
        const double mean = line.per_area_s + line.fixed_s * static_cast<double>(count) /
                                                  static_cast<double>(problem.r * problem.s);
        const double worker_s = std::max(line.compute_s, line.link_s);
        return order == 0 ? mean : order == 1 ? worker_s : mean * worker_s;
      };
      std::vector<CostLine> chosen = lines;
      std::stable_sort(chosen.begin(), chosen.end(),
                       [&](const CostLine& x, const CostLine& y) { return key(x) < key(y); });
      if (chosen.size() > count) chosen.resize(count);
      Enrolment enrolment;
      enrolment.makespan_s = divider.divide(chosen, enrolment.loads);
      for (const CostLine& line : chosen) {
        if (enrolment.loads[line.worker] > 0) {
          enrolment.workers.push_back(line.worker);
        }
      }
      std::stable_sort(enrolment.workers.begin(), enrolment.workers.end(),
                       [&](int x, int y) { return enrolment.loads[x] > enrolment.loads[y]; });
      found.push_back(std::move(enrolment));
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Enrolment& x, const Enrolment& y) {
    return x.makespan_s < y.makespan_s;
  });
  return found;
}

}  // namespace

Estimator::Estimator(const Platform& platform, const Problem& problem, const ModeOptions& options)
    : modes(options), platform_(&platform), problem_(&problem) {
  lags_s.resize(platform.workers.size());
  cache_.resize(std::size_t{1} << kHashBits);
}

PartCost Estimator::estimate_part(int worker, std::int64_t rows, std::int64_t columns,
                                  std::int64_t length, bool receives_c) const {
  ++operations;
  const auto hash = static_cast<std::uint64_t>(((worker * 31 + rows) * 1009 + columns) * 1013 +
                                               2 * length + (receives_c ? 1 : 0));
  CacheEntry& entry = cache_[hash * 0x9E3779B97F4A7C15 >> (64 - kHashBits)];
  if (entry.worker != worker || entry.rows != rows || entry.columns != columns ||
      entry.length != length || entry.receives_c != receives_c ||
      entry.prefetch != modes.prefetch) {
    entry = {worker,
             modes.prefetch,
             receives_c,
             rows,
             columns,
             length,
             compute_part(worker, rows, columns, length, receives_c)};
  }
  return entry.cost;
}

PartCost Estimator::compute_part(int worker, std::int64_t rows, std::int64_t columns,
                                 std::int64_t length, bool receives_c) const {
  const Worker& figures = platform_->workers[worker];
  Problem problem = *problem_;
  problem.t = length;
  const Mode mode = find_cheapest_mode(figures, problem, rows, columns, modes);
  PartCost cost{.port_s = std::numeric_limits<double>::infinity(),
                .update_s = typical_update_s(figures, mode)};
  if (mode.kind != Mode::Kind::none) {
    const Port& port = platform_->port;
    const auto area = static_cast<double>(rows * columns);
    const double blocks = mode.blocks - (receives_c ? 0 : area);
    cost.port_s = blocks * figures.c_s + static_cast<double>(mode.messages) * figures.latency_s;
    if (port.kind == Port::Kind::two) {  // C returns through a port of its own
      cost.port_s -= area * figures.c_s;
    } else if (port.kind == Port::Kind::multi) {
      cost.link_s = std::max(cost.port_s, blocks * port.c_s);
      cost.port_s = blocks * port.c_s;
      if (port.max_transfers > 0)
        cost.port_s = std::max(cost.port_s, cost.link_s / static_cast<double>(port.max_transfers));
    }
  }
  return cost;
}

StripCost Estimator::estimate_strip(const Tiling& tiling, const Strip& strip, Lags lags) const {
  StripCost cost;
  for (const Part& part : strip.parts) {
    const std::int64_t rows = tiling.of_rows ? strip.width : part.height;
    const std::int64_t columns = tiling.of_rows ? part.height : strip.width;
    const PartCost part_cost = estimate_part(part.worker, rows, columns);
    cost.port_s += part_cost.port_s;
    const double compute_s = static_cast<double>(rows * columns * problem_->t) * part_cost.update_s;
    cost.longest_s = std::max({cost.longest_s, part_cost.link_s,
                               compute_s + (lags == Lags::included ? lags_s[part.worker] : 0)});
  }
  return cost;
}

double Estimator::makespan_s(const Tiling& tiling, Lags lags) const {
  StripCost total;
  for (const Strip& strip : tiling.strips) {
    const StripCost cost = estimate_strip(tiling, strip, lags);
    total = {total.port_s + cost.port_s, std::max(total.longest_s, cost.longest_s)};
  }
  return std::max(total.port_s, total.longest_s);
}

Tiling anneal(const Tiling& from, const std::vector<int>& idle, const Estimator& estimator,
              const Problem& problem, std::int64_t operations, bool several_strips,
              RandomGenerator& random) {
  EstimatedTiling current(estimator, from, idle);
  EstimatedTiling changed = current;
  Tiling best = from;
  double best_cost = current.cost();
  double cost = best_cost;
  const std::int64_t begin = estimator.operations;
  while (estimator.operations - begin < operations) {
    const double left =
        1 - static_cast<double>(estimator.operations - begin) / static_cast<double>(operations);
    estimator.operations += 1 + static_cast<std::int64_t>(current.tiling().enrolled() / 8);
    const ChangedStrips strips = changed.change(problem, random);
    const double new_cost = changed.cost();
    if (!strips.changed || new_cost > cost * (1 + 0.03 * left * left) ||
        (!several_strips && changed.tiling().strips.size() > 1)) {
      changed.copy_changes(current, strips);
      continue;
    }
    current.copy_changes(changed, strips);
    cost = new_cost;
    if (cost < best_cost) {
      best_cost = cost;
      best = current.tiling();
    }
  }
  return best;
}

std::vector<Tiling> make_initial_tilings(const Platform& platform, const Problem& problem,
                                         const Estimator& estimator, std::size_t count,
                                         bool several_strips) {
  std::vector<std::pair<double, Tiling>> found;
  std::vector<std::vector<int>> seen;
  for (const Enrolment& enrolment : make_enrolments(platform, problem, estimator)) {
    if (seen.size() >= std::max<std::size_t>(2, count)) break;
    if (std::find(seen.begin(), seen.end(), enrolment.workers) != seen.end()) continue;
    seen.push_back(enrolment.workers);
    for (const bool of_rows : {false, true}) {
      const StripCutter cutter(problem, estimator, of_rows);
      for (Tiling& tiling :
           cutter.cut(enrolment.workers, enrolment.loads, several_strips ? kMaxStrips : 1)) {
        if (!several_strips && tiling.strips.size() > 1) continue;
        balance(tiling, estimator, problem);
        found.emplace_back(estimator.makespan_s(tiling), std::move(tiling));
      }
    }
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  if (found.size() > count) found.resize(count);
  std::vector<Tiling> tilings;
  for (auto& [cost, tiling] : found) tilings.push_back(std::move(tiling));
  return tilings;
}

}  // namespace starport::polaris
