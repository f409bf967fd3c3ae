// Formatting and splitting of text: tables, UTF-8, control characters, CSV fields.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Formats a table: one line per row, columns padded to equal width and two spaces apart. The first
/// `flush_left` columns are left-aligned, the others right-aligned. Each line starts with `indent`
/// spaces and has no trailing spaces. Widths count characters, not bytes.
std::string align(const std::vector<std::vector<std::string>>& rows, std::size_t indent = 0,
                  std::size_t flush_left = 1);
/// Formats one row of such a table, ending with a newline. `widths` are the widths of the columns
/// in characters; no cell may be wider than its column.
std::string align_row(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                      std::size_t indent = 0, std::size_t flush_left = 1);
/// Formats a table whose columns are all left-aligned.
inline std::string align_left(const std::vector<std::vector<std::string>>& rows) {
  return align(rows, 0, SIZE_MAX);
}

/// Returns the number of characters in UTF-8 text: its bytes other than continuation bytes.
std::size_t character_count(std::string_view text);
/// Returns the first `count` characters of UTF-8 text, or all of it when it is shorter.
std::string truncate_characters(std::string_view text, std::size_t count);

/// Returns a count with its noun, for messages: "1 task", "2 tasks".
std::string format_count(std::int64_t count, std::string_view noun);

/// Returns the size in bytes of the control character at the start of `text`, or 0 when there is
/// none. Control characters are those of ASCII and Unicode (U+0080..U+009F), line separators,
/// marks of writing direction, and bytes that are not UTF-8: any of them could fake a line of
/// output or send commands to a terminal.
std::size_t control_character_size(std::string_view text);
/// Returns whether `text` contains a control character (see control_character_size).
bool has_control_characters(std::string_view text);
/// Returns `text` with each control character, line ends included, replaced by a space.
std::string sanitize_line(std::string_view text);
/// Returns `text` with each control character replaced by a space, except line ends and tabs.
std::string sanitize_lines(std::string_view text);

/// Returns `name` with ASCII capitals in lower case, as SQL compares the names of columns.
std::string to_lower_ascii(std::string name);

/// Returns the part of `rest` before the first `separator`, or all of it when there is none, and
/// removes that part and the separator from `rest`. The result points into the same text.
std::string_view next_token(std::string_view& rest, char separator);

/// Returns `text` as a CSV field: quoted when it contains a comma, quote or line end (RFC 4180).
std::string quote_csv_field(std::string_view text);
/// Appends `text` to `row` as a CSV field, quoted where necessary.
void append_csv_field(std::string& row, std::string_view text);

}  // namespace starport
