// A Gantt chart of two runs on one time axis.
#pragma once

#include "sim/results/timeline.hpp"

#include <optional>
#include <string>

namespace starport {

/// Draws two runs, worker by worker, on one time axis and writes the chart to `path`, whose ending
/// (.svg, .pdf, .png or .csv) is its format. Labelled slices are needed, as read_trace() gives them
/// with TraceDetail::labels. `from` and `to`, texts in simulated seconds, restrict the axis.
/// `option` names the option that gave the path and must be a string literal. Throws InputError if
/// the ending is another one, the file cannot be written or a date is no number.
void draw_two_runs(const Timeline& a, const Timeline& b, const std::string& path,
                   const char* option, const std::optional<std::string>& from = {},
                   const std::optional<std::string>& to = {});

}  // namespace starport
