// The exit statuses of all programs of this project.
#pragma once

namespace starport {

/// Exit status of a command that did what was asked: its results are complete and valid.
inline constexpr int kSuccess = 0;
/// Exit status of a command whose simulated run failed, or whose check or comparison did.
inline constexpr int kFailedSimulation = 1;
/// Exit status of a command that refused its command line or an input file.
inline constexpr int kBadInput = 2;

}  // namespace starport
