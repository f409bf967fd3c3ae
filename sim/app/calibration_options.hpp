// The options that `starport calibrate` and `starport-mpi calibrate` share.
#pragma once

#include "sim/app/command_line.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/node_calibration.hpp"

#include <optional>
#include <string>

namespace starport {

/// Adds the options that both programs have.
void add_calibration_options(CommandLine& line);

/// Adds --unequal, which slows down single workers artificially, so that alike machines act as
/// different ones.
void add_unequal(CommandLine& line);

/// Returns the settings of the measurements from the options. Throws InputError for a bad value or
/// for options that exclude each other.
NodeSettings node_settings(const CommandLine& line);
/// Returns the path of --output. Throws InputError if it is not given.
std::string calibration_output(const CommandLine& line);
/// Returns the value of `option`, a quantity with a unit, in SI units (bytes, seconds, bytes per
/// second); nullopt if it is not given. Throws InputError unless it is above 0 (0 is allowed for
/// times).
std::optional<double> quantity(const CommandLine& line, const char* option, Dimension dimension);

/// Returns where the memory figure comes from (--memory or --reserve), for the provenance.
std::string settings_text(const NodeSettings& settings);

/// Returns the table of the platform at its block size and where it was written, to be printed at
/// the end. Throws InputError if the loader would refuse the file.
std::string calibrated_text(const PlatformFile& file, const std::string& path);

}  // namespace starport
