#include "heuristics/partition/column_based.hpp"
#include "heuristics/partition/recursion.hpp"
#include "heuristics/partition/recursive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::partition {
namespace {

/// Returns the lengths of the longer and the shorter side of a rectangle.
std::pair<double, double> side_lengths(const Box<2>& box) {
  return {std::max(box.length(0), box.length(1)), std::min(box.length(0), box.length(1))};
}

/// The rule of NRRP-G.
class GreedyRule {
 public:
  GreedyRule(const SortedAreas& s, double pessimism)
      : s_(s),
        pessimism_(pessimism),
        roots_(s.prefix_sums([](double area) { return std::sqrt(area); })) {}

  /// An alternative: a cut before area k or, if b > 0, a corner rectangle with length b along the
  /// longer side and length a along the shorter side.
  struct Choice {
    std::size_t k = 0;
    double b = 0;
    double a = 0;
  };

  /// Returns the alternative of least estimated cost for a node of two or more areas.
  Choice choose(const Node<2>& node) const {
    const auto [L, H] = side_lengths(node.box);
    const AreaRange range = node.range;
    Choice best{.k = range.begin + 1};
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&](double cost, const Choice& choice) {
      if (is_less(cost, least)) {
        least = cost;
        best = choice;
      }
    };
    for (std::size_t k = range.begin + 1; k < range.end; ++k) {
      const AreaRange smaller = range.before(k);
      const AreaRange larger = range.from(k);
      consider(estimate(smaller, H, s_.sum(smaller) / H) + estimate(larger, H, s_.sum(larger) / H),
               {.k = k});
    }
    const double x = s_.sum(range.without_largest());
    for (const double aspect : {1.0, 2.0, 1.5, 3.0}) {
      const double b = std::sqrt(x * aspect);
      const double a = x / b;
      if (is_less(a, H) && is_less(b, L))
        consider(L + H + estimate(range.without_largest(), a, b), {.b = b, .a = a});
    }
    return best;
  }

 private:
  /// Estimates the cost of dividing an a x b rectangle among the areas of `range`: areas that fit
  /// as squares count as squares, larger ones as rectangles across the shorter side.
  double estimate(AreaRange range, double a, double b) const {
    const double h = std::min(a, b);
    const double l = std::max(a, b);
    if (range.size() == 1) return h + l;
    if (range.size() == 2) {
      const double cut = 2 * h + l;
      const double root = std::sqrt(s_[range.begin]);
      return is_less(root, h) ? std::min(cut, h + l + 2 * root) : cut;
    }
    const std::size_t k = s_.first_above(range, h * h);
    const AreaRange across = range.from(k);
    return pessimism_ * (2 * roots_(range.before(k)) + static_cast<double>(across.size()) * h +
                         s_.sum(across) / h);
  }

  const SortedAreas& s_;
  double pessimism_;
  PrefixSums roots_;
};

}  // namespace

Partition<2> nrrp_s(const std::vector<double>& speeds, const Box<2>& whole) {
  const SortedAreas s(speeds);
  RecursivePartitioner<2> partitioner(s, whole);
  return partitioner.partition([&](const Node<2>& node) {
    const double H = side_lengths(node.box).second;
    const double x = s.sum(node.range.without_largest());
    if (!is_less(x, H * H / 3)) {
      // The node has area H² or more. As all but the largest area sum to H²/3 or more, there is a
      // cut with at least H²/3 on both sides, and the most balanced cut is one.
      partitioner.cut(node, s.most_balanced_cut(node.range));
    } else if (is_less(x, H * H / 4)) {
      partitioner.place_in_corner(node, {std::sqrt(x), std::sqrt(x)});
    } else {
      partitioner.cut(node, node.range.end - 1);
    }
  });
}

Partition<2> nrrp_g(const std::vector<double>& speeds, const Box<2>& whole, double pessimism) {
  const SortedAreas s(speeds);
  const GreedyRule rule(s, pessimism);
  RecursivePartitioner<2> partitioner(s, whole);
  return partitioner.partition([&](const Node<2>& node) {
    const GreedyRule::Choice choice = rule.choose(node);
    if (choice.b > 0) {
      partitioner.place_in_corner(node, {choice.b, choice.a});
    } else {
      partitioner.cut(node, choice.k);
    }
  });
}

Partition<2> portfolio(const std::vector<double>& speeds, const Box<2>& whole) {
  Partition<2> best = nrrp_s(speeds, whole);
  const auto consider = [&](Partition<2> candidate) {
    if (is_less(candidate.cost, best.cost)) best = std::move(candidate);
  };
  for (const double pessimism : {1.0, 1.03, 1.06}) consider(nrrp_g(speeds, whole, pessimism));
  consider(rp(speeds, whole));
  consider(column_based(speeds, whole));
  return best;
}

}  // namespace starport::partition
