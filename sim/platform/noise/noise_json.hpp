// Noise in JSON, in files of measured durations, and as text on one line (option --noise, a column
// of results).
#pragma once

#include "sim/files/json.hpp"
#include "sim/platform/noise/noise.hpp"
#include "sim/platform/platform_file.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace starport {

/// Measured durations, each divided by the median of the list that it came in.
struct DurationRatios {
  /// Ratios of the durations of transfers; empty when none were measured.
  std::vector<double> transfers;
  /// Ratios of the durations of updates; empty when none were measured.
  std::vector<double> updates;
  /// Path of the file that they come from; "" when they come from none.
  std::string file;
};

/// Reads noise from an object with the keys of the items of --noise: {"cv": 0.06, "samples":
/// {"transfers_s": [[...], ...], "updates_s": [...]}, "update_factors": [0.9, 1, 1.1], "slow":
/// [{"worker": 3, "from_s": 120, "factor": 2, "of": "link"}], "stop": [{"worker": 2, "at_s": 300}],
/// "seed": 1}. Workers count from 1 there, dates are in seconds. "samples" may also be the path of
/// a file, relative to `directory`. `default_seed` applies without "seed". Throws InputError
/// without a file name when the object is invalid, and naming the file of "samples" when that
/// cannot be read.
Noise read_noise(const JsonNode& node, std::uint64_t default_seed, const std::string& directory);

/// Reads a JSON file of measured durations, {"transfers_s": ..., "updates_s": ...}, at least one of
/// the two: a list of repetitions in seconds of one transfer or update, or a list of such lists.
/// Each duration is divided by the median of its list. Throws InputError naming the file when it
/// cannot be read or is invalid, or a ratio is not within 0.001..1e6.
DurationRatios load_duration_ratios(const std::string& path);

/// Reads a coefficient of variation: a number such as 0.06, or a string such as "6%" (0.06). Throws
/// InputError without a file name unless it is from 0 to 2.
double read_cv(const JsonNode& node);

/// Returns noise as the JSON object that read_noise() reads, without the repetition. Samples from a
/// file are read again from that file and included; throws InputError naming it when that fails.
nlohmann::ordered_json to_json(const Noise& noise);

/// Parses noise from items separated by commas: cv=6% or 0.06 (of transfers and updates;
/// transfer_cv= or update_cv= of one), samples=FILE or transfer_factors=0.9:1:1.1 and
/// update_factors=, slow=WORKER@DATE:x2 (slow_link=, slow_compute= one of them), stop=WORKER@DATE,
/// seed=N, a whole number from 0 to 2^53; or the path of a JSON file (*.json) with an object as
/// read_noise() reads it.
///
/// Workers count from 1, or are called by the names that `platform` gives them (nullptr: numbers
/// only; it is used during the call only, and numbers beyond its workers pass, see check_workers).
/// Dates are simulated seconds or have a unit. `default_seed` applies without seed=. Throws
/// InputError at `place` when the text is wrong, and naming the file when a file is.
Noise parse_noise(std::string_view text, const std::string& place, std::uint64_t default_seed = 0,
                  const PlatformFile* platform = nullptr);

/// Returns noise as a text on one line that parse_noise() reads, without the repetition; "" for no
/// noise. Factors from a file are given as the name of the file.
std::string to_text(const Noise& noise);

}  // namespace starport
