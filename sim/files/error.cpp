#include "sim/files/error.hpp"

#include "sim/files/text.hpp"

#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

namespace starport {

namespace {

/// A part of a message, short and on one line, whatever the input holds.
std::string tamed(const std::string& text, std::size_t longest = 300) {
  return one_line(text.substr(0, longest)) + (text.size() > longest ? "..." : "");
}

}  // namespace

void InputError::compose() {
  text_.clear();
  if (!file.empty()) text_ += tamed(file) + ": ";
  if (!place.empty()) text_ += tamed(place) + ": ";
  // What is expected may be a list of names, all of which are shown.
  text_ += "expected " + tamed(expected, 1000) + ", found " + tamed(found);
  if (!hint.empty()) text_ += " (" + tamed(hint) + ")";
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  const auto alike = [&](std::size_t i, std::size_t j) { return lower(a[i]) == lower(b[j]); };
  std::vector<std::size_t> before(b.size() + 1);  // the row before the last one
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(last, std::exchange(row, std::move(before)));
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j - 1] + !alike(i - 1, j - 1), last[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && alike(i - 1, j - 2) && alike(i - 2, j - 1);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace starport
