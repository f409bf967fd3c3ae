// The kinds of files that `starport validate` recognises by their contents, apart from platforms
// and schedules.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace starport {

/// Checks a JSON document and returns a description of it: its kind and what it holds. Throws
/// InputError if it is of no known kind or not valid.
std::string describe_json(const nlohmann::json& document, const std::string& path);
/// Checks a CSV file with results or a trace and returns a description of it. Throws InputError if
/// it is neither or not valid.
std::string describe_csv(const std::string& path);

}  // namespace starport
