// Reading CSV texts row by row (RFC 4180).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Hands the rows of a CSV text to a function, each with the line where it starts. Lines end with
/// LF, CR LF or CR; blank ones are skipped. Throws InputError naming the line.
void for_each_row(
    std::string_view text,
    const std::function<void(std::vector<std::string>& fields, std::size_t line)>& take);

}  // namespace starport
