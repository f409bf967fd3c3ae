// The options of the two programs that calibrate.
#pragma once

#include "sim/app/command_line.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/node_calibration.hpp"

#include <optional>
#include <string>

namespace starport {

/// All that both have but --unequal.
void add_calibration_options(CommandLine& line);

/// --unequal.
void add_unequal(CommandLine& line);

/// Throw InputError.
NodeSettings node_settings(const CommandLine& line);
std::string calibration_output(const CommandLine& line);
/// A quantity with its unit, greater than 0 (a time may be 0); nullopt when it is not given.
std::optional<double> quantity(const CommandLine& line, const char* option, Dimension dimension);

/// The options of --threads and --reserve, for the provenance.
std::string settings_text(const NodeSettings& settings);

/// Checks the file as its loader will, and tells how to use it: the end of what is printed.
std::string calibrated_text(const PlatformFile& file, const std::string& path);

}  // namespace starport
