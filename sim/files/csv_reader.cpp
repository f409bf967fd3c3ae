#include "sim/files/csv_reader.hpp"

#include "sim/files/error.hpp"
#include "sim/files/text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starport {
namespace {

using namespace std::string_view_literals;

[[noreturn]] void fail(std::string expected, std::string found, std::size_t line) {
  throw InputError(fmt::format("line {}", line), std::move(expected), std::move(found));
}

/// Up to the first control character. As in JSON; but lines end here, and a byte that is no UTF-8
/// is some old program's letter.
std::string_view before_controls(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    if ((first >= 0x20 && first < 0x7f) || "\t\r\n"sv.find(text[i]) != text.npos) continue;
    const std::size_t size = control_size(text.substr(i));
    if (size > 1 || (size == 1 && first < 0x80)) return text.substr(0, i);
  }
  return text;
}

/// Up to one of these characters, or to the end of the text, which begins there from then on.
std::string_view take_until_one_of(std::string_view& text, std::string_view characters,
                                   std::size_t& line) {
  const std::string_view taken = text.substr(0, text.find_first_of(characters));
  text.remove_prefix(taken.size());
  const std::string_view plain = before_controls(taken);
  line += static_cast<std::size_t>(std::ranges::count(plain, '\n'));
  if (plain.size() < taken.size()) fail("text", "a control character", line);
  if (text.starts_with('\0')) fail("text", "a NUL byte", line);
  return taken;
}

std::string take_quoted(std::string_view& text, std::size_t& line) {
  const std::size_t start = line;
  std::string field;
  for (text.remove_prefix(1);; text.remove_prefix(1), field += '"') {
    field += take_until_one_of(text, "\"\0"sv, line);
    if (text.empty()) fail("a closing quote", "the end of the file", start);
    text.remove_prefix(1);
    if (!text.starts_with('"')) return field;
  }
}

}  // namespace

void for_each_row(
    std::string_view text,
    const std::function<void(std::vector<std::string>& fields, std::size_t line)>& take) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::size_t line = 1;
  for (std::vector<std::string> fields; !text.empty(); fields.clear()) {
    const std::size_t start = line;
    bool quoted = false;
    do {
      if (!fields.empty()) text.remove_prefix(1);
      quoted = text.starts_with('"');
      fields.push_back(quoted ? take_quoted(text, line)
                              : std::string(take_until_one_of(text, ",\r\n\"\0"sv, line)));
    } while (text.starts_with(','));
    if (!text.empty() && !text.starts_with('\r') && !text.starts_with('\n')) {
      fail("quotes around the whole of a field, doubled inside", "a stray one", line);
    }
    const std::size_t end_size = text.starts_with("\r\n") ? 2 : text.empty() ? 0 : 1;
    line += end_size > 0 && text[end_size - 1] == '\n';
    text.remove_prefix(end_size);
    if (quoted || fields.size() > 1 || !fields.front().empty()) take(fields, start);
  }
}

}  // namespace starport
