// Who computes which part of C, where that is decided before the start: for drawings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

/// Rectangles that cover C. A worker may have several, or none.
struct Division {
  /// In shares of the sides of C, from its upper left corner.
  struct Part {
    std::int64_t worker;  ///< from 0
    double left;
    double right;
    double top;
    double bottom;
  };
  std::vector<Part> parts;
  std::string about;  ///< what is to be said of it, in a few words
};

}  // namespace starport
