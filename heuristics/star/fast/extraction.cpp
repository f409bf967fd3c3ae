// Hom and HomI on large platforms: the best virtual platform without trying every candidate.
#include "heuristics/star/fast/large_platforms.hpp"
#include "sim/files/numbers.hpp"
#include "sim/platform/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace starport::fast {

namespace {

/// Returns Hom's candidates, one for each memory, from prefix maxima over the sorted workers.
std::vector<VirtualPlatform> list_by_memory(const Platform& platform) {
  PerWorker<Worker> workers = platform.workers;
  std::sort(workers.begin(), workers.end(),
            [](const Worker& x, const Worker& y) { return x.m_blocks > y.m_blocks; });
  std::vector<VirtualPlatform> candidates;
  Worker worst;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    worst = {.c_s = std::max(worst.c_s, workers[i].c_s),
             .w_s = std::max(worst.w_s, workers[i].w_s),
             .m_blocks = workers[i].m_blocks,
             .latency_s = std::max(worst.latency_s, workers[i].latency_s)};
    if (i + 1 < workers.size() && workers[i + 1].m_blocks == worst.m_blocks) continue;
    candidates.emplace_back(worst, static_cast<std::int64_t>(i) + 1);
  }
  return candidates;
}

/// HomI by branch and bound over boxes, which are ranges of M, C and W. A box is split in two until
/// its best possible candidate is not good enough, or is an actual candidate.
///
/// For fixed side mu and P, estimate_makespan_s() does not decrease as C, W or the latency grows,
/// not even by rounding: it only adds them, multiplies them by non-negative numbers and takes
/// maxima. So no candidate of a box is better than the corner of least C and W, taken with the
/// workers that every triple of the box admits. If the box leaves no choice of mu, P and latency,
/// that corner with the smallest M represents the box, as ties are decided by P, then mu, M, C and
/// W.
///
/// Phase 1 finds the least estimate, depth first. If that takes long, it searches repeatedly for an
/// estimate below a limit: a limit close to the least estimate prunes most boxes. The limit is
/// raised if there is none below it, and lowered if the search takes long. Phase 2, needed only if
/// other candidates may be near the least, searches for the preferred one among those not clearly
/// greater.
class BoxSearch {
 public:
  BoxSearch(const Platform& platform, const Problem& problem)
      : problem_(&problem),
        memories_(distinct_values(platform, &Worker::m_blocks)),
        links_(distinct_values(platform, &Worker::c_s)),
        speeds_(distinct_values(platform, &Worker::w_s)) {
    const auto side_of = [](std::int64_t blocks) { return kOptimizedOverlapped.side(blocks); };
    std::erase_if(memories_, [&](std::int64_t m_blocks) { return side_of(m_blocks) == 0; });
    std::reverse(memories_.begin(), memories_.end());
    for (const std::int64_t m_blocks : memories_) sides_.push_back(side_of(m_blocks));
    for (const Worker& worker : platform.workers) {
      if (side_of(worker.m_blocks) == 0) continue;
      kinds_.push_back({.properties = {index_of(memories_, worker.m_blocks, std::greater<>()),
                                       index_of(links_, worker.c_s), index_of(speeds_, worker.w_s)},
                        .workers = {1, worker.latency_s}});
    }
    merge_equal_kinds();
  }

  ExtractionResult run(double max_splits) {
    left_ = max_splits;
    const double floor_s = find_least();
    if (floor_s < least_s_) return {best_, 1 - floor_s / least_s_};
    if (clearly_less(least_s_, std::min(second_s_, unseen_s_))) return {best_};
    by_preference_ = true;
    if (search_below(least_s_, left_)) return {best_};
    return {best_, 0};
  }

 private:
  /// Indices of a memory, a link and a speed; index 0 of each admits the fewest workers.
  using Triple = std::array<std::int32_t, 3>;

  /// A set of workers: their number and largest latency.
  struct WorkerSet {
    std::int64_t size = 0;
    double latency_s = 0;

    void add(const WorkerSet& more) {
      size += more.size;
      latency_s = std::max(latency_s, more.latency_s);
    }
  };
  /// Workers with the same memory, link and speed.
  struct Kind {
    Triple properties;
    WorkerSet workers;
  };
  /// A range of thresholds, from one triple to another, with bounds on what they admit and on their
  /// estimates.
  struct Box {
    Triple low = {};
    Triple high = {};
    WorkerSet fewest = {};  ///< workers that all triples of the box admit
    WorkerSet most = {};    ///< workers that some triple admits
    std::size_t begin = 0;  ///< range in kinds_ of those that some triples admit
    std::size_t end = 0;
    std::array<std::int64_t, 3> doubtful =
        {};                           ///< of these, workers beyond the first memory, link, speed
    VirtualPlatform ideal = {{}, 0};  ///< no candidate of the box is preferred to it
    std::int64_t most_enrolled = 0;
    double bound_s = 0;  ///< lower bound on the estimates
  };

  template <class Value, class Order = std::less<>>
  static std::int32_t index_of(const std::vector<Value>& values, Value value, Order order = {}) {
    return static_cast<std::int32_t>(std::lower_bound(values.begin(), values.end(), value, order) -
                                     values.begin());
  }
  static bool admits(const Triple& thresholds, const Triple& properties) {
    return properties[0] <= thresholds[0] && properties[1] <= thresholds[1] &&
           properties[2] <= thresholds[2];
  }
  Worker worker(std::int32_t memory, std::int32_t link, std::int32_t speed,
                double latency_s) const {
    return {.c_s = links_[link],
            .w_s = speeds_[speed],
            .m_blocks = memories_[memory],
            .latency_s = latency_s};
  }

  void merge_equal_kinds() {
    if (kinds_.empty()) return;
    std::sort(kinds_.begin(), kinds_.end(),
              [](const Kind& x, const Kind& y) { return x.properties < y.properties; });
    auto last = kinds_.begin();
    for (auto kind = last + 1; kind < kinds_.end(); ++kind) {
      if (kind->properties == last->properties) {
        last->workers.add(kind->workers);
      } else {
        *++last = *kind;
      }
    }
    kinds_.erase(last + 1, kinds_.end());
  }

  /// Phase 1. Returns the least estimate, or a lower bound on it if the splits run out.
  double find_least() {
    constexpr double near = 1 + 1e-4;
    constexpr double half = 0.5;
    double splits = left_ / 1e3;
    double share = half;  // fraction of the way from the floor to the least known estimate
    double floor_s = 0;
    for (double limit_s = kUnknown;;) {
      const bool is_complete = search_below(limit_s, splits);
      floor_s = std::max(floor_s, std::min(unseen_s_, limit_s_));
      if (left_ <= 0 || (is_complete && limit_s_ == least_s_)) return floor_s;
      if (is_complete) {
        share = std::min(half, 2 * share);
      } else {
        share /= 4;
        splits *= 4;
      }
      const double times = least_s_ / floor_s;
      limit_s = share == half && times < near ? least_s_ : floor_s * std::pow(times, share);
    }
  }

  /// Searches all boxes that may have an estimate below `limit_s`. Returns false if that takes more
  /// than `splits` splits.
  bool search_below(double limit_s, double splits) {
    limit_s_ = limit_s;
    second_s_ = kUnknown;
    unseen_s_ = kUnknown;
    spare_ = left_ - std::min(left_, splits);
    const std::size_t size = kinds_.size();
    const auto last = [](const auto& values) {
      return static_cast<std::int32_t>(values.size()) - 1;
    };
    search(make_box({.high = {last(memories_), last(links_), last(speeds_)}, .end = size}));
    kinds_.resize(size);
    return unseen_s_ == kUnknown;
  }

  void search(const Box& box) {
    if (box.most.size == 0 || excludes(box.ideal, box.bound_s)) return;
    if (has_one_side(box) && box.most_enrolled == box.ideal.enrolled && box.fewest.size > 0 &&
        box.fewest.latency_s == box.most.latency_s) {
      return accept(box.ideal, box.bound_s);
    }
    if (left_ <= spare_) {
      unseen_s_ = std::min(unseen_s_, by_preference_ ? least_s_ : box.bound_s);
      return;
    }
    --left_;
    const auto [memory, link, speed] = box.high;
    const VirtualPlatform corner(worker(memory, link, speed, box.most.latency_s), box.most.size);
    const double corner_s = estimate_makespan_s(corner, *problem_);
    if (!excludes(corner, corner_s)) accept(corner, corner_s);

    const std::size_t size = kinds_.size();
    const std::size_t dimension = widest_dimension(box);
    Box first = box;
    Box second = box;
    first.high[dimension] = box.low[dimension] + (box.high[dimension] - box.low[dimension]) / 2;
    second.low[dimension] = first.high[dimension] + 1;
    first = make_box(first);
    second = make_box(second);
    const bool is_second_better =
        by_preference_ ? second.ideal.is_preferred_to(first.ideal) : second.bound_s < first.bound_s;
    if (is_second_better) std::swap(first, second);
    search(first);
    search(second);
    kinds_.resize(size);
  }

  /// Returns true if a box with this best candidate and bound need not be searched.
  bool excludes(const VirtualPlatform& ideal, double bound_s) {
    if (by_preference_) return clearly_less(least_s_, bound_s) || !ideal.is_preferred_to(best_);
    if (bound_s < limit_s_) return false;
    if (ideal.is_preferred_to(best_)) second_s_ = std::min(second_s_, bound_s);
    return true;
  }
  /// Replaces the best candidate.
  void accept(const VirtualPlatform& candidate, double estimate) {
    best_ = candidate;
    if (by_preference_) return;
    second_s_ = std::exchange(limit_s_, estimate);
    least_s_ = estimate;
  }

  bool has_one_side(const Box& box) const { return sides_[box.low[0]] == sides_[box.high[0]]; }

  /// Returns the dimension (0 M, 1 C, 2 W) whose ends differ most in their effect on the estimate
  /// and P.
  std::size_t widest_dimension(const Box& box) const {
    const std::array<double, 3> ratios{
        static_cast<double>(sides_[box.high[0]]) / static_cast<double>(sides_[box.low[0]]),
        links_[box.low[1]] / links_[box.high[1]], speeds_[box.low[2]] / speeds_[box.high[2]]};
    std::array<double, 3> widths{};
    for (std::size_t d = 0; d < 3; ++d) {
      if (box.low[d] == box.high[d]) continue;
      widths[d] = 1 + (1 - ratios[d]) +
                  static_cast<double>(box.doubtful[d]) / static_cast<double>(box.most.size);
    }
    return static_cast<std::size_t>(std::max_element(widths.begin(), widths.end()) -
                                    widths.begin());
  }

  /// Completes a box from its corners. `begin` and `end` must be those of the box that it is part
  /// of.
  Box make_box(Box box) {
    const std::size_t begin = std::exchange(box.begin, kinds_.size());
    box.most = {};
    box.doubtful = {};
    for (std::size_t i = begin; i < box.end; ++i) {
      const Kind kind = kinds_[i];
      if (!admits(box.high, kind.properties)) continue;
      if (admits(box.low, kind.properties)) {
        box.fewest.add(kind.workers);
        continue;
      }
      box.most.add(kind.workers);
      for (std::size_t d = 0; d < 3; ++d) {
        if (kind.properties[d] > box.low[d]) box.doubtful[d] += kind.workers.size;
      }
      kinds_.push_back(kind);
    }
    box.end = kinds_.size();
    box.most.add(box.fewest);
    if (box.most.size == 0) return box;
    box.ideal = {worker(box.high[0], box.low[1], box.low[2], box.fewest.latency_s), 0};
    box.ideal.enrolled =
        saturating_workers(box.ideal.side, links_[box.high[1]], box.ideal.worker.w_s,
                           std::max<std::int64_t>(1, box.fewest.size));
    box.ideal.side = sides_[box.low[0]];
    box.most_enrolled = saturating_workers(box.ideal.side, box.ideal.worker.c_s,
                                           speeds_[box.high[2]], box.most.size);
    box.bound_s = bound_s(box);
    return box;
  }

  /// Returns a lower bound on the estimates of the box; the estimate of its ideal if the box leaves
  /// one mu and one P.
  double bound_s(const Box& box) const {
    const auto& [r, s, t, block_size] = *problem_;
    const std::int64_t side = box.ideal.side;
    const std::int64_t least_side = sides_[box.high[0]];
    // Workers beyond the number of panels make no difference.
    const std::int64_t most = std::min(box.most_enrolled, ceil_div(s, least_side));
    double bound_s = 0;
    if (side > least_side) {
      const std::int64_t columns = std::max(ceil_div(s, most), std::min(s, least_side));
      bound_s = rows_bound_s(box.ideal, most, columns, r, ceil_div(r, side));
    } else {
      // With any P of the box, there are at least `rounds` full rounds of at least `columns`
      // columns, and at least min(left, columns) columns besides.
      VirtualPlatform fewest = box.ideal;
      fewest.enrolled = std::min(fewest.enrolled, ceil_div(s, side));
      const std::int64_t columns = fewest.enrolled * side;
      const std::int64_t rounds = s / (most * side);
      const std::int64_t left = s - rounds * most * side;
      Problem shorter = *problem_;
      shorter.s = rounds * columns + std::min(left, columns);
      bound_s = estimate_makespan_s(fewest, shorter);
      if (fewest.enrolled == most) return bound_s;
      const std::int64_t first_columns = rounds * side + std::min(left, side);
      double whole_s = 0;
      if (r >= side)
        whole_s += rows_bound_s(box.ideal, most, first_columns, r - r % side, r / side);
      if (r % side > 0) whole_s += rows_bound_s(box.ideal, most, first_columns, r % side, 1);
      bound_s = std::max(bound_s, whole_s);
    }
    return bound_s * (1 - 1e-14);  // more than rounding errors
  }

  /// Returns a lower bound on the time for `rows` block rows of C in `chunk_rows` rows of chunks:
  /// the transfers of the chunks both ways, plus the longer of the port sending all steps, and the
  /// first worker receiving a step and computing its columns in each row of chunks.
  double rows_bound_s(const VirtualPlatform& ideal, std::int64_t most, std::int64_t first_columns,
                      std::int64_t rows, std::int64_t chunk_rows) const {
    const auto transfers_s = [&](std::int64_t count, std::int64_t blocks) {
      return static_cast<double>(count) * ideal.worker.latency_s +
             static_cast<double>(blocks) * ideal.worker.c_s;
    };
    const auto t = static_cast<double>(problem_->t);
    const std::int64_t s = problem_->s;
    const std::int64_t panels = ceil_div(s, ideal.side);
    const std::int64_t rounds = ceil_div(panels, most);
    const double chunks_s = transfers_s(chunk_rows * panels, rows * s);
    const double steps_s = t * transfers_s(chunk_rows * panels, rows * panels + chunk_rows * s);
    const double first_step_s =
        transfers_s(chunk_rows * rounds, rows * rounds + chunk_rows * first_columns);
    const double updates_s = t * static_cast<double>(rows * first_columns) * ideal.worker.w_s;
    return 2 * chunks_s + std::max(steps_s, first_step_s + updates_s);
  }

  const Problem* problem_;
  std::vector<std::int64_t> memories_;  ///< distinct memories with room for a chunk, decreasing
  std::vector<std::int64_t> sides_;     ///< chunk sides of these memories
  std::vector<double> links_;           ///< distinct c
  std::vector<double> speeds_;          ///< distinct w
  std::vector<Kind> kinds_;  ///< all kinds, then those of the boxes being searched (a stack)

  bool by_preference_ = false;  ///< phase 2
  VirtualPlatform best_{{}, 0};
  double least_s_ = kUnknown;   ///< least estimate
  double limit_s_ = kUnknown;   ///< estimates from here on are not searched
  double second_s_ = kUnknown;  ///< lower bound of excluded candidates preferred to the best
  double left_ = 0;             ///< splits left in all phases
  double spare_ = 0;            ///< of these, to keep for later searches
  double unseen_s_ = kUnknown;  ///< lower bound on the boxes that were not searched
};

}  // namespace

ExtractionResult find_best_virtual_platform(const Platform& platform, const Problem& problem,
                                            Thresholds thresholds, double max_splits) {
  if (thresholds == Thresholds::all) return BoxSearch(platform, problem).run(max_splits);
  if (thresholds == Thresholds::memory) return {find_best(list_by_memory(platform), problem)};
  return {starport::find_best_virtual_platform(platform, problem, thresholds)};
}

Plan plan_extraction(Thresholds thresholds, const Platform& real, const Problem& problem) {
  Platform platform = real;
  for (Worker& worker : platform.workers) worker = at_chunk_size(worker, kOptimizedOverlapped);
  const ExtractionResult extraction =
      fast::find_best_virtual_platform(platform, problem, thresholds);
  Plan plan = plan_on_virtual_platform(extraction.best, platform, problem);
  if (extraction.unproven_gain) {
    plan.details.emplace_back(
        "thresholds",
        *extraction.unproven_gain > 0
            ? fmt::format("not all were tried; one with an estimate lower by up to {:.2g} % "
                          "may exist",
                          100 * *extraction.unproven_gain)
            : "not all candidates with the same estimate were compared");
  }
  return plan;
}

}  // namespace starport::fast
