// Reads and writes the headers of NumPy's .npy files (NEP 1).
#pragma once

#include "sim/platform/element_type.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace starport::mpi {

/// The properties of the header of an .npy file.
struct NpyHeader {
  /// Size of the header in bytes, with everything before the first element.
  std::size_t size_bytes = 0;
  /// Position of the character '<' or '>' that states the byte order, in bytes from the start of
  /// the file.
  std::size_t byte_order_offset = 0;
  /// True if the elements are not in this machine's byte order.
  bool swapped = false;
};

/// The number of bytes from the start of a file that a caller should pass to parse_npy_header(); it
/// rejects files with longer headers.
inline constexpr std::size_t kMaxNpyHeaderBytes = 65536 + 12;

/// Parses `start`, the first kMaxNpyHeaderBytes bytes of a file or the whole file if it is shorter,
/// as an .npy header of version 1, 2 or 3. Returns nullopt if it does not begin like one. Throws
/// InputError about `option`, without a file name, if the header is malformed or cut off, or does
/// not describe rows x columns elements of `type` by rows. The size of the file is not checked.
std::optional<NpyHeader> parse_npy_header(std::string_view start, std::int64_t rows,
                                          std::int64_t columns, const std::string& option,
                                          ElementType type = ElementType::float64);

/// Returns the bytes of an .npy header, of version 1, for a matrix of rows x columns elements of
/// `type` by rows in this machine's byte order. Its length is a multiple of 64 bytes; the elements
/// follow it immediately.
std::string make_npy_header(std::int64_t rows, std::int64_t columns,
                            ElementType type = ElementType::float64);

/// Returns this machine's byte order as NumPy writes it: '<' (little endian) or '>'.
char native_byte_order();

}  // namespace starport::mpi
