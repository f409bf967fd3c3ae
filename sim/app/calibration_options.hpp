// The options that `starport calibrate` and `starport-mpi calibrate` share.
#pragma once

#include "sim/app/command_line.hpp"
#include "sim/files/units.hpp"
#include "sim/kernel/node_measures.hpp"

#include <optional>
#include <string>

namespace starport {

/// Declares in `line` the options that `starport calibrate` and `starport-mpi calibrate` share
/// (--output, --block-sizes, --threads, --memory, ...). node_settings() and calibration_output()
/// read them, except for --name, which the caller reads. Call it once, before CommandLine::parse().
void add_calibration_options(CommandLine& line);

/// Declares in `line` the option --unequal, which slows down single workers artificially, so that
/// alike machines act as different ones. The caller parses its text, line.find("unequal"), with
/// parse_unequal_workers(). Call it once, before CommandLine::parse().
void add_unequal(CommandLine& line);

/// Returns the settings of the measurements that a calibration makes on one machine (block sizes,
/// threads, memory, ...) from a parsed command line that declared add_calibration_options()
/// (otherwise throws std::out_of_range). Throws InputError, naming the option, for a bad value,
/// for options that exclude each other, or for --speed-side without --speed-function. Measures
/// nothing.
NodeSettings node_settings(const CommandLine& line);
/// Returns the path that --output gives, the platform file for a calibration to write; opens
/// nothing. Throws InputError, naming the option, if it is not given.
std::string calibration_output(const CommandLine& line);
/// Returns the value of an option that is a quantity with a unit ("512MiB", read by
/// parse_quantity()), in SI units: bytes, seconds, bytes per second or flop/s, as `dimension` says;
/// nullopt if the option is not given or not declared. `option` is the long name without dashes.
/// Throws InputError, naming the option, for a syntax error, a unit of another dimension, a
/// negative value, or 0 unless it is a time.
std::optional<double> quantity(const CommandLine& line, const char* option, Dimension dimension);

/// Returns a note for people on how the workers' memory was determined, to be stored in the
/// platform file: "memory as given" if settings.memory_bytes is set (--memory), else with the share
/// settings.reserve (--reserve), such as "memory: what was free, less a reserve of 25%" for 0.25.
/// No newline at its end.
std::string settings_text(const NodeSettings& settings);

/// Returns what to print at the end of a calibration: the table of the platform's workers at its
/// block size and `path`, where it is written, ending in a newline. Writes no file. Requires that
/// `file` has a block size (undefined behaviour otherwise). Throws InputError if no valid star
/// platform follows from it (PlatformFile::at_block_size()).
std::string calibrated_text(const PlatformFile& file, const std::string& path);

}  // namespace starport
