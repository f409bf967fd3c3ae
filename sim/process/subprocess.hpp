// A child program that answers each line of input with a line of output.
#pragma once

#include "sim/process/isolation.hpp"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace starport {

/// A child program in a process group of its own, addressed by lines on its standard input and
/// output. The program and all processes that it has started, whatever their group or session, are
/// killed when this object is destroyed, which waits for their end (10 s at most), or this process
/// ends, however that ends. For use by one thread at a time, except for kill(); neither copyable
/// nor movable.
class Subprocess {
 public:
  /// Starts `program`, a path or a name searched in PATH, with these arguments, and waits until it
  /// runs. Each request() waits `answer_limit_s` wall-clock seconds at most (greater than 0 and
  /// finite, not checked; there is no value for no limit). Throws SimulationError when the program
  /// cannot be run, and MachineError when no process or pipe can be created.
  Subprocess(std::string program, double answer_limit_s, std::vector<std::string> arguments = {});
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;
  ~Subprocess();

  /// Sends a line (without its newline, and with none inside, not checked) and returns the next
  /// line of the program's output that was not returned yet, without its newline; blocks until
  /// then. The program's last line may lack a newline. Throws SimulationError when the program
  /// crashes, ends or closes its output instead, with the last line of its standard error as the
  /// reason, and MachineError when it is killed, answers too late, or prints more than
  /// 256 MiB. Do not call it again after an exception.
  std::string request(std::string line);
  /// Kills the program and all processes that it has started; a request() of another thread then
  /// throws MachineError, as does every later one. Does not wait. May be called by any thread.
  void kill() const;

 private:
  using Clock = std::chrono::steady_clock;

  void end();
  void transfer(const std::string& line, std::size_t& sent, Clock::time_point deadline);
  std::optional<std::string> next_line();
  void read_available(std::optional<FileDescriptor>& from, std::string& to);
  [[noreturn]] void throw_end_error();

  std::string program_;
  double answer_limit_s_;
  std::optional<FileDescriptor> stdin_;     ///< its standard input
  std::optional<FileDescriptor> stdout_;    ///< its standard output
  std::optional<FileDescriptor> stderr_;    ///< its standard error
  std::optional<FileDescriptor> ended_;     ///< its wait status, once it has ended
  std::optional<FileDescriptor> lifeline_;  ///< closed when this process ends, however it does
  pid_t guard_ = 0;           ///< child that is the program's parent and ends it with the lifeline
  std::string output_;        ///< output not returned yet
  std::size_t searched_ = 0;  ///< no line of output_ ends before this position
  std::string error_output_;  ///< the last 4096 bytes of its standard error
};

}  // namespace starport
