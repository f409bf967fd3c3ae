// Estimates of the room that text takes in a figure.
#pragma once

#include "sim/files/text.hpp"

#include <string>

namespace starport {

/// Mean width of a character of 8 pt text in a plot, in cm.
inline constexpr double kText_cm = 0.14;
/// Mean width of a character of 7 pt text in a plot, in cm, including its part of the margin around
/// the text.
inline constexpr double kSmallText_cm = 0.13;

/// Breaks a text at white space into lines of at most `max_characters` characters (not bytes;
/// UTF-8), separated by newlines, without one at the end. Longer words stay whole on a line of
/// their own; each run of white space becomes one newline or space, and none is left at the ends.
/// Returns "" for a blank text.
std::string wrap(const std::string& text, double max_characters);

/// Breaks the title of a plot, set in 9 pt, into lines that fit above a plot of width `width_cm`
/// (centimetres). Lines are separated by newlines, without one at the end; words that are too long
/// stay whole, and runs of white space become one. A width near 0 gives one word per line.
std::string wrap_title(const std::string& title, double width_cm);
/// Returns the height in cm of the title of a plot that wrap_title() has broken into lines; an
/// empty title has the height of one line.
double title_height_cm(const std::string& wrapped_title);

/// Returns how many rows a legend in 8 pt text takes in a plot of width `width_cm` (centimetres),
/// with `entries` entries in columns of equal width. `longest_characters` is the length of the
/// longest entry in characters. A plot too narrow for one column counts as having one. Returns 0
/// for no entries.
std::size_t legend_rows(std::size_t entries, std::size_t longest_characters, double width_cm);

}  // namespace starport
