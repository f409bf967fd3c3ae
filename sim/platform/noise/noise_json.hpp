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

/// Measured durations of transfers and updates as factors without a unit: each was divided by the
/// median of the list that it came in. Made by load_duration_ratios(); the factors serve as
/// Variation::ratios.
struct DurationRatios {
  /// Measured durations of transfers, each divided by the median of its list; empty when none were
  /// measured.
  std::vector<double> transfers;
  /// Measured durations of updates, each divided by the median of its list; empty when none were
  /// measured.
  std::vector<double> updates;
  /// Path of the file that the durations come from: the value of the key "file" beside them if
  /// there is one, else the path of the file that was read; "" when they come from none.
  std::string file;
};

/// Reads noise (random variation of durations, slow-downs and stops of workers) from an object with
/// the keys of the items of --noise, all optional: {"cv": 0.06, "slow": [{"worker": 3, "from_s":
/// 120, "factor": 2, "of": "link"}], "stop": [{"worker": 2, "at_s": 300}], "seed": 1, "comment":
/// "..."}. "cv" holds for transfers and updates; instead of it there may be "transfer_cv" and
/// "update_cv", or "transfer_factors" and "update_factors" ([0.9, 1, 1.1]), or "samples"
/// ({"transfers_s": [[...], ...], "updates_s": [...]}). An "update_cv" of "measured" stands for the
/// deviations in the platform file. Workers count from 1 there, dates are in seconds from the start
/// of the run, a seed is from 0 to 2^53; without "of" (link or compute) both slow down. "samples"
/// may also be the path of a file, relative to `directory` (as it is written if that is ""); then
/// the call is not thread-safe. `default_seed` applies without "seed"; the repetition is 1.
///
/// Throws InputError without a file name when `node` is no object, has another key or a value out
/// of range, gives the variation of one activity twice, slows a worker's activity down twice at one
/// date or stops a worker twice; and naming the file of "samples" when that cannot be read or is
/// invalid. Whether the workers exist is left to check_workers().
Noise read_noise(const JsonNode& node, std::uint64_t default_seed, const std::string& directory);

/// Reads a JSON file of measured durations, {"transfers_s": ..., "updates_s": ...}, at least one of
/// the two: a list of repetitions in seconds (> 0) of one transfer or update, or a list of such
/// lists. Each duration is divided by the median of its list. "schema_version" (1), "comment" and
/// "file" (see DurationRatios::file) are allowed too. A relative path that does not exist is also
/// searched among the installed files. Throws InputError naming the file when it cannot be read or
/// is invalid, a list is empty, or a ratio is not within 0.001..1e6. Not thread-safe.
DurationRatios load_duration_ratios(const std::string& path);

/// Reads a coefficient of variation (standard deviation over mean): a number such as 0.06, or a
/// string such as "6%", which gives 0.06. Throws InputError without a file name for anything else
/// or a value not within 0..2.
double read_cv(const JsonNode& node);

/// Returns noise as the JSON object that read_noise() reads, without the number of the repetition.
/// Measured durations from a file (Variation::file) are read again from that file and included,
/// with its name; if the file cannot be read or has other durations now, the factors are written
/// instead, without the name. A seed above 2^53, which read_noise() refuses, is written all the
/// same. Not thread-safe.
nlohmann::ordered_json to_json(const Noise& noise);

/// Parses noise (random variation of durations, slow-downs and stops of workers) from items
/// separated by commas, in any order: cv=6% or 0.06 (of transfers and updates; transfer_cv= or
/// update_cv= of one, update_cv=measured for the deviations in the platform file), samples=FILE
/// (relative to the current directory, without commas) or transfer_factors=0.9:1:1.1 and
/// update_factors=, slow=WORKER@DATE:x2 (slow_link= for transfers only, slow_compute= for updates
/// only), stop=WORKER@DATE, seed=N, a whole number from 0 to 2^53. Alternatively parses the path of
/// a JSON file (ending in .json, without =) with an object as read_noise() reads it, in which file
/// names are relative to that file's directory. Not thread-safe where it reads a file.
///
/// Workers count from 1 (3 or P3), or are called by the names that `platform` gives them; nullptr:
/// numbers only. `platform` is used during the call only, and numbers beyond its workers pass (see
/// check_workers). Dates are simulated seconds or have a unit ("2ms"). `default_seed` applies
/// without seed=; the repetition is 1. Throws InputError at `place` (an option), without a file
/// name, when the text is empty, has an unknown, repeated or contradictory item, an unknown name or
/// a value out of range; and naming the file when a file cannot be read or is invalid. Only slow=
/// and stop= may be repeated.
Noise parse_noise(std::string_view text, const std::string& place, std::uint64_t default_seed = 0,
                  const PlatformFile* platform = nullptr);

/// Returns noise as a text on one line that parse_noise() reads, without the number of the
/// repetition; "" for no noise, which parse_noise() refuses. Factors from a file are given as the
/// name of the file, which parse_noise() reads again, or one by one if a comma is in the name. A
/// seed above 2^53 is written but not read again.
std::string to_text(const Noise& noise);

}  // namespace starport
