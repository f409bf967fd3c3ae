#include "sim/model/error.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <vector>

namespace starport {

void InputError::compose() {
  text_.clear();
  if (!file.empty()) text_ += file + ": ";
  if (!place.empty()) text_ += place + ": ";
  text_ += "expected " + expected + ", found " + found;
  if (!hint.empty()) text_ += " (" + hint + ")";
  // One line, whatever the input holds: a control character would break it, or the terminal.
  for (char& c : text_) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
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
