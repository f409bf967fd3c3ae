// Formatting and splitting of text: tables, UTF-8, control characters, CSV fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Formats a table: one line per row, each ending with a newline; "" without rows. Columns are
/// padded to equal width and two spaces apart. The first `flush_left` columns are left-aligned, the
/// others right-aligned. Each line starts with `indent` spaces and has no trailing spaces. Widths
/// count UTF-8 characters, not bytes; rows may differ in length.
std::string align(const std::vector<std::vector<std::string>>& rows, std::size_t indent = 0,
                  std::size_t flush_left = 1);
/// Formats one row of a table: the cells padded with spaces to `widths` (in characters), two spaces
/// apart, after `indent` spaces, without trailing spaces, ending with a newline. The first
/// `flush_left` cells are left-aligned, the others right-aligned. Requires a width for each cell
/// (not checked: undefined behaviour otherwise); throws std::length_error when a cell is wider than
/// its column.
std::string align_row(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                      std::size_t indent = 0, std::size_t flush_left = 1);
/// Formats a table whose columns are all left-aligned, padded to equal width and two spaces apart:
/// one line per row without trailing spaces, each ending with a newline; "" without rows. Rows may
/// differ in length.
inline std::string align_left(const std::vector<std::vector<std::string>>& rows) {
  return align(rows, 0, SIZE_MAX);
}

/// Returns the number of characters (code points) in UTF-8 text: its bytes other than continuation
/// bytes.
std::size_t character_count(std::string_view text);
/// Returns the first `count` characters (code points) of UTF-8 text, or all of it when it is
/// shorter.
std::string truncate_characters(std::string_view text, std::size_t count);

/// Returns a count with its noun for messages, with an "s" appended unless the count is 1: "1
/// task", "2 tasks".
std::string format_count(std::int64_t count, std::string_view noun);

/// Returns the size in bytes of the control character at the start of `text`, or 0 when it starts
/// with another character or is empty. Control characters are those of ASCII (line ends and tabs
/// too) and Unicode (U+0080..U+009F), line separators, marks of writing direction, invisible ones
/// (zero-width space, word joiner, byte order mark, tags), and bytes that are not UTF-8 (size 1
/// each): any of them could fake a line of output or send commands to a terminal.
std::size_t control_character_size(std::string_view text);
/// Returns whether `text` contains a control character as control_character_size() defines it:
/// ASCII (line ends and tabs too), U+0080..U+009F, line separators, marks of writing direction,
/// invisible characters, or bytes that are not UTF-8. False for an empty text.
bool has_control_characters(std::string_view text);
/// Returns `text` with each control character (see control_character_size()), line ends, tabs and
/// bytes that are not UTF-8 included, replaced by one space, so that it is safe to print on one
/// line.
std::string sanitize_line(std::string_view text);
/// Returns `text` with each control character (see control_character_size()), bytes that are not
/// UTF-8 included, replaced by one space, except line ends (LF and CR LF) and tabs, so that it is
/// safe to print.
std::string sanitize_lines(std::string_view text);

/// Returns `name` with ASCII capitals in lower case and all other bytes unchanged, as SQL compares
/// the names of columns.
std::string to_lower_ascii(std::string name);

/// Returns the part of `rest` before the first `separator`, or all of it when there is none, and
/// removes that part and the separator from `rest`. The result points into the text of `rest` and
/// is valid as long as that text. A separator at the end leaves `rest` empty, just as the end of
/// the text does, so a last empty token is lost; an empty `rest` gives "".
std::string_view next_token(std::string_view& rest, char separator);

/// Returns `text` as a CSV field: in double quotes, with quotes inside doubled, when it contains a
/// comma, quote or line end (RFC 4180); else unchanged.
std::string quote_csv_field(std::string_view text);
/// Appends `text` to `row` as a CSV field, in double quotes where necessary (RFC 4180), without a
/// comma before or after it.
void append_csv_field(std::string& row, std::string_view text);

}  // namespace starport
