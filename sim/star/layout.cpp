#include "sim/star/layout.hpp"

#include <cmath>

namespace starport {

std::int64_t MemoryLayout::blocks(std::int64_t side) const {
  return quadratic * side * side + linear * side + constant;
}

std::int64_t MemoryLayout::side(std::int64_t m_blocks) const {
  if (m_blocks < blocks(1)) return 0;
  // The root of the quadratic, then the rounding mended.
  const double a = static_cast<double>(quadratic);
  const double b = static_cast<double>(linear);
  const double room = static_cast<double>(m_blocks - constant);
  auto side = static_cast<std::int64_t>((std::sqrt(b * b + 4 * a * room) - b) / (2 * a));
  while (blocks(side) > m_blocks) --side;
  while (blocks(side + 1) <= m_blocks) ++side;
  return side;
}

}  // namespace starport
