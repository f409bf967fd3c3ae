// Where the elements of a message are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace starport::mpi {

/// Elements side by side in a store: the first one, and how many.
struct Run {
  std::int64_t first;
  std::int64_t count;
};

/// Bytes side by side in memory.
struct MemoryRun {
  std::byte* first;
  std::int64_t bytes;
};

}  // namespace starport::mpi
