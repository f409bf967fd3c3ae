// Reads and writes the headers of NumPy's .npy files (NEP 1).
#pragma once

#include "sim/platform/element_type.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starport::mpi {

/// The header of an .npy file.
struct NpyHeader {
  std::size_t size_bytes = 0;         ///< the elements start after it
  std::size_t byte_order_offset = 0;  ///< position of the character '<' or '>' in the file
  bool swapped = false;               ///< the elements are not in this machine's byte order
};

/// The size of the longest header that parse_npy_header() accepts.
inline constexpr std::size_t kMaxNpyHeaderBytes = 65536 + 12;

/// Parses `start`, the first bytes of a file, as an .npy header. Returns nullopt if it is not one.
/// Throws InputError naming `option` if the file does not contain rows x columns elements of `type`
/// by rows.
std::optional<NpyHeader> parse_npy_header(std::string_view start, std::int64_t rows,
                                          std::int64_t columns, const std::string& option,
                                          ElementType type = ElementType::float64);

/// Returns the header, of version 1, of a matrix of rows x columns elements in this machine's byte
/// order.
std::string make_npy_header(std::int64_t rows, std::int64_t columns,
                            ElementType type = ElementType::float64);

/// Returns this machine's byte order as NumPy writes it: '<' (little endian) or '>'.
char native_byte_order();

}  // namespace starport::mpi
