#include "sim/report/plots/figure_text.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace starport {

std::string wrap(const std::string& text, double max_characters) {
  std::string lines;
  std::size_t length = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t size = character_count(word);
    const bool fits = static_cast<double>(length + 1 + size) <= max_characters;
    lines += (length == 0 ? "" : fits ? " " : "\n") + word;
    length = length > 0 && fits ? length + 1 + size : size;
  }
  return lines;
}

std::string wrap_title(const std::string& title, double width_cm) {
  constexpr double character_cm = 0.165;
  return wrap(title, (width_cm - 0.4) / character_cm);
}

double title_height_cm(const std::string& wrapped_title) {
  constexpr double line_cm = 0.4;
  return line_cm * static_cast<double>(1 + std::ranges::count(wrapped_title, '\n'));
}

std::size_t legend_rows(std::size_t entries, std::size_t longest_characters, double width_cm) {
  constexpr double sample_cm = 0.9;
  const double column_cm = sample_cm + kText_cm * static_cast<double>(longest_characters);
  const double columns = std::max(std::floor(width_cm / column_cm), 1.0);
  return static_cast<std::size_t>(std::ceil(static_cast<double>(entries) / columns));
}

}  // namespace starport
