// The kinds of files that `starport validate` recognises by their contents, apart from platforms
// and schedules.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace starport {

/// Checks a JSON document read from the file `path`, other than a platform or a schedule, and
/// returns a description that starts with the path and ends in a newline: its kind and what it
/// holds. The kind is told by the top-level keys. Sweeps (campaigns), claims (statements of a
/// paper) and measured durations are read from `path` again; files that noise (random variation of
/// durations) names are relative to the directory of `path`. Throws InputError, which names the
/// file (or, for a sweep or noise, a file that it refers to), if it is of no known kind, as a
/// platform or a schedule is here, or not valid.
std::string describe_json(const nlohmann::json& document, const std::string& path);
/// Reads and checks the CSV file at `path`, which must hold results (a row per run, column status)
/// or a trace (a row per transfer or update, column start_s), and returns a description that starts
/// with the path and ends in a newline. Throws InputError, which names the file and usually the
/// line or row (from 1), if it cannot be read, is neither, or is not valid.
std::string describe_csv(const std::string& path);

}  // namespace starport
