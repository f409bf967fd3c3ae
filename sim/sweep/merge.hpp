// Complete result directories: reading one, and putting those of shards together.
#pragma once

#include "sim/sweep/specification.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace starport {

/// A complete directory, whose rows are what they were.
struct CompleteResults {
  std::string path;
  std::string specification;  ///< the text of specification.json
  nlohmann::ordered_json run_info;
  Shard shard;
};
/// Throws InputError when the directory is not complete or has been changed since.
CompleteResults read_results(const std::string& path);
/// Tells of those of the files that are a sweep's results but not what a complete one wrote.
void tell_doubts(const std::vector<std::string>& paths);

/// Checks that the directories are all the shards of one sweep, each once, made by the same
/// program, and writes a complete directory that is, run_info.json aside, what a single run writes.
/// `run` is noted in run_info.json. Returns the number of instances. Throws InputError.
std::int64_t merge_shards(const std::vector<std::string>& directories, const Known& known,
                          const std::string& output, nlohmann::ordered_json run);

}  // namespace starport
