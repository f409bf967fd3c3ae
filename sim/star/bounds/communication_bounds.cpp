#include "sim/star/bounds/communication_bounds.hpp"

#include <cmath>
#include <limits>

namespace starport {

std::vector<CommunicationBound> communication_bounds(std::int64_t m_blocks) {
  const auto m = static_cast<double>(m_blocks);
  return {{"Irony, Toledo, Tiskin 2004", std::sqrt(1 / (8 * m))},
          {"IPDPS'07 before refinement", std::sqrt(27 / (32 * m))},
          {"IPDPS'07 and PPoPP'08", std::sqrt(27 / (8 * m))},
          {"Smith et al., COSMA 2019", 2 / std::sqrt(m)}};
}

double achieved_ccr(const MemoryLayout& layout, std::int64_t m_blocks, std::int64_t t) {
  const std::int64_t side = layout.side(m_blocks);
  if (side == 0) return std::numeric_limits<double>::infinity();
  return 2 / static_cast<double>(t) + 2 / static_cast<double>(side);
}

}  // namespace starport
