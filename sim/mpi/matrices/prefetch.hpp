// Prefetches rows that lie far apart in memory, such as the rows of a column of blocks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starport::mpi {

/// The number of rows by which prefetching is ahead of copying. No processor predicts where the
/// next row lies. With prefetching, columns of 80 doubles are packed 20 % and unpacked 100 %
/// faster.
inline constexpr std::int64_t kRowsAhead = 4;

enum class Access : std::uint8_t { read, write };

/// Prefetches the first 2 KiB of a row of `bytes` bytes; the processor predicts the rest of a
/// longer row by itself.
template <Access access>
void prefetch(const std::byte* row, std::int64_t bytes) {
  constexpr std::int64_t cache_line_bytes = 64;
  constexpr std::int64_t most_bytes = 2048;
  for (std::int64_t offset = 0; offset < std::min(bytes, most_bytes); offset += cache_line_bytes) {
    __builtin_prefetch(row + offset, access == Access::write ? 1 : 0);
  }
}

}  // namespace starport::mpi
