#include "sim/files/error.hpp"

#include "sim/files/text.hpp"

#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

namespace starport {
namespace {

/// Returns `text` on one line, without control characters, cut after `longest` bytes.
std::string truncated(const std::string& text, std::size_t longest = 300) {
  return sanitize_line(text.substr(0, longest)) + (text.size() > longest ? "..." : "");
}

}  // namespace

void InputError::compose() {
  text_.clear();
  if (!file.empty()) text_ += truncated(file) + ": ";
  if (!place.empty()) text_ += truncated(place) + ": ";
  constexpr std::size_t longest_list = 1000;  // all names of a list are shown
  if (expected.empty()) {
    text_ += truncated(found);
    if (hint.empty()) return;
    std::string advice = truncated(hint, longest_list);
    if (advice.starts_with("did you mean")) advice.front() = 'D';
    text_ += ". " + advice;
    return;
  }
  const std::string in_parentheses = hint.empty() ? "" : " (" + truncated(hint) + ")";
  const std::string accepted = "expected " + truncated(expected, longest_list);
  if (found == "none") {
    text_ += accepted + ", but there is none" + in_parentheses;
  } else if (found == "nothing") {
    text_ += accepted + ", but nothing is given" + in_parentheses;
  } else {
    text_ += accepted + ", found " + truncated(found) + in_parentheses;
  }
}

InputError InputError::with_unknown_name(std::string place, const std::string& name,
                                         const std::string& what,
                                         const std::vector<std::string>& names,
                                         const std::string& listed) {
  const std::string near = did_you_mean(name, names);
  return with_problem(std::move(place),
                      name.empty() ? what + " is missing" : "'" + name + "' is not " + what,
                      near + (near.empty() || listed.empty() ? "" : " ") +
                          (listed.empty() ? "" : "Choose one of: " + listed));
}

std::size_t edit_distance(const std::string& a, const std::string& b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  const auto alike = [&](std::size_t i, std::size_t j) { return lower(a[i]) == lower(b[j]); };
  std::vector<std::size_t> before(b.size() + 1);  // row i - 2 of the table, then i - 1 and i
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
