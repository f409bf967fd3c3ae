#include "heuristics/partition/rp.hpp"

#include "heuristics/partition/recursion.hpp"

#include <algorithm>

namespace starport::partition {

Partition<2> rp(const std::vector<double>& speeds) {
  const SortedAreas areas(speeds);
  Recursion<2> recursion(areas);
  return recursion.run([&](const Node<2>& node) {
    // The largest k in (i, j) with P[j] - P[k] >= T/3.
    const PrefixSums& P = areas.weights();
    const double third = P(node.group) / 3;
    std::size_t k = node.group.end - 1;
    if (P(node.group.from(k)) < third) {
      std::size_t low = node.group.begin;  // all of them come to a third
      while (k - low > 1) {
        const std::size_t middle = low + (k - low) / 2;
        (P(node.group.from(middle)) >= third ? low : k) = middle;
      }
      k = low;
    }
    recursion.guillotine(node, std::max(k, node.group.begin + 1));
  });
}

}  // namespace starport::partition
