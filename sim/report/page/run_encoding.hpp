// A timeline in few bytes, for a page.
#pragma once

#include "sim/results/timeline.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace starport {

/// All but the slices: the groups, the lanes, the kinds and the labels that they name by number.
/// The same for runs on platforms alike.
nlohmann::ordered_json describe(const Timeline& timeline);

/// The slices, as plots/report/run.js reads them. A slice mostly starts when another one ends and
/// lasts as long as one before: its start is the number of a rule, its duration that of an earlier
/// duration, wherever they give the date to 1e-11 of the last one. Errors do not add up: they are
/// those of the dates that the reader computes.
///
/// Numbers are LEB128; an integer z that may be negative is 2z or -2z-1; a real is a little-endian
/// double.
/// - how many slices there are; the makespan; the bound, NaN where there is none;
/// - the kind of each slice;
/// - kind after kind, of its slices the lane, minus that of the slice before, of whatever kind;
/// - then kind after kind, column after column, of its slices:
///   - 0, or 1 + the other lane, minus that of the kind's slice before;
///   - the label, minus that of the kind's slice before;
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
/// - how many durations there are, and each in seconds; the starts still to be told.
std::string encode_run(const Timeline& timeline);

/// Bytes as text for a page: zlib's format, then base64.
std::string pack(std::string_view bytes);

}  // namespace starport
