#include "heuristics/star/fast/for_many.hpp"
#include "sim/files/numbers.hpp"
#include "sim/platform/ties.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace starport::fast {

namespace {

std::vector<VirtualPlatform> of_each_memory(const Platform& platform) {
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

/// HomI by branch and bound: boxes, which are ranges of M, C and W, are halved until what a box
/// could hold at best is not good enough, or is known.
///
/// For one side mu and one P, estimate_s does not fall as C, W or the latency grows, not even by
/// rounding: all it does with them is to add, to multiply by what is not negative and to take the
/// larger. So nothing in a box is better than its corner of least C and W, with whom all of the box
/// admit; and where the box leaves no choice of mu, P and latency, that corner, with the smallest
/// M, is what is taken of the box, as among equals P comes first, then mu, M, C and W.
///
/// The least estimate is found first, depth first. Where that takes long, an estimate less than
/// some limit is looked for, again and again: what is below a limit near the least is soon looked
/// through. A limit is raised where there is none, lowered where that takes long. Then, where
/// others were near the least, boxes are looked at again for the one preferred among those that are
/// not clearly more.
class BoxSearch {
 public:
  BoxSearch(const Platform& platform, const Problem& problem)
      : problem_(&problem),
        memories_(distinct(platform, &Worker::m_blocks)),
        links_(distinct(platform, &Worker::c_s)),
        speeds_(distinct(platform, &Worker::w_s)) {
    const auto side_of = [](std::int64_t blocks) { return kOptimizedOverlapped.side(blocks); };
    std::erase_if(memories_, [&](std::int64_t m_blocks) { return side_of(m_blocks) == 0; });
    std::reverse(memories_.begin(), memories_.end());
    for (const std::int64_t m_blocks : memories_) sides_.push_back(side_of(m_blocks));
    for (const Worker& worker : platform.workers) {
      if (side_of(worker.m_blocks) == 0) continue;
      kinds_.push_back({.figures = {number(memories_, worker.m_blocks, std::greater<>()),
                                    number(links_, worker.c_s), number(speeds_, worker.w_s)},
                        .workers = {1, worker.latency_s}});
    }
    join_equals();
  }

  Extraction run(double most_ranges) {
    left_ = most_ranges;
    const double floor_s = find_least();
    if (floor_s < least_s_) return {best_, 1 - floor_s / least_s_};
    if (clearly_less(least_s_, std::min(second_s_, unseen_s_))) return {best_};
    by_preference_ = true;
    if (search_below(least_s_, left_)) return {best_};
    return {best_, 0};
  }

 private:
  /// A memory, a link and a speed, by their numbers; in each, the first admits the fewest workers.
  using Triple = std::array<std::int32_t, 3>;

  struct Crew {
    std::int64_t size = 0;
    double latency_s = 0;  ///< the largest

    void add(const Crew& others) {
      size += others.size;
      latency_s = std::max(latency_s, others.latency_s);
    }
  };
  struct Kind {
    Triple figures;
    Crew workers;
  };
  struct Box {
    Triple low = {};
    Triple high = {};
    Crew fewest = {};       ///< admitted by all triples of the box
    Crew most = {};         ///< admitted by some
    std::size_t begin = 0;  ///< the kinds that are admitted by some, but not by all
    std::size_t end = 0;
    std::array<std::int64_t, 3> doubtful = {};  ///< of these, not by the first memory, link, speed
    VirtualPlatform ideal = {{}, 0};            ///< what nothing in the box is preferred to
    std::int64_t most_enrolled = 0;
    double bound_s = 0;  ///< of the estimates
  };

  template <class Value, class Order = std::less<>>
  static std::int32_t number(const std::vector<Value>& values, Value value, Order order = {}) {
    return static_cast<std::int32_t>(std::lower_bound(values.begin(), values.end(), value, order) -
                                     values.begin());
  }
  static bool admits(const Triple& thresholds, const Triple& figures) {
    return figures[0] <= thresholds[0] && figures[1] <= thresholds[1] &&
           figures[2] <= thresholds[2];
  }
  Worker worker(std::int32_t memory, std::int32_t link, std::int32_t speed,
                double latency_s) const {
    return {.c_s = links_[link],
            .w_s = speeds_[speed],
            .m_blocks = memories_[memory],
            .latency_s = latency_s};
  }

  void join_equals() {
    if (kinds_.empty()) return;
    std::sort(kinds_.begin(), kinds_.end(),
              [](const Kind& x, const Kind& y) { return x.figures < y.figures; });
    auto last = kinds_.begin();
    for (auto kind = last + 1; kind < kinds_.end(); ++kind) {
      if (kind->figures == last->figures) {
        last->workers.add(kind->workers);
      } else {
        *++last = *kind;
      }
    }
    kinds_.erase(last + 1, kinds_.end());
  }

  /// The least estimate, or what none is less than where the ranges run out.
  double find_least() {
    constexpr double near = 1 + 1e-4;
    constexpr double half = 0.5;
    double ranges = left_ / 1e3;
    double share = half;  // of the way from the floor to the least known
    double floor_s = 0;
    for (double limit_s = kUnknown;;) {
      const bool seen = search_below(limit_s, ranges);
      floor_s = std::max(floor_s, std::min(unseen_s_, limit_s_));
      if (left_ <= 0 || (seen && limit_s_ == least_s_)) return floor_s;
      if (seen) {
        share = std::min(half, 2 * share);
      } else {
        share /= 4;
        ranges *= 4;
      }
      const double times = least_s_ / floor_s;
      limit_s = share == half && times < near ? least_s_ : floor_s * std::pow(times, share);
    }
  }

  /// Looks through what may be less than that. False where it takes more ranges.
  bool search_below(double limit_s, double ranges) {
    limit_s_ = limit_s;
    second_s_ = kUnknown;
    unseen_s_ = kUnknown;
    spare_ = left_ - std::min(left_, ranges);
    const std::size_t size = kinds_.size();
    const auto last = [](const auto& values) {
      return static_cast<std::int32_t>(values.size()) - 1;
    };
    search(part({.high = {last(memories_), last(links_), last(speeds_)}, .end = size}));
    kinds_.resize(size);
    return unseen_s_ == kUnknown;
  }

  void search(const Box& box) {
    if (box.most.size == 0 || excludes(box.ideal, box.bound_s)) return;
    if (one_side(box) && box.most_enrolled == box.ideal.enrolled && box.fewest.size > 0 &&
        box.fewest.latency_s == box.most.latency_s) {
      return take(box.ideal, box.bound_s);
    }
    if (left_ <= spare_) {
      unseen_s_ = std::min(unseen_s_, by_preference_ ? least_s_ : box.bound_s);
      return;
    }
    --left_;
    const auto [memory, link, speed] = box.high;
    const VirtualPlatform corner(worker(memory, link, speed, box.most.latency_s), box.most.size);
    const double corner_s = estimate_s(corner, *problem_);
    if (!excludes(corner, corner_s)) take(corner, corner_s);

    const std::size_t size = kinds_.size();
    const std::size_t figure = widest(box);
    Box first = box;
    Box second = box;
    first.high[figure] = box.low[figure] + (box.high[figure] - box.low[figure]) / 2;
    second.low[figure] = first.high[figure] + 1;
    first = part(first);
    second = part(second);
    const bool turn =
        by_preference_ ? second.ideal.preferred_to(first.ideal) : second.bound_s < first.bound_s;
    if (turn) std::swap(first, second);
    search(first);
    search(second);
    kinds_.resize(size);
  }

  bool excludes(const VirtualPlatform& ideal, double bound_s) {
    if (by_preference_) return clearly_less(least_s_, bound_s) || !ideal.preferred_to(best_);
    if (bound_s < limit_s_) return false;
    if (ideal.preferred_to(best_)) second_s_ = std::min(second_s_, bound_s);
    return true;
  }
  void take(const VirtualPlatform& candidate, double estimate) {
    best_ = candidate;
    if (by_preference_) return;
    second_s_ = std::exchange(limit_s_, estimate);
    least_s_ = estimate;
  }

  bool one_side(const Box& box) const { return sides_[box.low[0]] == sides_[box.high[0]]; }

  /// The figure whose ends differ most in what they make of the estimate and of P.
  std::size_t widest(const Box& box) const {
    const std::array<double, 3> ratios{
        static_cast<double>(sides_[box.high[0]]) / static_cast<double>(sides_[box.low[0]]),
        links_[box.low[1]] / links_[box.high[1]], speeds_[box.low[2]] / speeds_[box.high[2]]};
    std::array<double, 3> widths{};
    for (std::size_t figure = 0; figure < 3; ++figure) {
      if (box.low[figure] == box.high[figure]) continue;
      widths[figure] =
          1 + (1 - ratios[figure]) +
          static_cast<double>(box.doubtful[figure]) / static_cast<double>(box.most.size);
    }
    return static_cast<std::size_t>(std::max_element(widths.begin(), widths.end()) -
                                    widths.begin());
  }

  /// A box within another, whose kinds it has yet.
  Box part(Box box) {
    const std::size_t begin = std::exchange(box.begin, kinds_.size());
    box.most = {};
    box.doubtful = {};
    for (std::size_t i = begin; i < box.end; ++i) {
      const Kind kind = kinds_[i];
      if (!admits(box.high, kind.figures)) continue;
      if (admits(box.low, kind.figures)) {
        box.fewest.add(kind.workers);
        continue;
      }
      box.most.add(kind.workers);
      for (std::size_t figure = 0; figure < 3; ++figure) {
        if (kind.figures[figure] > box.low[figure]) box.doubtful[figure] += kind.workers.size;
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

  /// Where the box leaves one mu and one P, the estimate of its ideal.
  double bound_s(const Box& box) const {
    const auto& [r, s, t, block_size] = *problem_;
    const std::int64_t side = box.ideal.side;
    const std::int64_t least_side = sides_[box.high[0]];
    // More workers than panels make no difference.
    const std::int64_t most = std::min(box.most_enrolled, ceil_div(s, least_side));
    double bound_s = 0;
    if (side > least_side) {
      const std::int64_t columns = std::max(ceil_div(s, most), std::min(s, least_side));
      bound_s = rows_s(box.ideal, most, columns, r, ceil_div(r, side));
    } else {
      // With any P of the box there are so many full rounds, of `columns` or more, and so much, or
      // more, in what is left.
      VirtualPlatform fewest = box.ideal;
      fewest.enrolled = std::min(fewest.enrolled, ceil_div(s, side));
      const std::int64_t columns = fewest.enrolled * side;
      const std::int64_t rounds = s / (most * side);
      const std::int64_t left = s - rounds * most * side;
      Problem shorter = *problem_;
      shorter.s = rounds * columns + std::min(left, columns);
      bound_s = estimate_s(fewest, shorter);
      if (fewest.enrolled == most) return bound_s;
      const std::int64_t first_columns = rounds * side + std::min(left, side);
      double whole_s = 0;
      if (r >= side) whole_s += rows_s(box.ideal, most, first_columns, r - r % side, r / side);
      if (r % side > 0) whole_s += rows_s(box.ideal, most, first_columns, r % side, 1);
      bound_s = std::max(bound_s, whole_s);
    }
    return bound_s * (1 - 1e-14);  // what rounding makes of it
  }

  /// At least the time of so many rows of blocks in so many rows of chunks: that in which the port
  /// sends all steps, or in which the first worker receives a step, then updates its columns, in
  /// each row of chunks; and that in which the chunks go to and fro, when these things do not.
  double rows_s(const VirtualPlatform& ideal, std::int64_t most, std::int64_t first_columns,
                std::int64_t rows, std::int64_t chunk_rows) const {
    const auto transfers_s = [&](std::int64_t number, std::int64_t blocks) {
      return static_cast<double>(number) * ideal.worker.latency_s +
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
  std::vector<std::int64_t> memories_;  ///< with room for a chunk
  std::vector<std::int64_t> sides_;     ///< of these
  std::vector<double> links_;
  std::vector<double> speeds_;
  std::vector<Kind> kinds_;  ///< of all; then those of the boxes in hand

  bool by_preference_ = false;  ///< among those not clearly more than the least
  VirtualPlatform best_{{}, 0};
  double least_s_ = kUnknown;   ///< estimate
  double limit_s_ = kUnknown;   ///< what is no less is left out
  double second_s_ = kUnknown;  ///< of that, what is preferred to the best is no less
  double left_ = 0;             ///< boxes that may be halved,
  double spare_ = 0;            ///< but for so many
  double unseen_s_ = kUnknown;  ///< what was not halved then has no less
};

}  // namespace

Extraction best_virtual_platform(const Platform& platform, const Problem& problem,
                                 Thresholds thresholds, double most_ranges) {
  if (thresholds == Thresholds::all) return BoxSearch(platform, problem).run(most_ranges);
  if (thresholds == Thresholds::memory) return {best_of(of_each_memory(platform), problem)};
  return {starport::best_virtual_platform(platform, problem, thresholds)};
}

}  // namespace starport::fast
