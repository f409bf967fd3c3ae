// Merging the result directories of the shards of a sweep.
#pragma once

#include "sim/sweep/specification.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

/// Merges the result directories of all shards of one sweep (at least one, in any order) into the
/// directory `output`, which must be new or empty and is locked meanwhile; its results.csv then
/// equals that of an unsharded run. `registry` must have the models and algorithms of the sweep;
/// `run` is a JSON object about this merge that is recorded in run_info.json. Returns the number of
/// instances. Throws InputError when a shard is missing, given twice, unfinished, changed, or
/// produced by another program version or engine, when load_specification() refuses the
/// specification, and when `output` is not empty, locked or cannot be written; once rows have been
/// written, it is left behind unfinished. `directories` must not be empty (undefined behaviour).
std::int64_t merge_shards(const std::vector<std::string>& directories,
                          const ModelRegistry& registry, const std::string& output,
                          nlohmann::ordered_json run);

}  // namespace starport
