#include "sim/process/isolation.hpp"

#include "sim/files/output.hpp"
#include "sim/process/clock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
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

// Exit statuses of a child that says why on stderr; one that says nothing crashed.
constexpr int kFailed = 3;
constexpr int kNotApplicable = 4;
constexpr int kLacking = 224;  ///< and the Cause: none that a library would choose
using FrameLength = std::uint32_t;
constexpr std::size_t kBufferBytes = 1 << 18;  ///< frames travel together: few wake-ups

int lacking(Cause cause) { return kLacking + static_cast<int>(cause); }

[[noreturn]] void end_child(const char* message, int status) {
  const int lost = write_all(STDERR_FILENO, std::string("\n") + message + "\n");
  _exit(lost == 0 ? status : kFailed);
}

void run_quietly(const std::function<void(FrameWriter&)>& body, int out, int err) {
  ::dup2(err, STDERR_FILENO);
  // What the parent has not flushed yet is in this copy too: it must not come out twice.
  const int nowhere = ::open("/dev/null", O_WRONLY);
  ::dup2(nowhere, STDOUT_FILENO);
  FrameWriter writer(out);
  try {
    body(writer);
    writer.flush();
  } catch (const std::exception& error) {
    abandon_child(error);
  }
}

/// What the child said on stderr: the last line is its own word when it gave up; of a crash the
/// first one tells the reason, and a backtrace follows.
std::string said_line(int fd, bool last) {
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

/// Reads frames until the child closes its end. False when the deadline came first.
bool read_frames(int fd, const std::function<void(std::span<const std::byte>)>& receive,
                 double time_limit_s) {
  const Stopwatch watch;
  FrameReader reader(fd);
  for (;;) {
    int patience_ms = -1;
    if (time_limit_s > 0) {
      const double left = time_limit_s - watch.elapsed_s();
      if (left <= 0) return false;
      patience_ms = static_cast<int>(std::min(left * 1e3 + 1, 1e9));
    }
    pollfd readable{.fd = fd, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&readable, 1, patience_ms);
    if (ready == 0) return false;
    if (ready < 0 && errno == EINTR) continue;
    if (!reader.read(receive)) return true;
  }
}

}  // namespace

void FrameWriter::write(std::span<const std::byte> frame) {
  const auto length = static_cast<FrameLength>(frame.size());
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

FrameReader::FrameReader(int fd) : fd_(fd), buffer_(2 * kBufferBytes) {}

bool FrameReader::read(const std::function<void(std::span<const std::byte>)>& receive) {
  const ssize_t got = ::read(fd_, buffer_.data() + held_, buffer_.size() - held_);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) return false;
  held_ += got;
  std::size_t used = 0;
  while (held_ - used >= sizeof(FrameLength)) {
    FrameLength length = 0;
    std::memcpy(&length, buffer_.data() + used, sizeof length);
    if (held_ - used < sizeof length + length) {
      buffer_.resize(std::max(buffer_.size(), 2 * (sizeof length + length)));
      break;
    }
    receive(std::span(buffer_).subspan(used + sizeof length, length));
    used += sizeof length + length;
  }
  std::copy(buffer_.data() + used, buffer_.data() + held_, buffer_.data());
  held_ -= used;
  return true;
}

Child::Child(const std::function<void(int out)>& main) {
  std::array<int, 2> ends{};
  const auto fail = [](const char* what) {
    throw MachineError(Cause::memory,
                       fmt::format("cannot make {}: {}", what, std::strerror(errno)));
  };
  if (::pipe(ends.data()) != 0) fail("a pipe");
  in_.reset(ends[0]);
  const Descriptor out(ends[1]);
  ::fcntl(out.get(), F_SETPIPE_SZ, 4 * kBufferBytes);  // a wish, no more
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) fail("a process");
  if (pid_ > 0) return;
  in_.reset();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) _exit(kFailed);
  main(out.get());
  _exit(0);  // no destructors, no flushing of the parent's streams
}

void Child::kill() const { ::kill(pid_, SIGKILL); }

Cause cause_of(int signal) {
  switch (signal) {
    case SIGKILL:  // as the system does where memory lacks
    case SIGTERM:
    case SIGINT:
    case SIGHUP:
    case SIGQUIT:
      return Cause::killed;
    case SIGXCPU:
      return Cause::time;
    default:
      return Cause::model;
  }
}

void abandon_child(const std::exception& error) {
  if (dynamic_cast<const NotApplicable*>(&error) != nullptr) {
    end_child(error.what(), kNotApplicable);
  }
  if (const auto* lacks = dynamic_cast<const MachineError*>(&error)) {
    end_child(error.what(), lacking(lacks->cause()));
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) {
    end_child("not enough memory", lacking(Cause::memory));
  }
  end_child(error.what(), kFailed);
}

void run_in_child(const std::function<void(FrameWriter&)>& body,
                  const std::function<void(std::span<const std::byte>)>& receive,
                  double time_limit_s) {
  const Descriptor errors(::memfd_create("starport-stderr", MFD_CLOEXEC));
  Child child([&](int out) { run_quietly(body, out, errors.get()); });
  if (!read_frames(child.fd(), receive, time_limit_s)) {
    throw MachineError(Cause::time, fmt::format("timed out after {:g} s", time_limit_s));
  }
  const int status = child.wait();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  const auto* const lacks = std::find_if(kCauses.begin(), kCauses.end(),
                                         [&](Cause cause) { return code == lacking(cause); });
  const bool gave_up = code == kFailed || code == kNotApplicable || lacks != kCauses.end();
  const std::string said = said_line(errors.get(), gave_up);
  if (gave_up && !said.empty()) {
    if (code == kFailed) throw SimulationError(said);
    if (code == kNotApplicable) throw NotApplicable(said);
    throw MachineError(*lacks, said);
  }
  const std::string how = WIFSIGNALED(status)
                              ? fmt::format("crashed: {}", ::strsignal(WTERMSIG(status)))
                              : fmt::format("crashed with status {}", code);
  const std::string what = said.empty() ? how : how + " (" + said + ")";
  const Cause cause = WIFSIGNALED(status) ? cause_of(WTERMSIG(status)) : Cause::model;
  if (cause != Cause::model) throw MachineError(cause, what);
  throw SimulationError(what);
}

}  // namespace starport
