// The kinds of files that `starport validate` recognises by their contents, apart from platforms
// and schedules.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace starport {

/// Checks a JSON document read from the file `path` and returns a description that starts with the
/// path and ends in a newline: its kind, which its top-level keys tell, and what it holds. Known
/// kinds are sweeps (campaigns), claims (statements of a paper) and measured durations, which are
/// read from `path` again; results, traces and messages of the protocol of external heuristics; and
/// noise (random variation of durations), whose files are relative to the directory of `path`.
/// Throws InputError, which names the file (or, for a sweep or noise, a file that it refers to), if
/// the document is invalid or of another kind, such as a platform or a schedule.
std::string describe_json(const nlohmann::json& document, const std::string& path);
/// Reads and checks the CSV file at `path`, which must hold results (a row per run, column status)
/// or a trace (a row per activity such as a transfer, column start_s), and returns a description
/// that starts with the path and ends in a newline. Throws InputError, which names the file and
/// usually the line or row (from 1), if it cannot be read, is neither, or is not valid.
std::string describe_csv(const std::string& path);

}  // namespace starport
