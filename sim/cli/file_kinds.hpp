// The kinds of files that `starport validate` knows by what they hold, beside platforms and
// schedules.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace starport {

/// Checks a JSON document of any such kind, and says what it is. Throws InputError when it is of
/// none, or not a valid one.
std::string describe_json(const nlohmann::json& document, const std::string& path);
/// The same of a CSV file: results or a trace.
std::string describe_csv(const std::string& path);

}  // namespace starport
