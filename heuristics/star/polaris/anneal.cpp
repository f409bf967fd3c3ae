#include "heuristics/star/polaris/anneal.hpp"

#include <algorithm>
#include <utility>

namespace starport::polaris {
namespace {

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
