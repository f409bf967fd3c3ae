#include "heuristics/star/polaris/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::polaris {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostStrips = 8;
constexpr std::size_t kMostWeighed = 48;  ///< workers; with more, the shapes of parts alone count

/// The traffic of one worker for an area of C, as a line through two rectangles.
struct Line {
  int worker;
  double fixed_s;     ///< of the port
  double per_area_s;  ///< of the port
  double compute_s;   ///< per area
};

/// Shares C out between workers, so that port and computations end as early as possible.
class Filling {
 public:
  Filling(const Platform& platform, const Problem& problem, const Estimator& estimator)
      : platform_(platform),
        problem_(problem),
        estimator_(estimator),
        area_(static_cast<double>(problem.r * problem.s)) {}

  /// Lines for so many enrolled; a worker that cannot take part has none.
  std::vector<Line> lines(std::size_t enrolled) const {
    std::vector<Line> lines;
    const auto count = static_cast<std::int64_t>(enrolled);
    const auto shape = [&](std::int64_t workers) {  // near a square, of that share of C
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
      const double p1 = estimator_.part(worker, h1, v1).port_s;
      const auto [p2, update_s] = estimator_.part(worker, h2, v2);
      if (!(p2 < kInfinity) || !(p1 < kInfinity)) continue;
      const double slope = a2 > a1 ? std::max((p2 - p1) / (a2 - a1), 0.25 * p2 / a2) : p2 / a2;
      lines.push_back({worker, std::max(0.0, p2 - slope * a2), slope,
                       static_cast<double>(problem_.t) * update_s});
    }
    return lines;
  }

  /// The least T for these workers, the cheapest on the port filled first.
  double fill(std::vector<Line> chosen, PerWorker<double>& loads) const {
    std::sort(chosen.begin(), chosen.end(), [](const Line& x, const Line& y) {
      return x.per_area_s != y.per_area_s ? x.per_area_s < y.per_area_s : x.worker < y.worker;
    });
    double low = 0;
    double high = kInfinity;
    double t = area_ * std::max(chosen.front().compute_s, chosen.front().per_area_s);
    for (int i = 0; i < 60 && (high == kInfinity || high - low > 1e-4 * high); ++i) {
      const bool enough = port_end_s(chosen, t, loads) <= t;
      (enough ? high : low) = t;
      t = high == kInfinity ? 2 * t : low + (high - low) / 2;
    }
    port_end_s(chosen, high, loads);
    return high;
  }

 private:
  /// The port's time when each computes no longer than T; infinite when C is not covered.
  double port_end_s(const std::vector<Line>& chosen, double t, PerWorker<double>& loads) const {
    loads.assign(platform_.workers.size(), 0.0);
    double left = area_;
    double port = 0;
    for (const Line& line : chosen) {
      const double lag = estimator_.lags_s[line.worker];
      const double part = std::min(left, std::max(0.0, t - lag) / line.compute_s);
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

/// The dynamic program over contiguous groups of an order (after PERI-SUM, Beaumont, Boudet,
/// Rastello and Robert 2001): least port time with at most kMostStrips strips.
class StripCutter {
 public:
  StripCutter(const Problem& problem, const Estimator& estimator, bool of_rows)
      : problem_(problem), estimator_(estimator), of_rows_(of_rows) {}

  Tiling cut(const std::vector<int>& order, const PerWorker<double>& loads,
             std::size_t most_strips) const {
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
    const auto strips = std::min({most_strips, n, static_cast<std::size_t>(across)});
    std::vector<std::vector<double>> best(strips + 1, std::vector<double>(n + 1, kInfinity));
    std::vector<std::vector<std::size_t>> from(strips + 1, std::vector<std::size_t>(n + 1, 0));
    best[0][0] = 0;
    for (std::size_t end = 1; end <= n; ++end) {
      for (std::size_t begin = end; begin-- > 0;) {
        if (static_cast<double>(end - begin) > along) break;
        const double width = (before[end] - before[begin]) / along;
        double group = along + static_cast<double>(end - begin) * width;
        if (n <= kMostWeighed) {
          group = 0;
          for (std::size_t i = begin; i < end; ++i) {
            group += part_s(order[i], (before[i + 1] - before[i]) / width, width);
          }
        }
        for (std::size_t b = 0; b < strips; ++b) {
          if (best[b][begin] + group < best[b + 1][end]) {
            best[b + 1][end] = best[b][begin] + group;
            from[b + 1][end] = begin;
          }
        }
      }
    }
    std::size_t b = strips;
    for (std::size_t k = 1; k <= strips; ++k) {
      if (best[k][n] < best[b][n]) b = k;
    }
    Tiling tiling{.of_rows = of_rows_, .strips = {}};
    if (!(best[b][n] < kInfinity)) return tiling;
    std::vector<double> widths;
    for (std::size_t end = n; b > 0; --b) {
      const std::size_t begin = from[b][end];
      Strip strip;
      std::vector<double> shares;
      for (std::size_t i = begin; i < end; ++i) shares.push_back(before[i + 1] - before[i]);
      const auto heights = rounded(shares, static_cast<std::int64_t>(along));
      for (std::size_t i = begin; i < end; ++i) {
        strip.parts.push_back({order[i], heights[i - begin]});
      }
      tiling.strips.insert(tiling.strips.begin(), strip);
      widths.insert(widths.begin(), before[end] - before[begin]);
      end = begin;
    }
    const auto whole = rounded(widths, static_cast<std::int64_t>(across));
    for (std::size_t i = 0; i < whole.size(); ++i) tiling.strips[i].width = whole[i];
    return tiling;
  }

 private:
  double part_s(int worker, double height, double width) const {
    const auto h = std::max<std::int64_t>(1, std::llround(height));
    const auto v = std::max<std::int64_t>(1, std::llround(width));
    return (of_rows_ ? estimator_.part(worker, v, h) : estimator_.part(worker, h, v)).port_s;
  }

  const Problem& problem_;
  const Estimator& estimator_;
  bool of_rows_;
};

struct Enrolment {
  double makespan_s;
  std::vector<int> workers;  ///< by load, the largest first
  PerWorker<double> loads;
};

/// Prefixes of several orders of the workers.
std::vector<Enrolment> enrolments(const Platform& platform, const Problem& problem,
                                  const Estimator& estimator) {
  const Filling filling(platform, problem, estimator);
  std::vector<Enrolment> found;
  const std::size_t p = platform.workers.size();
  // All the counts, or some where there are many workers.
  for (std::size_t count = 1; count <= p; count += 1 + count / 16) {
    const auto lines = filling.lines(count);
    if (lines.empty()) break;
    for (int order = 0; order < 3; ++order) {
      const auto key = [&](const Line& line) {
        const double mean = line.per_area_s + line.fixed_s * static_cast<double>(count) /
                                                  static_cast<double>(problem.r * problem.s);
        return order == 0 ? mean : order == 1 ? line.compute_s : mean * line.compute_s;
      };
      std::vector<Line> chosen = lines;
      std::stable_sort(chosen.begin(), chosen.end(),
                       [&](const Line& x, const Line& y) { return key(x) < key(y); });
      if (chosen.size() > count) chosen.resize(count);
      Enrolment enrolment;
      enrolment.makespan_s = filling.fill(chosen, enrolment.loads);
      for (const Line& line : chosen) {
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

std::vector<Tiling> first_tilings(const Platform& platform, const Problem& problem,
                                  const Estimator& estimator, std::size_t count,
                                  bool several_strips) {
  std::vector<std::pair<double, Tiling>> found;
  std::vector<std::vector<int>> seen;
  for (const Enrolment& enrolment : enrolments(platform, problem, estimator)) {
    if (seen.size() >= std::max<std::size_t>(2, count)) break;
    if (std::find(seen.begin(), seen.end(), enrolment.workers) != seen.end()) continue;
    seen.push_back(enrolment.workers);
    for (const bool of_rows : {false, true}) {
      const StripCutter cutter(problem, estimator, of_rows);
      for (std::size_t strips : {kMostStrips, enrolment.workers.size()}) {
        if (!several_strips) strips = 1;
        Tiling tiling = cutter.cut(enrolment.workers, enrolment.loads, strips);
        if (tiling.strips.empty()) continue;
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
