// Isolation in child processes: a crash, deadlock or endless loop of the child becomes an exception
// in the parent.
#pragma once

#include "sim/files/error.hpp"
#include "sim/process/descriptor.hpp"

#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace starport {

/// The child's end of a pipe: sends frames (byte strings of any length) to the parent, buffered.
class FrameWriter {
 public:
  explicit FrameWriter(int fd) : fd_(fd) {}
  /// Queues a frame. Exits the process when the parent no longer reads.
  void write(std::span<const std::byte> frame);
  /// Sends all queued frames. Must be called before the child ends; unflushed frames are lost.
  void flush();

 private:
  int fd_;
  std::vector<std::byte> buffer_;
};

/// The parent's end of a pipe from a FrameWriter. Does not own the descriptor.
class FrameReader {
 public:
  explicit FrameReader(int fd);
  /// Waits for bytes, reads those that have arrived and passes every complete frame to `receive`;
  /// the span is valid during the call. Returns false once the child has closed its end.
  bool read(const std::function<void(std::span<const std::byte>)>& receive);

 private:
  int fd_;
  std::vector<std::byte> buffer_;
  std::size_t held_ = 0;
};

/// A forked child process with a pipe to this one. It is killed and reaped when this object is
/// destroyed, and killed when this process dies.
class Child {
 public:
  /// Forks a child that runs `main` with the writing end of the pipe and then exits with status 0.
  /// Throws MachineError when no process can be created.
  explicit Child(const std::function<void(int out)>& main);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (ended()) return;
    kill();
    wait();
  }

  int fd() const { return in_.get(); }  ///< the reading end of the pipe
  void kill() const;                    ///< sends SIGKILL; wait() still has to be called
  /// Waits until the child ends and returns its wait status (see waitpid(2)). Call it once.
  int wait() { return wait_for_child(std::exchange(pid_, 0)); }
  bool ended() const { return pid_ <= 0; }

 private:
  FileDescriptor in_;
  pid_t pid_ = 0;
};

/// Ends this child process at once, so that run_in_child() throws `error` in the parent. For code
/// that cannot throw through its caller.
[[noreturn]] void exit_child_with_error(const std::exception& error);
/// Classifies the signal that ended a process: SIGKILL and requests to terminate are
/// FailureCause::killed, SIGXCPU is time, and any other signal, as of a crash, is model.
FailureCause failure_cause(int signal);

/// Runs `body` in a forked child and passes each frame that it writes, in order, to `receive` in
/// this process. Rethrows the error of the child as SimulationError, NotApplicable or MachineError,
/// with its message; std::bad_alloc becomes MachineError. Throws SimulationError when the child
/// crashed, with the first line of its standard error, and MachineError when it was killed or did
/// not end within time_limit_s seconds (0: no limit). Standard output and error of the child are
/// hidden.
void run_in_child(const std::function<void(FrameWriter&)>& body,
                  const std::function<void(std::span<const std::byte>)>& receive,
                  double time_limit_s);

}  // namespace starport
