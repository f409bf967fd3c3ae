// Noise as people write it: on the command line, and in JSON.
#pragma once

#include "sim/model/json_node.hpp"
#include "sim/model/noise.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace starport {

/// The coefficients of variation accepted are from 0 to this.
inline constexpr double kLargestCv = 2;

/// Reads items separated by commas: cv=6% or 0.06 (of transfers and updates; transfer_cv= or
/// update_cv= of one), samples=FILE, slow=WORKER@DATE:x2 (slow_link=, slow_compute= one of them),
/// stop=WORKER@DATE, seed=N; or the path of a JSON file (*.json) with an object. Workers count from
/// 1, dates are seconds or have a unit. Throws InputError naming the place.
Noise parse_noise(std::string_view text, const std::string& place, std::uint64_t default_seed = 0);

/// Reads an object with the same keys: {"cv": 0.06, "samples": {"transfers_s": [[...], ...],
/// "updates_s": [...]}, "slow": [{"worker": 3, "from_s": 120, "factor": 2, "of": "link"}], "stop":
/// [{"worker": 2, "at_s": 300}], "seed": 1}. Samples may be the path of a file too, from
/// `directory`. Throws InputError.
Noise read_noise(const JsonNode& node, std::uint64_t default_seed, const std::string& directory);

/// Measured durations, {"transfers_s": ..., "updates_s": ...}: lists of repetitions of one
/// transfer or update, or a list of such lists. Each becomes its ratio to the median of its list.
void read_samples(const JsonNode& node, Noise& noise);

/// A coefficient of variation, checked.
double read_cv(const JsonNode& node);

/// As read_noise reads it; without the repetition. The samples are those of their file, read again.
nlohmann::ordered_json to_json(const Noise& noise);

/// As parse_noise reads it; without the repetition. "" where there is none.
std::string to_text(const Noise& noise);

}  // namespace starport
