#include "heuristics/partition/column_based.hpp"

#include <algorithm>
#include <utility>

namespace starport::partition {
namespace {

/// The dynamic program of the paper. Let f[j] be the least cost of the first j areas in columns,
/// the last of which contains the areas [i, j): f[j] = min over i < j of f[i] + w(i, j) with w(i,
/// j) = h + (j - i)(P[j] - P[i]), the smallest i on ties. h is the height of the rectangle in units
/// of its width, 1 in the paper.
///
/// w is Monge: for a <= b <= c <= d, w(a, d) + w(b, c) - w(a, c) - w(b, d) is the number of areas
/// in [a, b) times the sum of [c, d) plus the sum of [a, b) times the number in [c, d), hence not
/// negative. So once a later i is strictly better than an earlier one, it remains so for all larger
/// j: each i is the best for an interval of j, found by bisection (Galil and Giancarlo 1989). That
/// takes O(n log n) instead of O(n²), and keeps the tie rule.
class LastColumns {
 public:
  LastColumns(const SortedAreas& areas, std::size_t max_per_column, double height)
      : areas_(areas),
        max_per_column_(max_per_column),
        height_(height * areas.total()),
        cost_(areas.size() + 1, 0),
        best_(areas.size() + 1, 0) {
    for (std::size_t i = 0; i < areas_.size(); ++i) {
      add(i);
      while (head_ + 1 < queue_.size() && queue_[head_ + 1].from <= i + 1) ++head_;
      best_[i + 1] = queue_[head_].i;
      cost_[i + 1] = cost(queue_[head_].i, i + 1);
    }
  }
  /// Returns the i at which the last column of the first j areas begins.
  std::size_t operator[](std::size_t j) const { return best_[j]; }

 private:
  /// A candidate for the start of the last column.
  struct Candidate {
    std::size_t i;
    std::size_t from;  // the first j for which it is the best so far
  };

  /// Returns f[i] + w(i, j) times the total of the speeds, which is exact for integer speeds.
  double cost(std::size_t i, std::size_t j) const {
    return cost_[i] + height_ + static_cast<double>(j - i) * areas_.weights()({i, j});
  }
  bool is_better(std::size_t later, std::size_t earlier, std::size_t j) const {
    return j - earlier > max_per_column_ || is_less(cost(later, j), cost(earlier, j));
  }
  void add(std::size_t i) {
    while (!queue_.empty() && queue_.back().from > i &&
           is_better(i, queue_.back().i, queue_.back().from)) {
      queue_.pop_back();
    }
    if (queue_.empty()) {
      queue_.push_back({i, i + 1});
      return;
    }
    std::size_t low = std::max(queue_.back().from, i + 1);
    std::size_t high = areas_.size() + 1;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (is_better(i, queue_.back().i, middle)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    if (low <= areas_.size()) queue_.push_back({i, low});
  }

  const SortedAreas& areas_;
  std::size_t max_per_column_;
  double height_;  ///< times the total of the speeds
  std::vector<double> cost_;
  std::vector<std::size_t> best_;
  std::vector<Candidate> queue_;
  std::size_t head_ = 0;
};

}  // namespace

std::vector<AreaRange> find_columns(const SortedAreas& areas, std::size_t max_per_column,
                                    double height) {
  const LastColumns last(areas, max_per_column, height);
  std::vector<AreaRange> columns;
  for (std::size_t j = areas.size(); j > 0; j = last[j]) columns.push_back({last[j], j});
  std::reverse(columns.begin(), columns.end());
  return columns;
}

Partition<2> column_based(const std::vector<double>& speeds, const Box<2>& whole) {
  const SortedAreas areas(speeds);
  const auto [width, height] = std::pair(whole.length(0), whole.length(1));
  Partition<2> partition{.whole = whole, .zones = {}};
  partition.zones.resize(areas.processor_count());
  for (const AreaRange column :
       find_columns(areas, std::numeric_limits<std::size_t>::max(), height / width)) {
    const Interval x{width * areas.sum({0, column.begin}), width * areas.sum({0, column.end})};
    for (std::size_t k = column.begin; k < column.end; ++k) {
      const Interval y{height * areas.share(column.before(k), column),
                       height * areas.share(column.before(k + 1), column)};
      partition.zones[areas.processor(k)] = {Box<2>{{x, y}}};
    }
    partition.cost += height + static_cast<double>(column.size()) * width * areas.sum(column);
  }
  return partition;
}

}  // namespace starport::partition
