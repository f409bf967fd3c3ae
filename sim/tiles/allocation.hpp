// A static allocation: the node of each tile of C, or of each task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace starport::tiles {

struct Allocation {
  std::int32_t n = 0;
  std::vector<std::int32_t> nodes{};  ///< n x n, or n x n x n (k fastest)
  bool redux = false;  ///< nodes that share a tile of C each update a tile of their own

  bool is_3d() const {
    return nodes.size() > static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  }
  int node(std::int32_t i, std::int32_t j, std::int32_t k) const {
    const std::size_t cell =
        static_cast<std::size_t>(i) * static_cast<std::size_t>(n) + static_cast<std::size_t>(j);
    return nodes[is_3d() ? cell * static_cast<std::size_t>(n) + static_cast<std::size_t>(k) : cell];
  }
};

}  // namespace starport::tiles
