#include "heuristics/partition/cuboids.hpp"

#include "heuristics/partition/nrrp.hpp"
#include "heuristics/partition/recursion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::partition {
namespace {

/// In ascending order: a <= b <= c.
struct Sides {
  double a, b, c;
};

Sides ascending(double one, double two, double three) {
  std::array<double, 3> all{one, two, three};
  std::sort(all.begin(), all.end());
  return {all[0], all[1], all[2]};
}

Sides sides(const Cuboid& box) { return ascending(box.length(0), box.length(1), box.length(2)); }

/// What is cut off, at the corner (x1, y1, z1): nothing of it where `k` tells a cut of the long
/// side.
struct Cut {
  std::size_t k = 0;
  std::array<double, 3> lengths{};  // along c, b and a
  double saved = 0;                 // of the cost of the zone around it

  static Cut box(double p, double q, double r) { return {.lengths = {r, q, p}}; }
  /// From face to face along a: the zone around it needs q r less.
  static Cut prism(double a, double q, double r) { return {.lengths = {r, q, a}, .saved = q * r}; }
};

void apply(const Cut& cut, const Node<3>& node, Recursion<3>& recursion) {
  if (cut.k > 0) {
    recursion.guillotine(node, cut.k);
  } else {
    recursion.corner(node, cut.lengths, cut.saved);
  }
}

/// The cuts that were considered: the first of least cost.
struct Cheapest {
  Cut cut;
  double cost = std::numeric_limits<double>::infinity();

  void consider(double other_cost, const Cut& other) {
    if (!(other_cost < cost)) return;
    cost = other_cost;
    cut = other;
  }
};

class GreedyCuboids {
 public:
  explicit GreedyCuboids(const SortedAreas& v)
      : v_(v),
        faces_(v.sums_of([](double volume) { return std::cbrt(volume) * std::cbrt(volume); })),
        roots_(v.sums_of([](double volume) { return std::sqrt(volume); })) {}

  Cut choose(const Node<3>& node) const {
    const Group group = node.group;
    const auto [a, b, c] = sides(node.box);
    Cheapest best{.cut = {.k = group.begin + 1}};
    for (std::size_t k = group.begin + 1; k < group.end; ++k) {
      const auto part = [&, a = a, b = b](Group own) {
        return estimate(own, ascending(a, b, v_.sum(own) / (a * b)));
      };
      best.consider(part(group.until(k)) + part(group.from(k)), {.k = k});
    }
    const Group rest = group.rest();
    const double x = v_.sum(rest);
    const double around = a * b + b * c + c * a;
    constexpr std::array<std::array<double, 3>, 3> shapes{{{1, 1, 1}, {1, 1, 2}, {1, 2, 2}}};
    for (const auto& [sp, sq, sr] : shapes) {
      const double unit = std::cbrt(x / (sp * sq * sr));
      const double p = sp * unit;
      const double q = sq * unit;
      const double r = sr * unit;
      if (p >= a || q >= b || r >= c) continue;
      best.consider(around + estimate(rest, ascending(p, q, r)), Cut::box(p, q, r));
    }
    for (const double aspect : {1.0, 2.0, 1.5}) {
      const double r = std::sqrt(x / a * aspect);
      const double q = x / a / r;
      if (q >= b || r >= c) continue;
      best.consider(around - q * r + estimate(rest, ascending(a, q, r)), Cut::prism(a, q, r));
    }
    return best.cut;
  }

 private:
  /// What the volumes of a group may cost in a box: cubes, prisms as high as its shortest side,
  /// slices across it.
  double estimate(Group group, const Sides& box) const {
    const auto [a, b, c] = box;
    const std::size_t first = v_.first_above(group, a * a * a);
    const std::size_t second = std::max(first, v_.first_above(group, a * b * b));
    const Group prisms{first, second};
    const Group slices = group.from(second);
    const double sum = 3 * faces_(group.until(first)) + 2 * std::sqrt(a) * roots_(prisms) +
                       v_.sum(prisms) / a + static_cast<double>(slices.size()) * a * b +
                       v_.sum(slices) * (1 / a + 1 / b);
    return group.size() > 2 ? kPessimism * sum : sum;
  }

  const SortedAreas& v_;
  PrefixSums faces_;
  PrefixSums roots_;
};

}  // namespace

Partition<3> cuboids_s(const std::vector<double>& speeds) {
  const SortedAreas v(speeds);
  Recursion<3> recursion(v);
  return recursion.run([&](const Node<3>& node) {
    const auto [a, b, c] = sides(node.box);
    const double x = v.sum(node.group.rest());
    if (x >= a * b * b / 3) {
      // As in NRRP-S: the box has a b² or more, so that both parts of the most balanced cut have a
      // third.
      recursion.guillotine(node, v.most_balanced(node.group));
      return;
    }
    Cheapest best;
    best.consider(a * b, {.k = node.group.end - 1});
    const double side = std::cbrt(x);
    if (side < a) best.consider(3 * side * side, Cut::box(side, side, side));
    const double width = std::sqrt(x / a);
    if (width < b) best.consider(2 * std::sqrt(a * x), Cut::prism(a, width, width));
    apply(best.cut, node, recursion);
  });
}

Partition<3> cuboids_g(const std::vector<double>& speeds) {
  const SortedAreas v(speeds);
  const GreedyCuboids greedy(v);
  Recursion<3> recursion(v);
  return recursion.run([&](const Node<3>& node) { apply(greedy.choose(node), node, recursion); });
}

}  // namespace starport::partition
