// Running something in a process of its own, so that its crash, its deadlock or its endless loop
// is an error here and nothing more.
#pragma once

#include "sim/files/cause.hpp"
#include "sim/process/descriptor.hpp"

#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace starport {

/// The child's end: whole frames, of any length, to the parent.
class FrameWriter {
 public:
  explicit FrameWriter(int fd) : fd_(fd) {}
  void write(std::span<const std::byte> frame);
  /// Must be called before the child ends; what is not flushed is lost.
  void flush();

 private:
  int fd_;
  std::vector<std::byte> buffer_;
};

/// The parent's end.
class FrameReader {
 public:
  explicit FrameReader(int fd);
  /// Reads what has come, waiting when nothing has, and gives every whole frame to `receive`. False
  /// once the child has closed its end.
  bool read(const std::function<void(std::span<const std::byte>)>& receive);

 private:
  int fd_;
  std::vector<std::byte> buffer_;
  std::size_t held_ = 0;
};

/// A forked process, which is killed and reaped whatever happens here, and dies with this one.
class Child {
 public:
  /// `main` gets the writing end of a pipe. Throws MachineError when no process can be made.
  explicit Child(const std::function<void(int out)>& main);
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (ended()) return;
    kill();
    wait();
  }

  int fd() const { return in_.get(); }  ///< the reading end
  void kill() const;
  /// How it ended, as waitpid() tells it.
  int wait() { return wait_for_end(std::exchange(pid_, 0)); }
  bool ended() const { return pid_ <= 0; }

 private:
  Descriptor in_;
  pid_t pid_ = 0;
};

/// Ends the child at once with this error; for code that cannot throw through its caller.
[[noreturn]] void abandon_child(const std::exception& error);
/// What a signal that ended a process says of the cause.
Cause cause_of(int signal);

/// Runs `body` in a forked child and gives each frame it writes, in order, to `receive` here.
/// Throws SimulationError when the child threw (with its message; NotApplicable and MachineError
/// stay what they are, std::bad_alloc becomes one of these), crashed, or did not end within
/// time_limit_s (0: no limit). What the child prints on stderr is kept off the terminal; its first
/// line joins the error of a crash.
void run_in_child(const std::function<void(FrameWriter&)>& body,
                  const std::function<void(std::span<const std::byte>)>& receive,
                  double time_limit_s);

}  // namespace starport
