// The exit statuses of all programs of this project.
#pragma once

namespace starport {

/// Exit status of a command that did what was asked: its results are complete and valid.
inline constexpr int kSuccess = 0;
/// Exit status of a command that failed for another reason than its input, for instance because a
/// simulated run, a check or a comparison failed, or memory was lacking.
inline constexpr int kFailedSimulation = 1;
/// Exit status of a command that refused its command line or an input file, or could not write its
/// output.
inline constexpr int kBadInput = 2;

}  // namespace starport
