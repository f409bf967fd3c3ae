// RFC 6901: where a value is in a JSON document.
#pragma once

#include <string>
#include <string_view>

namespace starport {

/// '~' and '/' are escaped inside a reference token.
inline std::string escaped(std::string_view key) {
  std::string token;
  for (char c : key) token += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
  return token;
}

}  // namespace starport
