// Isolation in child processes: a crash, deadlock or endless loop of the child becomes an exception
// in the parent. Ownership of file descriptors.
#pragma once

#include "sim/files/error.hpp"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace starport {

/// Owner of a file descriptor, which it closes when destroyed; -1 for none. Movable, not copyable.
class FileDescriptor {
 public:
  /// Takes ownership of the open descriptor `fd`, which is closed by reset() or the destructor; -1
  /// for none.
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~FileDescriptor() { reset(); }
  /// Returns the descriptor, still owned by this object; -1 for none.
  int get() const { return fd_; }
  /// Closes the descriptor, if there is one, and takes ownership of `fd` (-1: of none). Errors of
  /// closing are ignored.
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

/// Blocks until child process `child` of this process ends, reaps it and returns its wait status
/// (see waitpid(2)). Returns 0, like a normal end, when `child` is no child that is left to wait
/// for.
inline int wait_for_child(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// The child's end of a pipe: sends frames (byte strings of at most 4 GiB) to the parent's
/// FrameReader, buffered. Does not own the descriptor.
class FrameWriter {
 public:
  /// Makes a writer on `fd`, the writing end of a pipe, which stays open and owned by the caller.
  explicit FrameWriter(int fd) : fd_(fd) {}
  /// Queues a frame, sending the queue when it reaches 256 KiB; may block. Exits the process when
  /// the parent no longer reads. Throws SimulationError when the frame is larger than 4 GiB.
  void write(std::span<const std::byte> frame);
  /// Sends all queued frames, blocking as long as the pipe is full. Must be called before the child
  /// ends, since queued frames are lost otherwise. Exits the process when the parent no longer
  /// reads.
  void flush();

 private:
  int fd_;
  std::vector<std::byte> buffer_;
};

/// The parent's end of a pipe from a FrameWriter: splits the bytes that arrive into frames. Does
/// not own the descriptor.
class FrameReader {
 public:
  /// Makes a reader on `fd`, the reading end of a pipe, which must stay open while this object
  /// reads.
  explicit FrameReader(int fd);
  /// Waits for bytes, reads those that have arrived and passes every complete frame, in order, to
  /// `receive`; the span is valid during the call only. Returns true to be called again, false once
  /// the child has closed its end or reading fails; an incomplete frame is then dropped. Throws
  /// SimulationError when a frame claims an impossible size (other damage goes unnoticed), and what
  /// `receive` throws; must not be called again after an exception.
  bool read(const std::function<void(std::span<const std::byte>)>& receive);

 private:
  int fd_;
  std::vector<std::byte> buffer_;
  std::size_t held_ = 0;
};

/// A forked child process with a pipe to this one. It is killed and reaped when this object is
/// destroyed, and killed when this process (the thread that forked it) dies.
class Child {
 public:
  /// Forks a child that runs `main` with the writing end of the pipe and then exits with status 0,
  /// without destructors or flushing of streams. `main` must not throw. Throws MachineError when no
  /// pipe or process can be created. Call it from a process with one thread, since others do not
  /// exist in the child.
  explicit Child(const std::function<void(int out)>& main);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (ended()) return;
    kill();
    wait();
  }

  /// Returns the reading end of the pipe, owned by this object.
  int fd() const { return in_.get(); }
  /// Sends SIGKILL to the child; wait() still has to be called. Must not be called after wait().
  void kill() const;
  /// Returns a descriptor that is readable once the child has ended, owned by this object.
  int pidfd() const { return pidfd_.get(); }
  /// Blocks until the child ends, reaps it and returns its wait status (see waitpid(2)). Call it
  /// once.
  int wait() { return wait_for_child(std::exchange(pid_, 0)); }
  /// Waits as wait() does, for a child that has closed its end of the pipe. Kills a child that has
  /// not ended after five seconds, for instance because a plug-in has closed all files, and returns
  /// nullopt.
  std::optional<int> wait_or_kill();
  /// Returns whether wait() was called; a child that ended on its own does not count before that.
  bool ended() const { return pid_ <= 0; }

 private:
  FileDescriptor in_;
  FileDescriptor pidfd_;
  pid_t pid_ = 0;
};

/// Ends this child process at once, so that run_in_child() throws `error` in the parent. For code
/// in the child that cannot throw through its caller. Queued frames that were not flushed are lost.
[[noreturn]] void exit_child_with_error(const std::exception& error);
/// Classifies the signal that ended a process: SIGKILL and requests to terminate (SIGTERM, SIGINT,
/// SIGHUP, SIGQUIT) are FailureCause::killed, SIGXCPU is time, and any other signal, as of a crash,
/// is model.
FailureCause failure_cause(int signal);

/// Runs `body` in a forked child and passes each frame that it writes, in order, to `receive` in
/// this process; blocks until the child ends. An exception of `body` is rethrown here as
/// SimulationError, NotApplicable or MachineError, with its message; std::bad_alloc becomes
/// MachineError.
///
/// Throws SimulationError when the child crashed, with the first line of its standard error, and
/// MachineError when it was killed, did not end within time_limit_s wall-clock seconds (0: no
/// limit), or could not be created. Standard output and error of the child are hidden. Changes that
/// `body` makes to memory are lost.
void run_in_child(const std::function<void(FrameWriter&)>& body,
                  const std::function<void(std::span<const std::byte>)>& receive,
                  double time_limit_s);

}  // namespace starport
