// The command line of one command: its options, their values, and the case that they describe.
#pragma once

#include "sim/platform/platform_file.hpp"
#include "sim/platform/problem.hpp"
#include "sim/process/exit_status.hpp"
#include "sim/results/model.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// Hidden option that makes a program or a command, if it is the only argument, print its
/// description as JSON on stdout; sim/package/manual.py makes manual pages and completions from it.
inline constexpr const char* kDescribe = "--describe";

/// The options that one command of a program declares, and their values once parse() has read the
/// arguments. Declare all options with the add functions, then call parse() once, then read the
/// values; before parse(), no option has a value, not even its default. Reading an option that was
/// not declared gives no value or, where one is needed, throws std::out_of_range (required():
/// InputError). Owns copies of all texts; copies of an object share the declared options.
class CommandLine {
 public:
  /// Creates the command line of the command `program name` with the option --help. `positional`
  /// are its arguments without a dash, in order, such as "PLATFORM": those in brackets, such as
  /// "[PLATFORM]", may be left out, all others are required, and the last one may stand for
  /// several: "FILE..." (one or more) or "[FILE...]" (any number). `purpose` and `example` appear
  /// in the help. `program` is the name in messages and in command().
  CommandLine(std::string name, std::vector<std::string> positional, std::string purpose,
              std::string example, std::string program = "starport");

  /// Declares an option with a value and returns this object. `names` is "long" or "long,s" (s: the
  /// short form), without dashes; `value` is the name of the value in the help, and
  /// `default_value`, if not empty, the value if none is given. Copies the texts. Each option may
  /// be added once only: otherwise parse() throws InputError for it where it is given.
  CommandLine& add(const char* names, const char* value, const std::string& help,
                   const std::string& default_value = "");
  /// Declares an option without a value and returns this object. `names` is "long" or "long,s" (s:
  /// the short form), without dashes; has() then tells whether it is given. Copies the texts. Each
  /// option may be added once only: otherwise parse() throws InputError for it where it is given.
  CommandLine& add_flag(const char* names, const char* help);
  /// Declares the options --problem (sizes in matrix elements, nAxnABxnB if A is nA x nAB and B is
  /// nAB x nB, or N if all are N x N), --element-type and --block-size, as load_case() reads them.
  /// Call it at most once, before parse(), and not together with add_block_size().
  void add_problem();
  /// Declares the option --block-size (side of a block in matrix elements), as block_size() reads
  /// it. Call it at most once, before parse(), and not with add_problem(), which includes it.
  void add_block_size();
  /// Declares the options --json, --csv (flags: format of stdout) and --trace (path of a file, .csv
  /// or .json, for all transfers and updates), as the class ResultOutput reads them. Call it at
  /// most once, before parse().
  void add_output_formats();
  /// Declares the option --time-limit (wall-clock seconds per run, 0: none, default 3600), as
  /// limits() reads it. Call it at most once, before parse().
  void add_time_limit();
  /// Declares the option --engine (how runs are simulated: simgrid, the default, or analytic), as
  /// engine() reads it. Call it at most once, before parse().
  void add_engine();
  /// Declares the option --noise (random durations and failures of workers), as noise() reads it.
  /// Call it at most once, before parse().
  void add_noise();
  /// Declares the option --jobs, the number of `what` (a plural for the help, such as "instances")
  /// that are worked on in parallel, as jobs() reads it. Call it at most once, before parse().
  void add_jobs(const char* what);

  /// Reads the arguments of the command, without the program's and the command's name. Returns
  /// false if they ask for --help or are kDescribe alone: the answer is then printed on stdout, and
  /// the command has nothing left to do. Throws InputError if an argument is unknown, given twice
  /// or missing, an option lacks its value or a flag has one, or stdout cannot be written. Does not
  /// check values. Call it once only; after an exception the values are incomplete.
  bool parse(const std::vector<std::string>& arguments);

  /// Returns the whole command, one word per element: the names of the program and of the command
  /// as given to the constructor, then the arguments as given to parse(). Empty before parse(). The
  /// reference is valid as long as this object.
  const std::vector<std::string>& command() const { return command_; }
  /// Returns true if the option is given or has a default value. `option` is the long name without
  /// dashes, or a positional argument as it was declared. False for names that were not declared,
  /// and for all before parse().
  bool has(const char* option) const { return values_.count(option) > 0; }
  /// Returns the value of an option (long name without dashes), its default value included, or of a
  /// positional argument as it was declared (the first of several); "" for a flag that is given. It
  /// must be there (has()); throws std::out_of_range otherwise.
  std::string text(const char* option) const { return texts(option).at(0); }
  /// Returns the values of a positional argument that was declared with "...", by its declared name
  /// such as "FILE...". It must be there (has()); throws std::out_of_range otherwise. The
  /// reference is valid as long as this object.
  const std::vector<std::string>& texts(const char* name) const { return values_.at(name); }
  /// Returns the value of an option (long name without dashes), its default value included, or of a
  /// positional argument as it was declared (the first of several); "" for a flag that is given,
  /// nullopt if there is no value.
  std::optional<std::string> find(const char* option) const {
    return has(option) ? std::optional(text(option)) : std::nullopt;
  }
  /// Returns the value of an option (long name without dashes), its default value included, as an
  /// integer; nullopt if there is none. Throws InputError, naming the option, unless it is an
  /// integer from `smallest` to `largest`, both included.
  std::optional<std::int64_t> integer(const char* option, std::int64_t smallest,
                                      std::int64_t largest) const;
  /// Returns the value of an option (long name without dashes), its default value included, as a
  /// real number; nullopt if there is none. Throws InputError, naming the option and saying that
  /// `expected` ("a number of seconds") was expected, unless it is a finite number from `smallest`
  /// to `largest`, both included.
  std::optional<double> number(const char* option, const std::string& expected, double smallest,
                               double largest = std::numeric_limits<double>::infinity()) const;
  /// Returns the value of an option (long name without dashes) that the command needs, its default
  /// value included. Throws InputError, naming the option and asking to give `expected` ("the file
  /// to write"), if it is missing or not declared.
  std::string required(const char* option, const std::string& expected) const;

  /// Loads the platform file that the positional argument PLATFORM names, for matrices of
  /// --element-type (if declared and given); the command must have declared PLATFORM, otherwise
  /// throws std::out_of_range. Throws InputError if the file cannot be read, is invalid, or was
  /// measured with another element type, or the type is unknown. Reads the file at each call.
  PlatformFile platform() const;
  /// Returns the side of a block in matrix elements: --block-size, else the block size of the
  /// platform file, else 80. Throws InputError if the option is no integer from 1 to kMaxBlockSize
  /// (1,000,000).
  std::int64_t block_size(const PlatformFile& file) const;
  /// Returns --jobs, else the number of processors that this process may use; 1 to 1024. Throws
  /// InputError if the option is no integer in this range.
  int jobs() const;
  /// Returns the limits of one simulated run if `processes` (at least 1, not checked) run at the
  /// same time: --time-limit in wall-clock seconds (default 3600, also if not declared; 0: none)
  /// and an equal part of the memory in bytes that is available now (infinite if that is not
  /// known). Throws InputError if the option is no finite number or negative.
  SimulationLimits limits(std::int64_t processes = 1) const;
  /// Returns the noise (random durations, slow-downs and stops) that --noise gives for the workers
  /// of `file`, in the syntax of parse_noise() such as "cv=6%,stop=2@300", with seed 0 unless it
  /// has seed=; no noise if it is not given. Throws InputError for a syntax error, an unreadable
  /// noise file, or a worker that the platform lacks. Keeps no reference to `file`.
  Noise noise(const PlatformFile& file) const;
  /// Returns the engine (simulator) that --engine selects; add_engine() must have declared it,
  /// otherwise throws std::out_of_range. Throws InputError for an unknown name.
  EngineKind engine() const;

 private:
  struct Options;

  nlohmann::ordered_json description() const;

  std::string name_, purpose_, example_, program_;
  std::vector<std::string> positional_;
  std::shared_ptr<Options> options_;                        ///< as declared
  std::map<std::string, std::vector<std::string>> values_;  ///< by long names
  std::vector<std::string> command_;
};

/// Returns the limits of one of `processes` (at least 1, not checked) simulated runs at the same
/// time: `time_limit_s` wall-clock seconds (0: no limit), and an equal part of the memory in bytes
/// that is available now (infinite if that is not known).
SimulationLimits limits_per_process(double time_limit_s, std::int64_t processes);

/// Returns the words as a command for a POSIX shell, separated by spaces, without a newline at the
/// end; "" without words. A word of letters, digits and /._-+,=:@ only stays as it is; any other,
/// also an empty one, is put in single quotes. A newline within a word is kept, so that the result
/// then has several lines.
std::string quote_for_shell(const std::vector<std::string>& words);

/// Returns a JSON object that says how a program was run, as a sweep (a series of simulated runs)
/// stores it in run_info.json: `command` (the words), `host` (name of this machine, "" if not
/// known) and `started` (the current date and time in UTC, as 2026-11-21T17:00:00Z).
nlohmann::ordered_json describe_invocation(const std::vector<std::string>& command);

/// Loads the platform file (argument PLATFORM) and the product (--problem nAxnABxnB or N, in matrix
/// elements, rounded up to blocks of CommandLine::block_size()) of a parsed command line, which
/// must have declared PLATFORM (otherwise throws std::out_of_range) and called add_problem().
/// Throws InputError if the platform file or an option is invalid or --problem is missing.
Case load_case(const CommandLine& line);

}  // namespace starport
