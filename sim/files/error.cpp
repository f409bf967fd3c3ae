#include "sim/files/error.hpp"

#include <cctype>
#include <numeric>
#include <vector>

namespace starport {

namespace {

/// A part of a message, short and on one line, whatever the input holds: control characters of
/// Unicode too (U+0080..U+009F, the line separators) would break the line, or the terminal.
std::string tamed(const std::string& text) {
  constexpr std::size_t longest = 300;
  std::string tame;
  for (std::size_t i = 0; i < text.size() && tame.size() < longest; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    const bool control = byte < 0x20 || byte == 0x7f || (byte == 0xc2 && next < 0xa0) ||
                         text.compare(i, 3, "\u2028") == 0 || text.compare(i, 3, "\u2029") == 0;
    tame += control ? ' ' : text[i];
  }
  return text.size() > longest ? tame + "..." : tame;
}

}  // namespace

void InputError::compose() {
  text_.clear();
  if (!file.empty()) text_ += tamed(file) + ": ";
  if (!place.empty()) text_ += tamed(place) + ": ";
  text_ += "expected " + tamed(expected) + ", found " + tamed(found);
  if (!hint.empty()) text_ += " (" + tamed(hint) + ")";
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace starport
