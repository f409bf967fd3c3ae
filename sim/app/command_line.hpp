// The command line of one command: its options, their values, and the case that they describe.
#pragma once

#include "sim/platform/platform_file.hpp"
#include "sim/platform/problem.hpp"
#include "sim/process/exit_status.hpp"
#include "sim/results/model.hpp"

#include <boost/program_options.hpp>
#include <nlohmann/json_fwd.hpp>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// Hidden option that makes a program or a command print its description as JSON, from which
/// sim/package/manual.py makes manual pages and completions.
inline constexpr const char* kDescribe = "--describe";

/// The declared options of one command, and their values once parse() has read the arguments.
class CommandLine {
 public:
  /// Declares a command `program name`. `positional` are its arguments without a dash, in order:
  /// all are required; the last one may be "FILE..." (one or more) or "[FILE...]" (any number).
  /// `purpose` and `example` appear in the help.
  CommandLine(std::string name, std::vector<std::string> positional, std::string purpose,
              std::string example, std::string program = "starport");

  /// Adds an option with a value. `names` is "long" or "long,s" (s: the short form), `value` the
  /// name of the value in the help. `default_value`, if not empty, is the value if none is given.
  CommandLine& add(const char* names, const char* value, const std::string& help,
                   const std::string& default_value = "");
  /// Adds an option without a value.
  CommandLine& add_flag(const char* names, const char* help);
  void add_problem();         ///< adds --problem, --element-type and --block-size
  void add_block_size();      ///< adds --block-size
  void add_output_formats();  ///< adds --json, --csv and --trace
  void add_time_limit();      ///< adds --time-limit
  void add_engine();          ///< adds --engine
  void add_noise();           ///< adds --noise
  /// Adds --jobs, the number of `what` ("instances") that are worked on in parallel.
  void add_jobs(const char* what);

  /// Reads the arguments. Returns false if they ask for --help or kDescribe, which it prints; the
  /// command then has nothing left to do. Throws InputError if an argument is unknown, given twice,
  /// or missing.
  bool parse(const std::vector<std::string>& arguments);

  /// Returns the whole command as it was typed: program, command, arguments.
  const std::vector<std::string>& command() const { return command_; }
  /// Returns true if the option is given or has a default value. `option` is the long name without
  /// dashes, or a positional argument as it was declared.
  bool has(const char* option) const { return values_.count(option) > 0; }
  /// Returns the value of an option or positional argument, which must be there (has()).
  std::string text(const char* option) const { return values_[option].as<std::string>(); }
  /// Returns the values of a positional argument with "...", which must be there (has()).
  const std::vector<std::string>& texts(const char* name) const {
    return values_[name].as<std::vector<std::string>>();
  }
  /// Returns the value of the option, or nullopt if it is not given.
  std::optional<std::string> find(const char* option) const {
    return has(option) ? std::optional(text(option)) : std::nullopt;
  }
  /// Returns the value of an option, or nullopt if it is not given. Throws InputError unless it is
  /// an integer from `smallest` to `largest`.
  std::optional<std::int64_t> integer(const char* option, std::int64_t smallest,
                                      std::int64_t largest) const;
  /// Returns the value of an option, or nullopt if it is not given. Throws InputError, which says
  /// `expected`, unless it is a number from `smallest` to `largest`.
  std::optional<double> number(const char* option, const std::string& expected, double smallest,
                               double largest = std::numeric_limits<double>::infinity()) const;
  /// Returns the value of an option that the command needs. Throws InputError, which asks to give
  /// `expected` ("the file to write"), if it is missing.
  std::string required(const char* option, const std::string& expected) const;

  /// Loads the platform file of the argument PLATFORM, for matrices of --element-type. Throws
  /// InputError.
  PlatformFile platform() const;
  /// Returns --block-size, else the block size of the platform file, else 80 matrix elements.
  std::int64_t block_size(const PlatformFile& file) const;
  /// Returns --jobs, else the number of processors of this machine.
  int jobs() const;
  /// Returns the limits of one run if `processes` run at the same time: --time-limit (default: an
  /// hour) and an equal part of the available memory.
  SimulationLimits limits(std::int64_t processes = 1) const;
  /// Returns the noise of --noise, none if it is not given. Throws InputError for a syntax error or
  /// a worker that the platform lacks.
  Noise noise(const PlatformFile& file) const;
  /// Returns the engine of --engine. Throws InputError for an unknown name.
  EngineKind engine() const;

 private:
  nlohmann::ordered_json description() const;

  std::string name_, purpose_, example_, program_;
  std::vector<std::string> positional_;
  boost::program_options::options_description options_;
  boost::program_options::variables_map values_;
  std::vector<std::string> command_;
};

/// Returns the limits of one of `processes` runs at the same time: `time_limit_s` wall-clock
/// seconds (0: none), and an equal part of the memory that is available now.
SimulationLimits limits_per_process(double time_limit_s, std::int64_t processes);

/// Returns the words as one line of shell, quoted where a shell would change them.
std::string quote_for_shell(const std::vector<std::string>& words);

/// Returns the command, the name of this machine and the date, as a sweep stores them in
/// run_info.json.
nlohmann::ordered_json describe_invocation(const std::vector<std::string>& command);

/// Loads the platform and the product (--problem, --block-size) of the command line. Throws
/// InputError.
Case load_case(const CommandLine& line);

}  // namespace starport
