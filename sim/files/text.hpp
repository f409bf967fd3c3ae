// Small pieces of text output.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Rows of cells in aligned columns, two spaces apart; the first `flush_left` columns are flush
/// left, the others flush right. Each line starts with `indent` spaces.
std::string align(const std::vector<std::vector<std::string>>& rows, std::size_t indent = 0,
                  std::size_t flush_left = 1);
/// The same, all of them flush left.
inline std::string align_left(const std::vector<std::vector<std::string>>& rows) {
  return align(rows, 0, SIZE_MAX);
}

/// What stands before the next separator, which goes with it: `rest` begins behind.
std::string_view take_until(std::string_view& rest, char separator);

/// A CSV field, quoted when RFC 4180 asks for it.
std::string csv_field(std::string_view text);

}  // namespace starport
