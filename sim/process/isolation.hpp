// Isolation in child processes: a crash, deadlock or endless loop of the child becomes an exception
// in the parent. Ownership of file descriptors.
#pragma once

#include "sim/files/error.hpp"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace starport {

/// Owner of a file descriptor, which it closes when destroyed; -1 for none. Can be moved from,
/// which leaves -1 there, but neither copied nor assigned (see reset()).
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
  /// Closes the descriptor, if there is one, and takes ownership of `fd` (-1: of none), which must
  /// not be the one it owns. Errors of closing are ignored.
  void reset(int fd = -1) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

/// Blocks until child process `child` (> 0, not checked; 0 and less wait for any of several
/// children) of this process ends, reaps it and returns its wait status (see waitpid(2)). Returns
/// 0, like a normal end, when `child` is no child that is left to wait for.
inline int wait_for_child(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// The sending end, in a child process, of a pipe to its parent's FrameReader: sends frames (byte
/// strings of at most 4 GiB each), which it queues; its destructor does not flush() them. Does not
/// own the descriptor. For one thread.
class FrameWriter {
 public:
  /// Makes a writer of frames (byte strings of any content) on `fd`, the writing end of a pipe,
  /// which stays open and owned by the caller. Does not check it: if it cannot be written to,
  /// flush() ends this process.
  explicit FrameWriter(int fd) : fd_(fd) {}
  /// Queues a copy of a frame (a byte string, which may be empty), and sends the queue to the
  /// parent when it has reached 256 KiB; may block then. Ends this process at once when the parent
  /// no longer reads. Throws SimulationError when the frame is larger than 4 GiB; nothing of it is
  /// queued, and the object can still be used.
  void write(std::span<const std::byte> frame);
  /// Sends all queued frames (byte strings) to the parent, blocking as long as the pipe is full.
  /// Must be called before the child ends, since queued frames are lost otherwise (run_in_child()
  /// does so after its body). Ends this process at once when the parent no longer reads.
  void flush();

 private:
  int fd_;
  std::vector<std::byte> buffer_;
};

/// Throws the SimulationError that reports that a child has sent a frame (byte string) that cannot
/// be one of its results.
[[noreturn]] void throw_damaged_pipe();
/// Returns the trivially copyable object of type T whose bytes are the frame.
/// Throws SimulationError if the frame has another size.
template <class T>
T object_in(std::span<const std::byte> frame) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (frame.size() != sizeof(T)) throw_damaged_pipe();
  T object;
  std::memcpy(static_cast<void*>(&object), frame.data(), sizeof object);
  return object;
}

/// The receiving end, in the parent process, of a pipe from a child's FrameWriter: puts arriving
/// bytes together into frames (byte strings of at most 4 GiB each). Does not own the descriptor.
/// For one thread.
class FrameReader {
 public:
  /// Makes a reader of frames (byte strings that a FrameWriter sent) on `fd`, the reading end of a
  /// pipe, which the caller owns and must keep open while this object reads. Does not check it: if
  /// it cannot be read, read() returns false.
  explicit FrameReader(int fd);
  /// Blocks until bytes arrive, reads those that have arrived and passes every complete frame (a
  /// byte string that FrameWriter::write() was given), in order, to `receive` (not empty); there
  /// may be none. The span is valid during the call only. Returns true to be called again, false
  /// once the child has closed its end or reading fails; an incomplete frame is then dropped.
  /// Throws SimulationError when a frame claims an impossible size (other damage goes unnoticed),
  /// and what `receive` throws; must not be called again after an exception.
  bool read(const std::function<void(std::span<const std::byte>)>& receive);

 private:
  int fd_;
  std::vector<std::byte> buffer_;
  std::size_t held_ = 0;
};

/// A forked child process with a pipe to this one. It is killed and reaped when this object is
/// destroyed, and killed when this process (the thread that forked it) dies. Neither copyable nor
/// movable.
class Child {
 public:
  /// Forks a child that runs `main` with the writing end of the pipe, open as long as `main` runs,
  /// and then exits with status 0, without destructors or flushing of streams. Returns at once in
  /// the parent. The child gets a copy of this process's memory and its open files. `main` must not
  /// throw: the exception would go on in the copy of the caller. Throws MachineError when no pipe,
  /// process or descriptor of the process can be created. Call it from a process with one thread,
  /// since others do not exist in the child.
  explicit Child(const std::function<void(int out)>& main);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (ended()) return;
    kill();
    wait();
  }

  /// Returns the reading end of the pipe to which the child's main function writes; owned by this
  /// object.
  int fd() const { return in_.get(); }
  /// Sends SIGKILL to the child, but not to processes that it has started, and returns at once;
  /// wait() still has to be called. Must not be called after wait() or wait_or_kill() (not
  /// checked): it would then kill the process group of this process.
  void kill() const;
  /// Returns a descriptor that is readable once the child has ended, owned by this object.
  int pidfd() const { return pidfd_.get(); }
  /// Blocks until the child ends, reaps it and returns its wait status (see waitpid(2)). Call it
  /// once: a second call would wait for any child of this process's group.
  int wait() { return wait_for_child(std::exchange(pid_, 0)); }
  /// Blocks until the child ends, for at most five seconds, reaps it and returns its wait status
  /// (see waitpid(2)). A child that has not ended by then, for instance because a plug-in has
  /// closed all files, is killed and reaped, and the result is nullopt. For a child that has closed
  /// its end of the pipe. Call it once, instead of wait().
  std::optional<int> wait_or_kill();
  /// Returns whether wait() or wait_or_kill() was called; a child that ended on its own does not
  /// count before that.
  bool ended() const { return pid_ <= 0; }

 private:
  FileDescriptor in_;
  FileDescriptor pidfd_;
  pid_t pid_ = 0;
};

/// Ends this process, which must be the child of a run_in_child() or run_in_single_child(), at
/// once, so that the call in the parent throws: NotApplicable, MachineError (also for
/// std::bad_alloc) or else SimulationError, with the last line of the message of `error` ("not
/// enough memory" for std::bad_alloc). For code in the child that cannot throw through its caller.
/// Queued frames that were not flushed are lost.
[[noreturn]] void exit_child_with_error(const std::exception& error);
/// Returns the cause of the failure of a process that the signal with this number ended: SIGKILL
/// and requests to terminate (SIGTERM, SIGINT, SIGHUP, SIGQUIT) are FailureCause::killed, SIGXCPU
/// is FailureCause::time, and any other signal, as of a crash, is FailureCause::model (a fault of
/// the program itself).
FailureCause failure_cause(int signal);

/// Runs `body` in a forked child and passes each frame that it writes, in order, to `receive` in
/// this process while it runs; blocks until the child ends. Frames are flushed after `body`; when
/// it throws or crashes, those not yet sent are lost. An exception of `body` is rethrown here with
/// the last line of its message: NotApplicable and MachineError as such, std::bad_alloc as
/// MachineError, any other std::exception, InputError included, as SimulationError. `body` must
/// throw nothing else, and not exit with status 0, which would count as success.
///
/// Throws SimulationError when the child crashed, with the first line of its standard error, when
/// it has closed its files and does not end, or damaged the pipe; and MachineError when it was
/// killed, did not end within time_limit_s wall-clock seconds (0 or less: no limit), or could not
/// be created. Exceptions of `receive` pass through after the child was killed. Processes that
/// `body` has started are killed when it ends. Standard output and error of the child are hidden,
/// and its changes to memory are lost. Call it from a process with one thread, since it forks.
void run_in_child(const std::function<void(FrameWriter&)>& body,
                  const std::function<void(std::span<const std::byte>)>& receive,
                  double time_limit_s);
/// Runs `body` in a forked child and passes each frame (byte string) that it writes, in order, to
/// `receive` in this process; blocks until the child ends. As run_in_child(), but cheaper, and for
/// a `body` that starts no processes: they would not be killed. Standard output and error of the
/// child are hidden, and its changes to memory are lost. `time_limit_s` is in wall-clock seconds; 0
/// or less: none. An exception of `body`, which must be a std::exception, is rethrown here with the
/// last line of its message: NotApplicable and MachineError as such, std::bad_alloc as
/// MachineError, any other as SimulationError; those of `receive` pass through. Throws
/// SimulationError if the child crashes, does not end after closing the pipe, or damages it, and
/// MachineError if it is killed, exceeds the limit or cannot be created. Call it from a process
/// with one thread.
void run_in_single_child(const std::function<void(FrameWriter&)>& body,
                         const std::function<void(std::span<const std::byte>)>& receive,
                         double time_limit_s);

}  // namespace starport
