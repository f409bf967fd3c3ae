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
/// One such row, of columns of these widths.
std::string align_row(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                      std::size_t indent = 0, std::size_t flush_left = 1);
/// The same, all of them flush left.
inline std::string align_left(const std::vector<std::vector<std::string>>& rows) {
  return align(rows, 0, SIZE_MAX);
}

/// The bytes of the control character that a text starts with, 0 when it starts with none: those of
/// ASCII and of Unicode (U+0080..U+009F), the separators of lines, the marks that change the
/// direction of what follows, and what is no UTF-8. Any of them could spoof a line or steer a
/// terminal.
std::size_t control_size(std::string_view text);
/// Whether a text has any.
bool has_controls(std::string_view text);
/// The text with a space for each, on one line.
std::string one_line(std::string_view text);
/// The same for several lines: their ends and tabs stay.
std::string plain_lines(std::string_view text);

/// Small letters for capital ones, of ASCII: the names of SQL's columns know no case.
std::string folded(std::string name);

/// What stands before the next separator, which goes with it: `rest` begins behind.
std::string_view take_until(std::string_view& rest, char separator);

/// A CSV field, quoted when RFC 4180 asks for it.
std::string csv_field(std::string_view text);
void append_csv_field(std::string& row, std::string_view text);

}  // namespace starport
