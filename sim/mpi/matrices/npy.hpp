// Matrices in NumPy's files (NEP 1), beside raw ones.
#pragma once

#include "sim/platform/element_type.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starport::mpi {

/// What stands before the elements of a matrix by rows.
struct NpyHeader {
  std::size_t bytes = 0;        ///< of the header: the elements follow
  std::size_t order_place = 0;  ///< of the character that tells the order of the bytes
  bool swapped = false;         ///< in another order than this machine's
};

/// nullopt where the text, the start of a file, is not that of such a file. Throws InputError about
/// the option when it is, but holds something else than rows x columns such elements by rows.
std::optional<NpyHeader> read_npy_header(std::string_view start, std::int64_t rows,
                                         std::int64_t columns, const std::string& option,
                                         ElementType type = ElementType::float64);

/// Of version 1, for the order of this machine.
std::string npy_header(std::int64_t rows, std::int64_t columns,
                       ElementType type = ElementType::float64);

/// Of the longest header that is read.
inline constexpr std::size_t kMostNpyBytes = 65536 + 12;
/// The character for the order of this machine.
char native_order();

}  // namespace starport::mpi
