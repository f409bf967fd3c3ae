// Rows that lie apart, such as those of a column of blocks in a matrix.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starport::mpi {

/// A row is asked for so many rows before its turn: no processor foresees where the next one lies.
/// Columns of 80 doubles are packed a fifth, and unpacked twice as fast with it.
inline constexpr std::int64_t kRowsAhead = 4;

enum class Access : std::uint8_t { read, write };

/// The start of a row; what follows of a longer one is foreseen.
template <Access access>
void prefetch(const std::byte* row, std::int64_t bytes) {
  constexpr std::int64_t line = 64;
  constexpr std::int64_t most = 2048;
  for (std::int64_t n = 0; n < std::min(bytes, most); n += line) {
    __builtin_prefetch(row + n, access == Access::write ? 1 : 0);
  }
}

}  // namespace starport::mpi
