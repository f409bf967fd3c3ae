// Timelines read back from the CSV files that --trace writes.
#pragma once

#include "sim/study/timeline.hpp"

#include <optional>
#include <string>

namespace starport {

/// Reads the rows of one heuristic; it may be left open when the file holds a single one. Groups
/// are ordered by their worker, after those that are shared; the lanes of a group as they come.
/// What no figure needs is left out: labels and arguments. Rows are checked: the slices of a lane
/// follow each other. Throws InputError that names the file and the line.
Timeline read_trace(const std::string& path, const std::optional<std::string>& heuristic);

}  // namespace starport
