#include "heuristics/partition/nrrp.hpp"

#include "heuristics/partition/column_based.hpp"
#include "heuristics/partition/recursion.hpp"
#include "heuristics/partition/rp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace starport::partition {
namespace {

/// The long and the short side of a rectangle.
std::pair<double, double> sides(const Rectangle& box) {
  return {std::max(box.length(0), box.length(1)), std::min(box.length(0), box.length(1))};
}

class Greedy {
 public:
  Greedy(const SortedAreas& s, double pessimism)
      : s_(s),
        pessimism_(pessimism),
        roots_(s.sums_of([](double area) { return std::sqrt(area); })) {}

  /// A cut before k or, with lengths, a corner of length b along the long side and a along the
  /// short.
  struct Choice {
    std::size_t k = 0;
    double b = 0;
    double a = 0;
  };

  Choice choose(const Node<2>& node) const {
    const auto [L, H] = sides(node.box);
    const Group group = node.group;
    Choice best{.k = group.begin + 1};
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&](double cost, const Choice& choice) {
      if (cost < least) {
        least = cost;
        best = choice;
      }
    };
    for (std::size_t k = group.begin + 1; k < group.end; ++k) {
      const Group small = group.until(k);
      const Group large = group.from(k);
      consider(estimate(small, H, s_.sum(small) / H) + estimate(large, H, s_.sum(large) / H),
               {.k = k});
    }
    const double x = s_.sum(group.rest());
    for (const double aspect : {1.0, 2.0, 1.5, 3.0}) {
      const double b = std::sqrt(x * aspect);
      const double a = x / b;
      if (a < H && b < L) consider(L + H + estimate(group.rest(), a, b), {.b = b, .a = a});
    }
    return best;
  }

 private:
  /// What the areas of a group may cost in an a x b rectangle: as squares those that fit in, across
  /// it those that do not.
  double estimate(Group group, double a, double b) const {
    const double h = std::min(a, b);
    const double l = std::max(a, b);
    if (group.size() == 1) return h + l;
    if (group.size() == 2) {
      const double cut = 2 * h + l;
      const double root = std::sqrt(s_[group.begin]);
      return root < h ? std::min(cut, h + l + 2 * root) : cut;
    }
    const std::size_t k = s_.first_above(group, h * h);
    const Group across = group.from(k);
    return pessimism_ * (2 * roots_(group.until(k)) + static_cast<double>(across.size()) * h +
                         s_.sum(across) / h);
  }

  const SortedAreas& s_;
  double pessimism_;
  PrefixSums roots_;
};

}  // namespace

Partition<2> nrrp_s(const std::vector<double>& speeds) {
  const SortedAreas s(speeds);
  Recursion<2> recursion(s);
  return recursion.run([&](const Node<2>& node) {
    const double H = sides(node.box).second;
    const double x = s.sum(node.group.rest());
    if (x >= H * H / 3) {
      // Both parts have H²/3 or more: the group has H², so that a cut exists where both do, and the
      // most balanced of all is then one.
      recursion.guillotine(node, s.most_balanced(node.group));
    } else if (x < H * H / 4) {
      recursion.corner(node, {std::sqrt(x), std::sqrt(x)});
    } else {
      recursion.guillotine(node, node.group.end - 1);
    }
  });
}

Partition<2> nrrp_g(const std::vector<double>& speeds, double pessimism) {
  const SortedAreas s(speeds);
  const Greedy greedy(s, pessimism);
  Recursion<2> recursion(s);
  return recursion.run([&](const Node<2>& node) {
    const Greedy::Choice choice = greedy.choose(node);
    if (choice.b > 0) {
      recursion.corner(node, {choice.b, choice.a});
    } else {
      recursion.guillotine(node, choice.k);
    }
  });
}

Partition<2> portfolio(const std::vector<double>& speeds) {
  Partition<2> best = nrrp_s(speeds);
  const auto consider = [&](Partition<2> other) {
    if (other.cost < best.cost) best = std::move(other);
  };
  for (const double pessimism : {1.0, 1.03, 1.06}) consider(nrrp_g(speeds, pessimism));
  consider(rp(speeds));
  consider(column_based(speeds));
  return best;
}

}  // namespace starport::partition
