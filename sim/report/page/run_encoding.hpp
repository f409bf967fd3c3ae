// A compact encoding of timelines for the report page, decoded by plots/report/run.js.
#pragma once

#include "sim/results/timeline.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace starport {

/// Returns the parts of a timeline to which slices refer by index, as JSON: groups, lanes, kinds,
/// labels. Runs on the same platform usually share it.
nlohmann::ordered_json describe_chart(const Timeline& timeline);

/// Encodes the slices of a timeline as bytes, as plots/report/run.js decodes them. Most slices
/// start when another one ends and last as long as an earlier one. A start is therefore the number
/// of a rule, and a duration the index of an earlier duration, where the resulting date is right to
/// 1e-11 of the last date. Errors do not accumulate: rules are tried on the dates that the decoder
/// will compute.
///
/// Naturals are LEB128; an integer z that may be negative is 2z or -2z-1; a real is a little-endian
/// double.
/// - how many slices there are; the makespan; the bound, NaN where there is none;
/// - the kind of each slice;
/// - kind after kind, the lane of each of its slices, minus the lane of the previous slice of any
///   kind;
/// - then kind after kind, column after column, for each of its slices:
///   - 0, or 1 + the other lane, minus this number of the kind's previous slice;
///   - the label, minus the label of the kind's previous slice;
///   - the start: 0 when it is told below, 1 when it is as early as its lanes allow; 2 + 2j the
///   same,
///     but not before the end of the last slice but j in the other lanes of the group; 3 + 2j the
///     same, of the last slice but j of all;
///   - the duration: 0 for that of the kind's slice before in this lane, 1 for the next one below
///   that
///     has not been used, 2 + its number for one that has;
///   - the integers of the arguments, each minus that of the kind's slice before in this lane; the
///     end of a range is told by its length;
///   - 0, or that the group holds another number of blocks from the start (1) or the end (2) on;
///   - of those that tell it, that number, minus that of the kind's slice before in this lane;
/// - the number of durations, and each in seconds; then the starts that no rule gives.
std::string encode_run(const Timeline& timeline);

/// Compresses bytes (zlib format) and encodes them as base64 text.
std::string compress_to_base64(std::string_view bytes);

}  // namespace starport
