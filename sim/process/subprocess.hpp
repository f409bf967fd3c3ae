// A child program that answers each line of input with a line of output.
#pragma once

#include "sim/process/isolation.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// Limits for a Subprocess and all processes that it has started: on their memory, their number,
/// the open files of each, and the length of an answer. By default only the length of an answer is
/// limited, to 256 MiB.
struct SubprocessLimits {
  /// Largest resident memory of the program and all processes that it has started, together, in
  /// bytes; memory that several share counts for each. Beyond it all are killed, and
  /// Subprocess::request() throws MachineError.
  double memory_bytes = std::numeric_limits<double>::infinity();
  /// Largest number of processes and threads of the program and all that it has started, together.
  /// Beyond it all are killed, and Subprocess::request() throws MachineError.
  std::int64_t processes = std::numeric_limits<std::int64_t>::max();
  /// Largest number of files that each process may have open; a number above the hard limit of this
  /// process is lowered to it. nullopt: the limits of this process. At least 4 (not checked: most
  /// programs end at their start otherwise).
  std::optional<std::uint64_t> open_files{};
  /// Largest size in bytes of an answer together with all other output that Subprocess::request()
  /// has received and not returned yet. Beyond it request() throws MachineError; the program is not
  /// killed.
  std::size_t answer_bytes = std::size_t{1} << 28;

  /// Returns true if the memory or the number of processes is limited, so that they must be
  /// watched.
  bool has_totals() const {
    return memory_bytes < std::numeric_limits<double>::infinity() ||
           processes < std::numeric_limits<std::int64_t>::max();
  }
};

/// A child program in a process group of its own, addressed by lines on its standard input and
/// output. The program and all processes that it has started, whatever their group or session, are
/// killed when this object is destroyed, which waits for their end (10 s at most), or this process
/// ends, however that ends. For use by one thread at a time, except for kill(); neither copyable
/// nor movable.
class Subprocess {
 public:
  /// Starts `program`, a path or a name searched in PATH, with these arguments, and waits until it
  /// runs. It inherits the environment and the current directory, but no open files. Each request()
  /// waits `answer_limit_s` wall-clock seconds at most (greater than 0 and finite, not checked;
  /// there is no value for no limit). Memory and processes are measured twenty times a second;
  /// beyond `limits`, the program and all that it has started are killed. Throws SimulationError
  /// when the program cannot be run, and MachineError when the machine lacks a pipe, a process or
  /// memory for it.
  Subprocess(std::string program, double answer_limit_s, std::vector<std::string> arguments = {},
             const SubprocessLimits& limits = {});
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;
  ~Subprocess();

  /// Sends a line (without its newline, and with none inside, not checked) and returns the next
  /// line of the program's output that was not returned yet, without its newline; blocks until
  /// then. The program's last line may lack a newline. Throws SimulationError when the program
  /// crashes, ends or closes its output instead, with the last line of its standard error as the
  /// reason, and MachineError when it is killed, gives no answer within the `answer_limit_s`
  /// seconds of the constructor, or exceeds its SubprocessLimits. Do not call it again after an
  /// exception; a program whose answer is late or too long goes on running.
  std::string request(std::string line);
  /// Returns true if the program has ended or closed its standard output, so that the next
  /// request() would fail unless an answer was printed before. Does not wait.
  bool has_ended() const;
  /// Kills the program and all processes that it has started; the request() that another thread is
  /// in, or else the next one, then throws MachineError, unless its answer was written before. Does
  /// not wait. May be called by any thread.
  void kill() const;

 private:
  using Clock = std::chrono::steady_clock;

  void end();
  void transfer(const std::string& line, std::size_t& sent, Clock::time_point deadline);
  std::optional<std::string> next_line();
  void read_output();
  bool read_errors();
  [[noreturn]] void throw_end_error();

  std::string program_;
  double answer_limit_s_;
  SubprocessLimits limits_;
  std::optional<FileDescriptor> stdin_;     ///< its standard input
  std::optional<FileDescriptor> stdout_;    ///< its standard output
  std::optional<FileDescriptor> stderr_;    ///< its standard error
  std::optional<FileDescriptor> ended_;     ///< how it ended, once it has
  std::optional<FileDescriptor> lifeline_;  ///< closed when this process ends, however it does
  pid_t guard_ = 0;           ///< child that is the program's parent and ends it with the lifeline
  std::string output_;        ///< output not returned yet
  std::size_t searched_ = 0;  ///< no line of output_ ends before this position
  std::string error_output_;  ///< the last 4096 bytes of its standard error
};

}  // namespace starport
