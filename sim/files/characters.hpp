// Texts of UTF-8 by characters.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace starport {

/// Whether a byte goes on with a character.
inline bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

inline std::size_t characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation));
}

/// The first so many of them.
inline std::string first_characters(std::string_view text, std::size_t most) {
  std::size_t end = 0;
  for (std::size_t count = 0; end < text.size(); ++end) {
    if (!is_continuation(text[end]) && count++ == most) break;
  }
  return std::string(text.substr(0, end));
}

}  // namespace starport
