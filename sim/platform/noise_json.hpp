// Noise as JSON files have it, those of measured durations included.
#pragma once

#include "sim/files/json_node.hpp"
#include "sim/platform/noise.hpp"

#include <cstdint>
#include <string>

namespace starport {

struct Samples;

/// Reads an object with the keys of the items of --noise: {"cv": 0.06, "samples": {"transfers_s":
/// [[...], ...], "updates_s": [...]}, "update_factors": [0.9, 1, 1.1], "slow": [{"worker": 3,
/// "from_s": 120, "factor": 2, "of": "link"}], "stop": [{"worker": 2, "at_s": 300}], "seed": 1}.
/// Samples may be the path of a file too, from `directory`. Throws InputError.
Noise read_noise(const JsonNode& node, std::uint64_t default_seed, const std::string& directory);

/// Reads a file of measured durations, {"transfers_s": ..., "updates_s": ...}: lists of repetitions
/// of one transfer or update, or a list of such lists. Each becomes its ratio to the median of its
/// list. Throws InputError.
Samples load_samples(const std::string& path);

/// A coefficient of variation, checked.
double read_cv(const JsonNode& node);

/// As read_noise reads it; without the repetition. The samples of a file are read again from there.
nlohmann::ordered_json to_json(const Noise& noise);

}  // namespace starport
