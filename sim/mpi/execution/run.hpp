// Where elements are.
#pragma once

#include <cstdint>

namespace starport::mpi {

/// Elements side by side in a store: the first one, and how many.
struct Run {
  std::int64_t first;
  std::int64_t count;
};

}  // namespace starport::mpi
