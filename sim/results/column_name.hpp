// Columns that a specification names.
#pragma once

#include <string>

namespace starport {

/// A column's name: one that R and SQL take without quotes. Throws InputError.
void check_column(const std::string& name, const std::string& pointer);

}  // namespace starport
