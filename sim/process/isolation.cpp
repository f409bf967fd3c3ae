#include "sim/process/isolation.hpp"

#include "sim/files/output.hpp"
#include "sim/files/text.hpp"
#include "sim/process/descendants.hpp"
#include "sim/process/machine.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string>

namespace starport {
namespace {

// Exit statuses of a child that writes its reason to stderr. A child that writes nothing crashed.
constexpr int kFailed = 3;
constexpr int kNotApplicable = 4;
constexpr int kMachineFailure = 224;  ///< plus the FailureCause; unlikely to be used by libraries
using FrameLength = std::uint64_t;
constexpr FrameLength kMaxFrameBytes = FrameLength{1} << 32;  ///< more is a damaged length
constexpr std::size_t kBufferBytes = 1 << 18;  ///< frames are sent together, for fewer wake-ups

int machine_failure_status(FailureCause cause) { return kMachineFailure + static_cast<int>(cause); }

[[noreturn]] void end_child(const char* message, int status) {
  const int lost = write_all(STDERR_FILENO, std::string("\n") + message + "\n");
  _exit(lost == 0 ? status : kFailed);
}

void run_child(const std::function<void(FrameWriter&)>& body, int out, int err) {
  ::dup2(err, STDERR_FILENO);
  // Output that the parent has not flushed yet is in this copy too and must not be printed twice.
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDOUT_FILENO);
  FrameWriter writer(out);
  try {
    body(writer);
    writer.flush();
  } catch (const std::exception& error) {
    exit_child_with_error(error);
  }
}

/// Ends this process with the wait status of another one.
[[noreturn]] void end_like(int status) {
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    ::prctl(PR_SET_DUMPABLE, 0);  // the other one has left a core dump, if any is wanted
    std::signal(signal, SIG_DFL);
    sigset_t own;
    sigemptyset(&own);
    sigaddset(&own, signal);
    ::sigprocmask(SIG_UNBLOCK, &own, nullptr);
    std::raise(signal);
  }
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : kFailed);
}

/// In the child: runs `body` in a process of its own. Kills that one and all that it has started
/// once it has ended or `lifeline` can be read, and ends like it. An exception, such as
/// std::bad_alloc under the limits of the parent, aborts it: the copy of the caller must not go on.
[[noreturn]] void guard_child(const std::function<void(FrameWriter&)>& body, int out, int err,
                              int lifeline) noexcept {
  ::dup2(err, STDERR_FILENO);
  adopt_descendants();
  // The guard ends after all others, when its lifeline closes: neither its parent's end nor a
  // signal to its group ends it before, also while the child starts.
  ::prctl(PR_SET_PDEATHSIG, 0);
  constexpr std::array ignored = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  sigset_t signals;
  sigset_t before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (const int signal : ignored) sigaddset(&signals, signal);
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t guard = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    exit_child_with_error(MachineError(
        FailureCause::memory, fmt::format("cannot create a process: {}", std::strerror(errno))));
  }
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != guard) _exit(kFailed);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::close(lifeline);
    run_child(body, out, err);
    _exit(0);  // no destructors, no flushing of the parent's streams
  }
  for (const int signal : ignored) std::signal(signal, SIG_IGN);
  ::close(out);
  // SIGCHLD interrupts ppoll(), and nothing else: the processes that the body leaves behind,
  // perhaps thousands, are reaped as they end.
  std::signal(SIGCHLD, [](int) {});
  sigdelset(&before, SIGCHLD);
  std::optional<int> status;
  const auto on_end = [&](pid_t ended, int its) {
    if (ended == child) status = its;
  };
  pollfd end{.fd = lifeline, .events = POLLIN, .revents = 0};
  while (reap_ended_children(on_end) && !status) {
    if (::ppoll(&end, 1, nullptr, &before) <= 0) continue;
    ::kill(child, SIGKILL);  // also where /proc does not list children
    break;
  }
  kill_descendants(0, on_end);
  end_like(status.value_or(0));
}

/// Whether a body may start processes, which a guard must end.
enum class Body : std::uint8_t { starts_processes, starts_none };

/// The process of a body, and the one that guards it (see guard_child()) if the body may start
/// processes. The destructor ends all of them.
class BodyProcess {
 public:
  BodyProcess(const std::function<void(FrameWriter&)>& body, int err, Body kind)
      : BodyProcess(body, err, kind, make_lifeline()) {}
  BodyProcess(const BodyProcess&) = delete;
  BodyProcess& operator=(const BodyProcess&) = delete;
  ~BodyProcess() {
    if (!child_.ended()) end();
  }

  const Child& child() const { return child_; }
  /// Waits for the end of the child, which has closed its end of the pipe. Returns its wait status;
  /// nullopt if it has not ended within five seconds and was killed.
  std::optional<int> wait_or_kill() {
    constexpr int patience_ms = 5000;
    const bool ended = wait_for_end(patience_ms);
    if (!ended) end();
    const int status = child_.wait();
    return ended ? std::optional(status) : std::nullopt;
  }

 private:
  using Ends = std::array<int, 2>;
  static Ends make_lifeline() {
    Ends ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) == 0) return ends;
    throw MachineError(FailureCause::memory,
                       fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  }
  BodyProcess(const std::function<void(FrameWriter&)>& body, int err, Body kind, const Ends& ends)
      : kind_(kind), read_(ends[0]), write_(ends[1]), child_([&](int out) {
          ::close(ends[1]);
          if (kind == Body::starts_processes) guard_child(body, out, err, ends[0]);
          run_child(body, out, err);
        }) {
    read_.reset();
  }

  bool wait_for_end(int timeout_ms) const {
    pollfd end{.fd = child_.pidfd(), .events = POLLIN, .revents = 0};
    while (::poll(&end, 1, timeout_ms) < 0 && errno == EINTR) continue;
    return end.revents != 0;
  }
  /// Kills the process of the body; the guard, with all that the body has started. Waits for it.
  void end() {
    constexpr int patience_ms = 15'000;  // more than kill_descendants() takes
    write_.reset();
    if (kind_ == Body::starts_none) child_.kill();
    wait_for_end(patience_ms);
  }

  Body kind_;
  FileDescriptor read_;
  FileDescriptor write_;
  Child child_;
};

/// Returns the last or the first line of the child's standard error. A child that threw writes its
/// message last; a crash prints its reason first, then a backtrace.
std::string error_line(int fd, bool last) {
  constexpr int longest = 4096;
  std::string text(longest, '\0');
  const off_t size = ::lseek(fd, 0, SEEK_END);
  const off_t from = last ? std::max<off_t>(0, size - longest) : 0;
  const ssize_t got = ::pread(fd, text.data(), longest, from);
  text.resize(std::max<ssize_t>(0, got));
  text.erase(0, text.find_first_not_of(" \n"));
  text.erase(text.find_last_not_of(" \n") + 1);
  const std::size_t newline = last ? text.rfind('\n') : text.find('\n');
  if (newline == std::string::npos) return text;
  return last ? text.substr(newline + 1) : text.substr(0, newline);
}

/// Reads frames until the child closes its end or has ended: processes that it has started may
/// still hold the pipe open then. Returns false when the time limit expired first.
bool read_frames(const Child& child, const std::function<void(std::span<const std::byte>)>& receive,
                 double time_limit_s) {
  const Stopwatch watch;
  FrameReader reader(child.fd());
  for (bool has_ended = false;;) {
    int timeout_ms = -1;
    if (time_limit_s > 0) {
      const double left = time_limit_s - watch.elapsed_s();
      if (left <= 0) return false;
      timeout_ms = static_cast<int>(std::min(left * 1e3 + 1, 1e9));
    }
    std::array<pollfd, 2> ends{
        {{.fd = child.fd(), .events = POLLIN, .revents = 0},
         {.fd = has_ended ? -1 : child.pidfd(), .events = POLLIN, .revents = 0}}};
    const int ready = ::poll(ends.data(), ends.size(), has_ended ? 0 : timeout_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return has_ended;
    if (ends[1].revents != 0) has_ended = true;  // what it has written is in the pipe
    if (ends[0].revents != 0 && !reader.read(receive)) return true;
  }
}

}  // namespace

void FrameWriter::write(std::span<const std::byte> frame) {
  const FrameLength length = frame.size();
  if (length > kMaxFrameBytes) {
    throw SimulationError(fmt::format("a message of {} bytes is too large to be sent", length));
  }
  const auto prefix = std::as_bytes(std::span(&length, 1));
  buffer_.insert(buffer_.end(), prefix.begin(), prefix.end());
  buffer_.insert(buffer_.end(), frame.begin(), frame.end());
  if (buffer_.size() >= kBufferBytes) flush();
}

void FrameWriter::flush() {
  const auto* bytes = reinterpret_cast<const char*>(buffer_.data());
  if (write_all(fd_, {bytes, buffer_.size()}) != 0) _exit(kFailed);  // the parent has gone
  buffer_.clear();
}

void throw_damaged_pipe() {
  throw SimulationError("the process has written something else than its results to its pipe");
}

FrameReader::FrameReader(int fd) : fd_(fd), buffer_(2 * kBufferBytes) {}

bool FrameReader::read(const std::function<void(std::span<const std::byte>)>& receive) {
  // Grows with what has arrived: a damaged length takes no memory.
  if (held_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const ssize_t got = ::read(fd_, buffer_.data() + held_, buffer_.size() - held_);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  held_ += got;
  std::size_t used = 0;
  while (held_ - used >= sizeof(FrameLength)) {
    FrameLength length = 0;
    std::memcpy(&length, buffer_.data() + used, sizeof length);
    if (length > kMaxFrameBytes) throw_damaged_pipe();
    if (held_ - used < sizeof length + length) break;
    receive(std::span(buffer_).subspan(used + sizeof length, length));
    used += sizeof length + length;
  }
  if (used > 0) std::copy(buffer_.data() + used, buffer_.data() + held_, buffer_.data());
  held_ -= used;
  return true;
}

Child::Child(const std::function<void(int out)>& main) {
  std::array<int, 2> ends{};
  const auto fail = [](const char* what) {
    throw MachineError(FailureCause::memory,
                       fmt::format("cannot create {}: {}", what, std::strerror(errno)));
  };
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail("a pipe");
  in_.reset(ends[0]);
  const FileDescriptor out(ends[1]);
  ::fcntl(out.get(), F_SETPIPE_SZ, 4 * kBufferBytes);  // best effort
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) fail("a process");
  if (pid_ > 0) {
    pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (pidfd_.get() >= 0) return;
    const int error = errno;
    kill();
    wait();
    errno = error;
    fail("a descriptor of a process");
  }
  in_.reset();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) _exit(kFailed);
  main(out.get());
  _exit(0);  // no destructors, no flushing of the parent's streams
}

void Child::kill() const { ::kill(pid_, SIGKILL); }

std::optional<int> Child::wait_or_kill() {
  constexpr int patience_ms = 5000;
  pollfd end{.fd = pidfd(), .events = POLLIN, .revents = 0};
  while (::poll(&end, 1, patience_ms) < 0 && errno == EINTR) continue;
  if (end.revents != 0) return wait();
  kill();
  wait();
  return std::nullopt;
}

FailureCause failure_cause(int signal) {
  switch (signal) {
    case SIGKILL:  // sent by the kernel when memory runs out, among others
    case SIGTERM:
    case SIGINT:
    case SIGHUP:
    case SIGQUIT:
      return FailureCause::killed;
    case SIGXCPU:
      return FailureCause::time;
    default:
      return FailureCause::model;
  }
}

void exit_child_with_error(const std::exception& error) {
  if (dynamic_cast<const NotApplicable*>(&error) != nullptr) {
    end_child(error.what(), kNotApplicable);
  }
  if (const auto* failure = dynamic_cast<const MachineError*>(&error)) {
    end_child(error.what(), machine_failure_status(failure->cause()));
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    end_child("not enough memory", machine_failure_status(FailureCause::memory));
  }
  end_child(error.what(), kFailed);
}

namespace {

void run_in_child(const std::function<void(FrameWriter&)>& body,
                  const std::function<void(std::span<const std::byte>)>& receive,
                  double time_limit_s, Body kind) {
  const FileDescriptor errors(::memfd_create("starport-stderr", MFD_CLOEXEC));
  if (errors.get() < 0) {
    throw MachineError(FailureCause::memory,
                       fmt::format("cannot create a file in memory: {}", std::strerror(errno)));
  }
  BodyProcess child(body, errors.get(), kind);
  if (!read_frames(child.child(), receive, time_limit_s)) {
    throw MachineError(FailureCause::time, fmt::format("timed out after {:g} s", time_limit_s));
  }
  const auto ended = child.wait_or_kill();
  if (!ended) throw SimulationError("it closed its files and did not end");
  const int status = *ended;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  const auto* const failure =
      std::find_if(kFailureCauses.begin(), kFailureCauses.end(),
                   [&](FailureCause cause) { return code == machine_failure_status(cause); });
  const bool has_reason =
      code == kFailed || code == kNotApplicable || failure != kFailureCauses.end();
  const std::string reason = sanitize_line(error_line(errors.get(), has_reason));
  if (has_reason && !reason.empty()) {
    if (code == kFailed) throw SimulationError(reason);
    if (code == kNotApplicable) throw NotApplicable(reason);
    throw MachineError(*failure, reason);
  }
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("crashed: {}", ::strsignal(WTERMSIG(status)))
                              : fmt::format("crashed with status {}", code);
  const std::string what = reason.empty() ? how : how + " (" + reason + ")";
  const FailureCause cause =
      WIFSIGNALED(status) ? failure_cause(WTERMSIG(status)) : FailureCause::model;
  if (cause != FailureCause::model) throw MachineError(cause, what);
  throw SimulationError(what);
}

}  // namespace

void run_in_child(const std::function<void(FrameWriter&)>& body,
                  const std::function<void(std::span<const std::byte>)>& receive,
                  double time_limit_s) {
  run_in_child(body, receive, time_limit_s, Body::starts_processes);
}

void run_in_single_child(const std::function<void(FrameWriter&)>& body,
                         const std::function<void(std::span<const std::byte>)>& receive,
                         double time_limit_s) {
  run_in_child(body, receive, time_limit_s, Body::starts_none);
}

}  // namespace starport
