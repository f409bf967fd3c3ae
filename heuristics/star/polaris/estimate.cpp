#include "heuristics/star/polaris/estimate.hpp"

#include <algorithm>
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

}  // namespace

Estimator::Estimator(const Platform& platform, const Problem& problem, const ModeOptions& options)
    : modes(options), platform_(&platform), problem_(&problem) {
  lags_s.resize(platform.workers.size());
  cache_.resize(std::size_t{1} << kHashBits);
}

PartCost Estimator::estimate_part(int worker, std::int64_t rows, std::int64_t columns) const {
  ++operations;
  const auto hash = static_cast<std::uint64_t>((worker * 31 + rows) * 1009 + columns);
  CacheEntry& entry = cache_[hash * 0x9E3779B97F4A7C15 >> (64 - kHashBits)];
  if (entry.worker != worker || entry.rows != rows || entry.columns != columns ||
      entry.prefetch != modes.prefetch) {
    entry = {worker, modes.prefetch, rows, columns, compute_part(worker, rows, columns)};
  }
  return entry.cost;
}

PartCost Estimator::compute_part(int worker, std::int64_t rows, std::int64_t columns) const {
  const Worker& figures = platform_->workers[worker];
  const Mode mode = find_cheapest_mode(figures, *problem_, rows, columns, modes);
  PartCost cost{.port_s = std::numeric_limits<double>::infinity(),
                .update_s = typical_update_s(figures, mode)};
  if (mode.kind != Mode::Kind::none) {
    cost.port_s =
        mode.blocks * figures.c_s + static_cast<double>(mode.messages) * figures.latency_s;
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
    cost.longest_s =
        std::max(cost.longest_s, compute_s + (lags == Lags::included ? lags_s[part.worker] : 0));
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

}  // namespace starport::polaris
