// Conversations with programs: each side sends one JSON object per line (heuristics/PROTOCOL.md).
#pragma once

#include "heuristics/registry.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json.hpp"
#include "sim/process/subprocess.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace starport {

/// Version of the protocol (heuristics/PROTOCOL.md) that Starport sends in its first message to an
/// external heuristic and requires in the answer.
inline constexpr int kProtocolVersion = 1;

/// Description of an external program that plans or decides, as a list of heuristics names it
/// (exec:PROGRAM[...]): its path, its time and memory limits, and the parameters passed to it. A
/// plain value, made by read_program(); starts nothing.
struct ExternalProgram {
  /// Path of the program, or a name that is searched in PATH.
  std::string path;
  /// Longest time in wall-clock seconds between a question to the program and its answer, finite
  /// and above 0 (not checked); Conversation::ask() throws MachineError if the program takes
  /// longer.
  double answer_limit_s;
  /// Limits on the memory, processes, open files and answers of the program and all processes that
  /// it starts; by default, only answers are limited, to 256 MiB. Conversation::ask() throws
  /// MachineError if memory, processes or an answer exceed theirs; at the limit of open files, the
  /// program cannot open more.
  SubprocessLimits limits{};
  /// Parameters that the program gets in the first question, by key: those that the user gave, but
  /// for the limits and those that Starport itself uses, such as `multicast`.
  ParameterTexts parameters{};
};

/// Returns the program that `parameters` name under the key "PROGRAM", with its limits under
/// "time_limit" (in seconds, by default 60), "memory_limit" (MiB, 4096), "process_limit" (1024),
/// "file_limit" (1024) and "output_limit" (MiB, 256); the other parameters are those for the
/// program. A file limit below 4 counts as 4. Throws InputError if there is no program. The limits
/// must be integers from 1, as parse_algorithm_list() ensures; for a text that is no number, throws
/// std::bad_optional_access.
ExternalProgram read_program(ParameterTexts parameters);

/// Returns the description of a registry entry, `name`:PROGRAM, that stands for all programs which
/// speak the protocol. Its parameters are the limits (see read_program()), and it accepts any
/// others. A list that names the group "all+" does not select it.
AlgorithmEntry describe_program(std::string name, std::string description);

/// A running external program (a child process) to which questions are sent, one JSON line each,
/// and which answers each with one line (heuristics/PROTOCOL.md). Owns the process, which is killed
/// when this object is destroyed. Neither copyable nor movable; for one thread at a time.
class Conversation {
 public:
  /// Starts the program and waits until it runs. Throws SimulationError if it cannot be run,
  /// MachineError if no process can be created.
  explicit Conversation(const ExternalProgram& program)
      : path_(program.path), process_(program.path, program.answer_limit_s, {}, program.limits) {}

  /// Sends a question and returns read(answer), the answer as JSON; blocks until it comes. Throws
  /// SimulationError, with the path of the program, if the program ends, or if the answer is no
  /// JSON or `read` throws InputError. Throws MachineError if the program is killed, answers too
  /// late or exceeds its limits. Other exceptions of `read` pass through. Must not be called again
  /// after an exception.
  template <class Read>
  auto ask(const nlohmann::ordered_json& question, Read read) {
    const std::string line = process_.request(to_json_line(question));
    try {
      return with_file_in_errors(path_, [&] { return read(parse_json(line, path_)); });
    } catch (const InputError& error) {
      throw SimulationError(error.what());
    }
  }

 private:
  std::string path_;
  Subprocess process_;
};

/// Checks what all answers to a first message have in common. Throws InputError if `answer` is no
/// object with the key "protocol" and the version kProtocolVersion, and NotApplicable with the
/// heuristic's reason if it has the key "not_applicable".
void check_first_answer(const JsonNode& answer);

}  // namespace starport
