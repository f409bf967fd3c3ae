// What the sub-commands of `starport` have in common.
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

using CommandFunction = int(const std::vector<std::string>& arguments);

struct Command {
  const char* name;
  const char* summary;
  CommandFunction* run;
};

CommandFunction bound_command, calibrate_elsewhere, check_command, compare_runs_command,
    convert_command, explain_command, fit_command, list_command, merge_command, partition_command,
    plan_command, plot_command, replay_command, report_command, run_command, sweep_command,
    validate_command, vary_command, verify_command;
CommandFunction calibrate_command;  ///< of starport-calibrate

/// Asks a program, or one of its commands, for what it says of itself, as JSON: what manual pages
/// and completions are made of (sim/package/manual.py).
inline constexpr const char* kDescribe = "--describe";

/// The options of one sub-command: its usage, an example, and strict parsing whose errors are
/// InputError.
class CommandLine {
 public:
  /// `positional` are the required arguments without a dash, in order; the last may be "FILE...",
  /// one or several, or "[FILE...]", any number.
  CommandLine(std::string name, std::vector<std::string> positional, std::string purpose,
              std::string example, std::string program = "starport");

  /// An option with a value, which is `otherwise` unless it is given; empty: none.
  CommandLine& add(const char* names, const char* value, const std::string& help,
                   const std::string& otherwise = "");
  CommandLine& add_flag(const char* names, const char* help);
  void add_problem();  ///< --problem (required) and --block-size
  void add_block_size();
  void add_output_formats();  ///< --json, --csv, --trace
  void add_time_limit();
  void add_engine();                ///< --engine
  void add_noise();                 ///< --noise
  void add_jobs(const char* what);  ///< --jobs: how many of what run at once

  /// False when --help was asked for, or kDescribe, and given.
  bool parse(const std::vector<std::string>& arguments);

  /// The command as it was typed.
  const std::vector<std::string>& command() const { return command_; }
  bool has(const char* option) const { return values_.count(option) > 0; }
  std::string text(const char* option) const { return values_[option].as<std::string>(); }
  /// Those of a positional argument that may be several.
  const std::vector<std::string>& texts(const char* name) const {
    return values_[name].as<std::vector<std::string>>();
  }
  /// Throws InputError unless the option is absent or a number in the range.
  std::optional<std::int64_t> integer(const char* option, std::int64_t smallest,
                                      std::int64_t largest) const;
  std::optional<double> number(const char* option, const std::string& expected, double smallest,
                               double largest = std::numeric_limits<double>::infinity()) const;
  std::optional<std::string> find(const char* option) const {
    return has(option) ? std::optional(text(option)) : std::nullopt;
  }
  /// Throws InputError, which says what the option is for, when it is not given.
  std::string required(const char* option, const std::string& expected) const;

  /// The platform file, for products of the elements asked for (for_elements).
  PlatformFile platform() const;
  /// The block size asked for, else that of the file, else 80.
  std::int64_t block_size(const PlatformFile& file) const;
  /// --jobs, or the number of processors.
  int jobs() const;
  /// Wall-clock limit, and the number of transfers that memory has room for in each of so many
  /// processes.
  SimulationLimits limits(std::int64_t processes = 1) const;
  /// That of --noise, for the workers of the platform.
  Noise noise(const PlatformFile& file) const;
  EngineKind engine() const;  ///< --engine

 private:
  nlohmann::ordered_json description() const;

  std::string name_, purpose_, example_, program_;
  std::vector<std::string> positional_;
  boost::program_options::options_description options_;
  boost::program_options::variables_map values_;
  std::vector<std::string> command_;
};

/// Words as a shell reads them again.
std::string shell_words(const std::vector<std::string>& words);

/// Who runs a command, where and when, for run_info.json.
nlohmann::ordered_json about_run(const std::vector<std::string>& command);

/// The platform file and the product of the command line.
Case load_case(const CommandLine& line);

}  // namespace starport
