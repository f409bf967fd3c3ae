// A Gantt chart of two runs on one time axis.
#pragma once

#include "sim/results/timeline.hpp"

#include <optional>
#include <string>

namespace starport {

/// Draws the timelines of two runs (complete, not pieces), at least one of which has slices
/// (activities), as a Gantt chart on one time axis, and writes it to `path`, whose ending (.svg,
/// .pdf, .png, .csv or .py) is its format. `from` and `to`, texts with dates in simulated seconds,
/// restrict the axis; nullopt: from 0, to the last date. `option` names the option that gave the
/// path, for errors. Blocks while Matplotlib draws; call it from a process with one thread. Throws
/// InputError if the ending is another one, the file cannot be written, there is no slice, or a
/// date is no number or outside the runs; std::runtime_error if Matplotlib is missing or fails. A
/// file at `path` is replaced only on success.
void draw_two_runs(const Timeline& a, const Timeline& b, const std::string& path,
                   const char* option, const std::optional<std::string>& from = {},
                   const std::optional<std::string>& to = {});

}  // namespace starport
