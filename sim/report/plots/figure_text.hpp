// How much room text takes in a figure.
#pragma once

#include "sim/files/characters.hpp"

#include <string>

namespace starport {

inline constexpr double kText_cm = 0.14;       ///< a character of 8 pt, on average
inline constexpr double kSmallText_cm = 0.13;  ///< of 7 pt, with some space beside it

/// The text on lines of at most so many characters, broken at its spaces where there are some.
std::string wrapped(const std::string& text, double most);

/// A title above a figure, of 9 pt: on as many lines as it takes.
std::string fitted_title(const std::string& title, double width_cm);
double height_cm_of(const std::string& fitted_title);

/// A legend of 8 pt has its entries in columns of one width: how many rows they take.
std::size_t legend_rows(std::size_t entries, std::size_t longest_characters, double width_cm);

}  // namespace starport
