#include "sim/files/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {
namespace {

/// Returns whether a byte is a UTF-8 continuation byte (10xxxxxx).
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// Returns the size of the UTF-8 character that starts with byte `first`; 0 when no character does.
std::size_t character_size(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/// Returns `text` with a space for each control character, except where `is_allowed(rest)` is true
/// of the text from that character on.
template <class IsAllowed>
std::string replace_control_characters(std::string_view text, IsAllowed is_allowed) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const std::size_t control = is_allowed(text) ? 0 : control_character_size(text);
    const std::size_t size =
        control > 0 ? control : std::max<std::size_t>(1, character_size(text.front()));
    result += control > 0 ? " " : text.substr(0, size);
    text.remove_prefix(std::min(size, text.size()));
  }
  return result;
}

}  // namespace

std::string align_row(const std::vector<std::string>& row, const std::vector<std::size_t>& widths,
                      std::size_t indent, std::size_t flush_left) {
  std::string line(indent, ' ');
  for (std::size_t i = 0; i < row.size(); ++i) {
    const std::string padding(widths[i] - character_count(row[i]), ' ');
    if (i > 0) line += "  ";
    line += i < flush_left ? row[i] + padding : padding + row[i];
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string align(const std::vector<std::vector<std::string>>& rows, std::size_t indent,
                  std::size_t flush_left) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], character_count(row[i]));
  }
  std::string text;
  for (const auto& row : rows) text += align_row(row, widths, indent, flush_left);
  return text;
}

std::size_t character_count(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation));
}

std::string truncate_characters(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  for (std::size_t characters = 0; end < text.size(); ++end) {
    if (!is_continuation(text[end]) && characters++ == count) break;
  }
  return std::string(text.substr(0, end));
}

std::string format_count(std::int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::size_t control_character_size(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x20 || first == 0x7f) return 1;
  const std::size_t size = character_size(first);
  const std::string_view character = text.substr(0, size);
  if (size == 0 || character.size() < size ||
      !std::all_of(character.begin() + 1, character.end(), is_continuation)) {
    return 1;
  }
  const auto second = static_cast<unsigned char>(size > 1 ? character[1] : 0);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool no_scalar = (first == 0xed && second > 0x9f) || (first == 0xf4 && second > 0x8f);
  if (overlong || no_scalar) return 1;
  const bool c1 = first == 0xc2 && second < 0xa0;
  const bool separator = character == "\u2028" || character == "\u2029";
  const bool direction = character == "\u061c" || character == "\u200e" || character == "\u200f" ||
                         (character >= "\u202a" && character <= "\u202e") ||
                         (character >= "\u2066" && character <= "\u2069");
  const bool invisible = character == "\u200b" || character == "\u2060" || character == "\ufeff" ||
                         (character >= "\U000e0000" && character <= "\U000e007f");
  return c1 || separator || direction || invisible ? size : 0;
}

bool has_control_characters(std::string_view text) {
  while (!text.empty() && control_character_size(text) == 0) {
    text.remove_prefix(character_size(static_cast<unsigned char>(text.front())));
  }
  return !text.empty();
}

std::string sanitize_line(std::string_view text) {
  return replace_control_characters(text, [](std::string_view) { return false; });
}

std::string sanitize_lines(std::string_view text) {
  return replace_control_characters(text, [](std::string_view rest) {
    return rest.starts_with('\n') || rest.starts_with('\t') || rest.starts_with("\r\n");
  });
}

std::string to_lower_ascii(std::string name) {
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name;
}

std::string_view next_token(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view piece = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return piece;
}

std::string quote_csv_field(std::string_view text) {
  std::string field;
  append_csv_field(field, text);
  return field;
}

void append_csv_field(std::string& row, std::string_view text) {
  const auto needs_quotes = [](char c) { return c == ',' || c == '"' || c == '\r' || c == '\n'; };
  if (std::ranges::none_of(text, needs_quotes)) {
    row += text;
    return;
  }
  row += '"';
  for (const char c : text) {
    if (c == '"') row += '"';
    row += c;
  }
  row += '"';
}

}  // namespace starport
