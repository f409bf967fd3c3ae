// The files of a result directory, and run_info.json: which program produced the results, and when.
#pragma once

#include "sim/sweep/specification.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace starport {

/// Names of the files in a result directory.
namespace result_files {
inline constexpr const char* kSpecification = "specification.json";
inline constexpr const char* kResults = "results.csv";
inline constexpr const char* kTimings = "timings.csv";
inline constexpr const char* kChecksums = "checksums.csv";
inline constexpr const char* kRunInfo = "run_info.json";
}  // namespace result_files

/// Returns the path of the file `name` in a directory.
std::string path_in(const std::string& directory, const char* name);

/// The origin of results: what determines them beside the specification. All rows of a directory
/// have the same.
struct ResultOrigin {
  std::string engine;
  std::string simgrid_version;
  Shard shard;
};

/// Returns the content of run_info.json for a sweep that has not run yet.
nlohmann::ordered_json make_run_info(const Specification& specification,
                                     const ResultOrigin& origin);

/// Throws InputError naming run_info.json when the shard, the program version, the commit, the
/// engine or the SimGrid version differ between `found` and `expected`.
void check_origin(const nlohmann::ordered_json& found, const nlohmann::ordered_json& expected,
                  const std::string& directory, const std::string& hint = "");

/// Reads run_info.json of a directory and checks its keys. Throws InputError when the file is
/// missing or malformed.
nlohmann::ordered_json read_run_info(const std::string& directory);

/// Returns the text of run_info.json. Its last key is the SHA-256 of the text without that key.
std::string run_info_text(nlohmann::ordered_json run_info);

}  // namespace starport
