// Transfers that share a bandwidth, by progressive filling.
#pragma once

#include <vector>

namespace starport {

/// Data that flows over a link of its own and then through what all flows share.
struct Flow {
  double start_s;
  double blocks;
  double c_s;  ///< time of a block on its own link
};

/// When each flow ends, if at any time the shares of a bandwidth of 1 / shared_c_s blocks a second
/// are max-min fair: equal, but for the flows whose own links allow less, which get that. O(n k log
/// k) for n flows of which k go on at once.
std::vector<double> max_min_ends(const std::vector<Flow>& flows, double shared_c_s);

}  // namespace starport
