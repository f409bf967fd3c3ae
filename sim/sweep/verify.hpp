// Checks that the files of a result directory are unchanged since they were written.
#pragma once

#include "sim/sweep/specification.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

/// A complete result directory whose specification and results have their recorded checksums.
struct CompleteResults {
  std::string path;
  std::string specification;  ///< the text of specification.json
  nlohmann::ordered_json run_info;
  Shard shard;
};
/// Reads a result directory. Throws InputError when the sweep is unfinished, or when
/// specification.json or results.csv has been changed.
CompleteResults read_complete_results(const std::string& path);

/// Prints a warning on stderr for each results.csv among `paths` that lies in a result directory
/// and was changed, or whose sweep is unfinished.
void warn_about_changed_results(const std::vector<std::string>& paths);

/// The outcome of verifying a directory.
struct Verification {
  bool complete = false;       ///< the sweep has completed
  std::int64_t instances = 0;  ///< number of instances that have rows
  std::int64_t size = 0;       ///< number of instances of the shard
};

/// Compares all files of a complete directory with their checksums; of an unfinished one, its
/// specification and the rows written so far. Throws InputError with the file, and the line of
/// rows, at the first difference.
Verification verify_directory(const std::string& directory, const ModelRegistry& registry);

}  // namespace starport
