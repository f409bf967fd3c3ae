// A compact encoding of timelines for the report page, decoded by plots/report/run.js.
#pragma once

#include "sim/results/timeline.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace starport {

/// Returns what the slices (activities) of a timeline refer to by index (from 0), as a JSON object
/// with the arrays groups (of lanes, such as a worker), lanes (rows of the chart), kinds (of
/// activity) and labels: the part of a run that encode_run() leaves out. Runs on the same platform
/// usually have the same object, so that a page stores it once.
nlohmann::ordered_json describe_chart(const Timeline& timeline);

/// Encodes the slices (activities), the makespan and the lower bound on it of a complete timeline
/// (not a piece of one) as bytes, which plots/report/run.js decodes; describe_chart() gives the
/// rest. Timeline::removals is left out. Dates are in seconds, exact to 1e-11 of the last date. The
/// indices in the slices must be valid (undefined behaviour otherwise). The format is internal and
/// has no version number.
///
/// Most slices start when another one ends and last as long as an earlier one. A start is therefore
/// the number of a rule, and a duration the index of an earlier duration, where the resulting date
/// is exact enough. Errors do not accumulate: rules are tried on the dates that the decoder will
/// compute.
///
/// Integers that cannot be negative are LEB128; an integer z that may be negative is written as 2z
/// if z >= 0, else as -2z-1; a real is a little-endian double. A slice's lanes are Slice::lane and
/// Slice::other_lane; earlier slices are those before it in Timeline::slices. Where there is no
/// previous slice, its number counts as 0. The bytes are, in this order:
/// - the number of slices; the makespan; the bound, NaN where there is none;
/// - the index of the kind of each slice;
/// - kind after kind, the lane of each of its slices, minus the lane of the previous slice of any
///   kind;
/// - then kind after kind, column after column, for each of its slices:
///   - the second lane plus 1, or 0 without one, minus the same number for the kind's previous
///     slice;
///   - the label, minus the label of the kind's previous slice;
///   - the start, as the number of a rule. 0: the next one in the list of starts. 1: when the
///     earlier slices in its lanes have ended. 2 + 2j: as 1, but not before the end of number j
///     (from 0), counted backwards, of the earlier slices whose Slice::lane is another lane of its
///     group. 3 + 2j: as 1, but not before the end of number j, counted backwards, of all earlier
///     slices;
///   - the duration. 0: that of the kind's previous slice in this lane. 1: the next one in the list
///     of durations that has not been used. 2 + i: number i, from 0, of that list;
///   - the integers of the arguments, each minus that of the kind's previous slice in this lane;
///     the end of a range is written as its length;
///   - the change of memory: 0 for none, else the group holds another number of blocks from the
///     start (1) or from the end (2) of the slice on;
///   - for slices that change it, that number of blocks, minus that of the kind's previous such
///     slice in this lane;
/// - the list of durations: their number, and each in seconds; then the list of the starts that no
///   rule gives, in seconds.
std::string encode_run(const Timeline& timeline);

/// Returns bytes as base64 text (RFC 4648, padded with =) without line breaks.
std::string to_base64(std::string_view bytes);

/// Compresses bytes (zlib format, at its highest level) and returns them as base64 text without
/// line breaks. Throws std::bad_alloc if there is not enough memory.
std::string compress_to_base64(std::string_view bytes);

}  // namespace starport
