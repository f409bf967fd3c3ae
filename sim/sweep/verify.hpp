// Checks that the files of a result directory are unchanged since they were written.
#pragma once

#include "sim/sweep/specification.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

/// A complete result directory (all instances of its shard have rows), whose specification.json and
/// results.csv matched their checksums when it was read. Does not hold the rows.
struct CompleteResults {
  /// Path of the directory.
  std::string path;
  /// Text of specification.json.
  std::string specification;
  /// Content of run_info.json.
  nlohmann::ordered_json run_info;
  /// The part of the sweep's instances that the directory holds.
  Shard shard;
};
/// Reads run_info.json and specification.json of the result directory `path`, and compares
/// specification.json and results.csv with their checksums. Throws InputError when the sweep is
/// unfinished, a file has been changed, or a file is missing or cannot be read.
CompleteResults read_complete_results(const std::string& path);

/// Prints a warning on stderr for each file among `paths` that is called results.csv, lies in a
/// result directory (one with run_info.json), and was changed or belongs to an unfinished sweep.
/// Other paths are ignored. Reads each such file once to compute its checksum.
void warn_about_changed_results(const std::vector<std::string>& paths);

/// The state of a result directory whose files match their checksums.
struct Verification {
  /// True if all instances of the shard have rows and the sweep was marked as complete.
  bool complete = false;
  /// Number of instances that have rows.
  std::int64_t instances = 0;
  /// Number of instances of the shard, with or without rows.
  std::int64_t size = 0;
};

/// Verifies a result directory: compares all files of a complete one with their checksums; of an
/// unfinished one run_info.json, the specification and the rows written so far. `registry` must
/// have the models and algorithms of the sweep. Throws InputError with the file (and for rows the
/// line) at the first difference, and when a file is missing or cannot be read.
Verification verify_directory(const std::string& directory, const ModelRegistry& registry);

}  // namespace starport
