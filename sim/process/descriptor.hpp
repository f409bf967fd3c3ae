// Ownership of file descriptors, and waiting for child processes.
#pragma once

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

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

}  // namespace starport
