// Estimates of the room that text takes in a figure.
#pragma once

#include "sim/files/text.hpp"

#include <string>

namespace starport {

inline constexpr double kText_cm = 0.14;       ///< mean width of a character of 8 pt
inline constexpr double kSmallText_cm = 0.13;  ///< mean width of a character of 7 pt, and a margin

/// Breaks a text at spaces into lines of at most `max_characters`. Longer words stay whole.
std::string wrap(const std::string& text, double max_characters);

/// Breaks a title of 9 pt into lines that fit above a figure of this width.
std::string wrap_title(const std::string& title, double width_cm);
/// Returns the height of a title that wrap_title() has broken into lines; an empty one has a line.
double title_height_cm(const std::string& wrapped_title);

/// Returns how many rows a legend of 8 pt takes, whose entries stand in columns of equal width.
std::size_t legend_rows(std::size_t entries, std::size_t longest_characters, double width_cm);

}  // namespace starport
