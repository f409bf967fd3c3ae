// Figures as they are seen: the pixels of a PNG, or those that a viewer makes of SVG and PDF.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace starport::test {

using Colour = std::array<std::uint8_t, 3>;

struct Pixels {
  std::size_t width;
  std::size_t height;
  std::vector<Colour> colours;  ///< row by row from the top

  const Colour& at(std::size_t x, std::size_t y) const { return colours.at(y * width + x); }
};

/// A .png as it is; a .svg as rsvg-convert and a .pdf as pdftoppm show it at that resolution.
Pixels pixels_of(const std::string& path, int dots_per_inch);

}  // namespace starport::test
