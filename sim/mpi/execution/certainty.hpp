// Certainty of the figures of a calibration and of the predicted time of a run.
#pragma once

#include "sim/app/command_line.hpp"

#include <optional>
#include <string>
#include <vector>

namespace starport::mpi {

/// Declares the option --require=SHARE, which required_half_width() reads and check_certainty()
/// applies. `refuses` starts its help text: what the command does not do if a result is less
/// certain, such as "do not run unless the time is predicted to +-SHARE". The help continues with
/// the confidence (95 %), an example and the default.
void add_require(CommandLine& line, const std::string& refuses);
/// Returns the value of --require as a share (0.05: 5 %); nullopt if the option is not given.
/// Throws InputError for a value that is not greater than 0 and less than 1.
std::optional<double> required_half_width(const CommandLine& line);

/// Checks a result with a 95 % interval of half the width `half_width`, relative to the result
/// (0.05: +-5 %; infinite: unknown). `statement` names the result and continues with "to +-5%",
/// such as "Het is predicted"; `problems` are sentences without full stops. Throws SimulationError
/// if `required` is less than the half-width. Otherwise returns a warning with `problems` or, if
/// there are none, with advice, if the half-width is known and exceeds 5 %, without a full stop and
/// a newline at its end; an empty string if not.
std::string check_certainty(const std::string& statement, double half_width,
                            std::optional<double> required,
                            const std::vector<std::string>& problems);

}  // namespace starport::mpi
