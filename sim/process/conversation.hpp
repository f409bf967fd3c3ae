// A program of somebody else that answers lines with lines.
#pragma once

#include "sim/process/descriptor.hpp"

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

namespace starport {

/// Talks with a program over its standard input and output. It lives as long as this object, and as
/// this process: it and whatever it has started, unless that leaves its process group, is killed
/// then.
class Conversation {
 public:
  /// Starts the program, without arguments. Throws SimulationError when it cannot be run.
  Conversation(std::string program, double answer_limit_s);
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  ~Conversation();

  /// Says a line and returns the next line that the program says. Throws SimulationError when it
  /// ends instead, with the last line of what it had to say on standard error, and MachineError
  /// when there is no answer in time.
  std::string ask(std::string line);

 private:
  using Clock = std::chrono::steady_clock;

  void exchange(const std::string& line, std::size_t& said, Clock::time_point deadline);
  std::optional<std::string> take_line();
  void listen(std::optional<Descriptor>& from, std::string& to);
  [[noreturn]] void tell_end();

  std::string program_;
  double answer_limit_s_;
  std::optional<Descriptor> to_;        ///< its standard input
  std::optional<Descriptor> from_;      ///< its standard output
  std::optional<Descriptor> errors_;    ///< its standard error
  std::optional<Descriptor> process_;   ///< there is something to read of it once it has ended
  std::optional<Descriptor> lifeline_;  ///< closed with this process, however that ends
  pid_t pid_ = 0;
  pid_t guard_ = 0;  ///< kills the group once the lifeline is closed
  std::string heard_;
  std::size_t searched_ = 0;  ///< of what was heard: no line ends before
  std::string complaint_;     ///< the end of what it said on standard error
};

}  // namespace starport
