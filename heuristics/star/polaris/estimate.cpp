#include "heuristics/star/polaris/estimate.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace starport::polaris {
namespace {

constexpr int kHashBits = 11;

}  // namespace

Estimator::Estimator(const Platform& platform, const Problem& problem, const ModeChoice& choice)
    : modes(choice), platform_(&platform), problem_(&problem) {
  lags_s.resize(platform.workers.size());
  known_.resize(std::size_t{1} << kHashBits);
}

PartCost Estimator::part(int worker, std::int64_t rows, std::int64_t columns) const {
  ++operations;
  const auto hash = static_cast<std::uint64_t>((worker * 31 + rows) * 1009 + columns);
  Known& known = known_[hash * 0x9E3779B97F4A7C15 >> (64 - kHashBits)];
  if (known.worker != worker || known.rows != rows || known.columns != columns ||
      known.ahead != modes.ahead) {
    known = {worker, modes.ahead, rows, columns, part_anew(worker, rows, columns)};
  }
  return known.cost;
}

PartCost Estimator::part_anew(int worker, std::int64_t rows, std::int64_t columns) const {
  const Worker& figures = platform_->workers[worker];
  const Mode mode = cheapest_mode(figures, *problem_, rows, columns, modes);
  PartCost cost{.port_s = std::numeric_limits<double>::infinity(),
                .update_s = usual_update_s(figures, mode)};
  if (mode.kind != Mode::Kind::none) {
    cost.port_s =
        mode.blocks * figures.c_s + static_cast<double>(mode.messages) * figures.latency_s;
  }
  return cost;
}

StripCost Estimator::cost(const Tiling& tiling, const Strip& strip, bool lags) const {
  StripCost cost;
  for (const Part& part : strip.parts) {
    const std::int64_t rows = tiling.of_rows ? strip.width : part.height;
    const std::int64_t columns = tiling.of_rows ? part.height : strip.width;
    const PartCost one = this->part(part.worker, rows, columns);
    cost.port_s += one.port_s;
    const double compute_s = static_cast<double>(rows * columns * problem_->t) * one.update_s;
    cost.longest_s = std::max(cost.longest_s, compute_s + (lags ? lags_s[part.worker] : 0));
  }
  return cost;
}

double Estimator::makespan_s(const Tiling& tiling, bool lags) const {
  StripCost all;
  for (const Strip& strip : tiling.strips) {
    const StripCost one = cost(tiling, strip, lags);
    all = {all.port_s + one.port_s, std::max(all.longest_s, one.longest_s)};
  }
  return std::max(all.port_s, all.longest_s);
}

namespace {

/// A tiling with the estimate of each strip.
class Estimated {
 public:
  Estimated(const Estimator& estimator, Tiling tiling, std::vector<int> idle)
      : estimator_(&estimator), tiling_(std::move(tiling)), idle_(std::move(idle)) {
    for (const Strip& strip : tiling_.strips) costs_.push_back(estimator_->cost(tiling_, strip));
  }

  const Tiling& tiling() const { return tiling_; }

  Touched change(const Problem& problem, Draws& draws) {
    const Touched touched = polaris::change(tiling_, idle_, problem, draws);
    if (!touched.changed) return touched;
    if (touched.all || costs_.size() != tiling_.strips.size()) {
      costs_.clear();
      for (const Strip& strip : tiling_.strips) costs_.push_back(estimator_->cost(tiling_, strip));
    } else {
      const Strip& second = tiling_.strips[touched.second];
      costs_[touched.first] = estimator_->cost(tiling_, tiling_.strips[touched.first]);
      if (touched.second != touched.first) {
        costs_[touched.second] = estimator_->cost(tiling_, second);
      } else {  // counts twice
        estimator_->operations += std::ssize(second.parts);
      }
    }
    return touched;
  }

  /// Becomes the other, from which it differs by what was touched.
  void follow(const Estimated& other, const Touched& touched) {
    if (touched.all) {
      *this = other;
    } else if (touched.changed) {
      for (const std::size_t at : {touched.first, touched.second}) {
        tiling_.strips[at] = other.tiling_.strips[at];
        costs_[at] = other.costs_[at];
      }
      idle_ = other.idle_;
    }
  }

  /// The estimated makespan, and a little of the port's time, so that saving it counts.
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
              const Problem& problem, std::int64_t operations, bool several_strips, Draws& draws) {
  Estimated current(estimator, from, idle);
  Estimated changed = current;
  Tiling best = from;
  double best_cost = current.cost();
  double cost = best_cost;
  const std::int64_t begin = estimator.operations;
  while (estimator.operations - begin < operations) {
    const double left =
        1 - static_cast<double>(estimator.operations - begin) / static_cast<double>(operations);
    estimator.operations += 1 + static_cast<std::int64_t>(current.tiling().enrolled() / 8);
    const Touched touched = changed.change(problem, draws);
    const double new_cost = changed.cost();
    if (!touched.changed || new_cost > cost * (1 + 0.03 * left * left) ||
        (!several_strips && changed.tiling().strips.size() > 1)) {
      changed.follow(current, touched);
      continue;
    }
    current.follow(changed, touched);
    cost = new_cost;
    if (cost < best_cost) {
      best_cost = cost;
      best = current.tiling();
    }
  }
  return best;
}

}  // namespace starport::polaris
