// The files of a result directory, and run_info.json: which program produced the results, and when.
#pragma once

#include "sim/sweep/specification.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace starport {

/// Names of the files in a result directory, without the directory.
namespace result_files {
inline constexpr const char* kSpecification = "specification.json";
inline constexpr const char* kResults = "results.csv";
inline constexpr const char* kTimings = "timings.csv";
inline constexpr const char* kChecksums = "checksums.csv";
inline constexpr const char* kRunInfo = "run_info.json";
}  // namespace result_files

/// Returns the path of the file `name` in `directory`, joined with a slash where needed. Touches no
/// file.
std::string path_in(const std::string& directory, const char* name);

/// The origin of results: what determines them beside the specification. All rows of a result
/// directory have the same origin.
struct ResultOrigin {
  /// Name of the engine: "simgrid" or "analytic".
  std::string engine;
  /// Version of SimGrid, such as "3.36"; may be empty.
  std::string simgrid_version;
  /// The part of the sweep's instances that the directory holds.
  Shard shard;
};

/// Returns the content of run_info.json for a sweep that has not run yet: "complete" is false,
/// "runs" is empty. Computes the SHA-256 of the specification and its input files. Writes no file.
nlohmann::ordered_json make_run_info(const Specification& specification,
                                     const ResultOrigin& origin);

/// Checks that two contents of run_info.json have the same origin: shard, program version, commit,
/// engine and SimGrid version. Throws InputError that names run_info.json in `directory`, with
/// `hint` as its advice, at the first one that differs between `found` and `expected`.
void check_origin(const nlohmann::ordered_json& found, const nlohmann::ordered_json& expected,
                  const std::string& directory, const std::string& hint = "");

/// Reads run_info.json of a result directory and checks that the keys which other functions need
/// exist and have the right types. Throws InputError when the directory or the file is missing, or
/// the file cannot be read or is malformed. Does not check the SHA-256 in it.
nlohmann::ordered_json read_run_info(const std::string& directory);

/// Returns `run_info` as the text of run_info.json. Adds (or replaces) the last key,
/// run_info_sha256: the SHA-256, as 64 hexadecimal digits, of the text without that key.
std::string run_info_text(nlohmann::ordered_json run_info);

}  // namespace starport
