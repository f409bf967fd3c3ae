#include "heuristics/star/polaris/initial_tilings.hpp"

#include "heuristics/star/polaris/balance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace starport::polaris {
namespace {

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

  /// Returns two tilings in which the workers, in this order, get areas in proportion to their
  /// `loads`: the best of at most `max_strips` strips, if there is one, and the best of all, which
  /// is often the same. If workers outnumber the columns (or rows) that strips divide, the second
  /// need not be the very best. None if there are more workers than blocks of C.
  std::vector<Tiling> cut(const std::vector<int>& order, const std::vector<double>& loads,
                          std::size_t max_strips) const {
    const std::size_t n = order.size();
    const auto across = static_cast<double>(of_rows_ ? problem_.r : problem_.s);
    const auto along = static_cast<double>(of_rows_ ? problem_.s : problem_.r);
    const double area = across * along;
    const double total = std::accumulate(loads.begin(), loads.end(), 0.0);
    std::vector<double> before(n + 1, 0.0);
    for (std::size_t i = 0; i < n; ++i) before[i + 1] = before[i] + loads[i] * area / total;
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
  std::vector<int> workers;   ///< in descending order of their loads
  std::vector<double> loads;  ///< their areas of C in blocks
};

/// Returns enrolments of the first workers in three orders (port time per update, computation per
/// update, and their product), in ascending order of their makespans.
std::vector<Enrolment> make_enrolments(const Platform& platform, const Problem& problem,
                                       const Estimator& estimator) {
  const AreaDivider divider(platform, problem, estimator);
  std::vector<Enrolment> found;
  PerWorker<double> loads;
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
      enrolment.makespan_s = divider.divide(chosen, loads);
      for (const CostLine& line : chosen) {
        if (loads[line.worker] > 0) enrolment.workers.push_back(line.worker);
      }
      std::stable_sort(enrolment.workers.begin(), enrolment.workers.end(),
                       [&](int x, int y) { return loads[x] > loads[y]; });
      for (const int worker : enrolment.workers) enrolment.loads.push_back(loads[worker]);
      found.push_back(std::move(enrolment));
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Enrolment& x, const Enrolment& y) {
    return x.makespan_s < y.makespan_s;
  });
  return found;
}

}  // namespace

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
