#include "heuristics/partition/recursion.hpp"
#include "heuristics/partition/recursive.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::partition {
namespace {

/// The side lengths of a cuboid in ascending order, a <= b <= c.
struct SideLengths {
  double a, b, c;
};

SideLengths sort_lengths(double x, double y, double z) {
  std::array<double, 3> lengths{x, y, z};
  std::sort(lengths.begin(), lengths.end());
  return {lengths[0], lengths[1], lengths[2]};
}

SideLengths side_lengths(const Box<3>& box) {
  return sort_lengths(box.length(0), box.length(1), box.length(2));
}

/// A way to divide a box: a cut of the longest side before area k if k > 0, otherwise a cuboid in
/// the corner.
struct Alternative {
  std::size_t k = 0;
  std::array<double, 3> lengths{};  ///< of the corner cuboid, along c, b and a
  double saved = 0;                 ///< reduction of the cost of the zone around it

  /// Returns a corner cuboid with the lengths p <= q <= r.
  static Alternative box(double p, double q, double r) { return {.lengths = {r, q, p}}; }
  /// Returns a prism that extends over the whole side a; the zone around it costs q * r less.
  static Alternative prism(double a, double q, double r) {
    return {.lengths = {r, q, a}, .saved = q * r};
  }
};

/// Divides the node as chosen.
void apply(const Alternative& chosen, const Node<3>& node, RecursivePartitioner<3>& partitioner) {
  if (chosen.k > 0) {
    partitioner.cut(node, chosen.k);
  } else {
    partitioner.place_in_corner(node, chosen.lengths, chosen.saved);
  }
}

/// The first alternative of least cost among those considered.
struct Cheapest {
  Alternative alternative;
  double cost = std::numeric_limits<double>::infinity();

  void consider(double candidate_cost, const Alternative& candidate) {
    if (!is_less(candidate_cost, cost)) return;
    cost = candidate_cost;
    alternative = candidate;
  }
};

/// The rule of NRRP3D-G.
class GreedyCuboidRule {
 public:
  explicit GreedyCuboidRule(const SortedAreas& v)
      : v_(v),
        faces_(v.prefix_sums([](double volume) { return std::cbrt(volume) * std::cbrt(volume); })),
        roots_(v.prefix_sums([](double volume) { return std::sqrt(volume); })) {}

  /// Returns the alternative of least estimated cost for a node of two or more volumes.
  Alternative choose(const Node<3>& node) const {
    const AreaRange range = node.range;
    const auto [a, b, c] = side_lengths(node.box);
    Cheapest best{.alternative = {.k = range.begin + 1}};
    for (std::size_t k = range.begin + 1; k < range.end; ++k) {
      const auto part = [&, a = a, b = b](AreaRange part_range) {
        return estimate(part_range, sort_lengths(a, b, v_.sum(part_range) / (a * b)));
      };
      best.consider(part(range.before(k)) + part(range.from(k)), {.k = k});
    }
    const AreaRange rest = range.without_largest();
    const double x = v_.sum(rest);
    const double around = a * b + b * c + c * a;
    constexpr std::array<std::array<double, 3>, 3> shapes{{{1, 1, 1}, {1, 1, 2}, {1, 2, 2}}};
    for (const auto& [sp, sq, sr] : shapes) {
      const double unit = std::cbrt(x / (sp * sq * sr));
      const double p = sp * unit;
      const double q = sq * unit;
      const double r = sr * unit;
      if (!is_less(p, a) || !is_less(q, b) || !is_less(r, c)) continue;
      best.consider(around + estimate(rest, sort_lengths(p, q, r)), Alternative::box(p, q, r));
    }
    for (const double aspect : {1.0, 2.0, 1.5}) {
      const double r = std::sqrt(x / a * aspect);
      const double q = x / a / r;
      if (!is_less(q, b) || !is_less(r, c)) continue;
      best.consider(around - q * r + estimate(rest, sort_lengths(a, q, r)),
                    Alternative::prism(a, q, r));
    }
    return best.alternative;
  }

 private:
  /// Estimates the cost of dividing a box among the volumes of `range`: small ones count as cubes,
  /// medium ones as prisms over the shortest side, large ones as slices.
  double estimate(AreaRange range, const SideLengths& box) const {
    const auto [a, b, c] = box;
    const std::size_t first = v_.first_above(range, a * a * a);
    const std::size_t second = std::max(first, v_.first_above(range, a * b * b));
    const AreaRange prisms{first, second};
    const AreaRange slices = range.from(second);
    const double sum = 3 * faces_(range.before(first)) + 2 * std::sqrt(a) * roots_(prisms) +
                       v_.sum(prisms) / a + static_cast<double>(slices.size()) * a * b +
                       v_.sum(slices) * (1 / a + 1 / b);
    return range.size() > 2 ? kPessimism * sum : sum;
  }

  const SortedAreas& v_;
  PrefixSums faces_;
  PrefixSums roots_;
};

}  // namespace

Partition<3> cuboids_s(const std::vector<double>& speeds, const Box<3>& whole) {
  const SortedAreas v(speeds);
  RecursivePartitioner<3> partitioner(v, whole);
  return partitioner.partition([&](const Node<3>& node) {
    const auto [a, b, c] = side_lengths(node.box);
    const double x = v.sum(node.range.without_largest());
    if (!is_less(x, a * b * b / 3)) {
      // As in nrrp_s(): the box has a volume of a b² or more, so that both parts of the most
      // balanced cut have at least a third of that.
      partitioner.cut(node, v.most_balanced_cut(node.range));
      return;
    }
    Cheapest best;
    best.consider(a * b, {.k = node.range.end - 1});
    const double side = std::cbrt(x);
    if (is_less(side, a)) best.consider(3 * side * side, Alternative::box(side, side, side));
    const double width = std::sqrt(x / a);
    if (is_less(width, b)) best.consider(2 * std::sqrt(a * x), Alternative::prism(a, width, width));
    apply(best.alternative, node, partitioner);
  });
}

Partition<3> cuboids_g(const std::vector<double>& speeds, const Box<3>& whole) {
  const SortedAreas v(speeds);
  const GreedyCuboidRule rule(v);
  RecursivePartitioner<3> partitioner(v, whole);
  return partitioner.partition(
      [&](const Node<3>& node) { apply(rule.choose(node), node, partitioner); });
}

}  // namespace starport::partition
