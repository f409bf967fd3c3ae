// Merging the result directories of the shards of a sweep.
#pragma once

#include "sim/sweep/specification.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace starport {

/// Merges the result directories of all shards (parts, run separately) of one sweep, in any order,
/// into the directory `output`, which must be new, empty, or left unfinished by an earlier call for
/// the same sweep, and is locked meanwhile; its results.csv then equals that of a sweep run as a
/// whole. `registry` must have the simulation models and algorithms that the sweep uses; `run` is a
/// JSON object about this merge that is recorded in run_info.json. Returns the number of instances
/// of the sweep. Throws InputError when a shard is missing, given twice, unfinished or changed,
/// when the shards differ in the number of shards, specification, program version, commit, engine,
/// SimGrid version or plug-ins, when load_specification() refuses the specification, and when
/// `output` has other content (such as complete results), is still locked after a second or cannot
/// be written; if `output` has been started by then, it is left behind, unfinished, and another
/// call goes on there. `directories` must not be empty (undefined behaviour).
std::int64_t merge_shards(const std::vector<std::string>& directories,
                          const ModelRegistry& registry, const std::string& output,
                          nlohmann::ordered_json run);

}  // namespace starport
