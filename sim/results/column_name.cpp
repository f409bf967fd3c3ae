#include "sim/results/column_name.hpp"

#include "sim/files/error.hpp"

#include <algorithm>

namespace starport {

void check_column(const std::string& name, const std::string& pointer) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const bool good = !name.empty() && letter(name.front()) && std::ranges::all_of(name, [&](char c) {
    return letter(c) || (c >= '0' && c <= '9');
  });
  if (!good) {
    throw InputError(pointer, "a column name of letters, digits and _", '"' + name + '"');
  }
}

}  // namespace starport
