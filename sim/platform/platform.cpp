#include "sim/platform/platform.hpp"

#include <algorithm>
#include <tuple>

namespace starport {

bool Worker::operator==(const Worker& other) const {
  const bool same_speeds = speeds == other.speeds ||
                           (speeds && other.speeds && speeds->points() == other.speeds->points());
  return same_speeds && std::tie(c_s, w_s, m_blocks, latency_s) ==
                            std::tie(other.c_s, other.w_s, other.m_blocks, other.latency_s);
}

bool Platform::is_homogeneous() const {
  return std::all_of(workers.begin(), workers.end(),
                     [&](const Worker& worker) { return worker == workers.front(); });
}

}  // namespace starport
