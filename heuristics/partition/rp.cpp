#include "heuristics/partition/recursion.hpp"
#include "heuristics/partition/recursive.hpp"

namespace starport::partition {

Partition<2> rp(const std::vector<double>& speeds, const Box<2>& whole) {
  const SortedAreas areas(speeds);
  RecursivePartitioner<2> partitioner(areas, whole);
  return partitioner.partition([&](const Node<2>& node) {
    // The largest k in (i, j) with P[j] - P[k] >= T/3.
    const PrefixSums& P = areas.weights();
    const double third = P(node.range) / 3;
    std::size_t k = node.range.end - 1;
    if (is_less(P(node.range.from(k)), third)) {
      std::size_t low = node.range.begin;  // all areas of the node sum to at least a third
      while (k - low > 1) {
        const std::size_t middle = low + (k - low) / 2;
        (is_less(P(node.range.from(middle)), third) ? k : low) = middle;
      }
      k = low;
    }
    partitioner.cut(node, k);
  });
}

}  // namespace starport::partition
