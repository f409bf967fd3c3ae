// Merging the result directories of the shards of a sweep.
#pragma once

#include "sim/sweep/specification.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

/// Merges the directories of all shards of one sweep into the new directory `output`, whose files
/// other than run_info.json equal those of a single run. `run` is recorded in run_info.json.
/// Returns the number of instances. Throws InputError when a shard is missing, given twice,
/// unfinished, changed, or produced by another program version.
std::int64_t merge_shards(const std::vector<std::string>& directories,
                          const ModelRegistry& registry, const std::string& output,
                          nlohmann::ordered_json run);

}  // namespace starport
