#include "sim/process/conversation.hpp"

#include "sim/files/error.hpp"
#include "sim/files/text.hpp"
#include "sim/process/isolation.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

namespace starport {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 30;  ///< bytes of an answer
constexpr std::size_t kLongestComplaint = 4096;

struct Pipe {
  Descriptor read, write;
};
Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw MachineError(Cause::memory,
                       fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// In the child: becomes the program, or tells the errno of why it cannot.
[[noreturn]] void become(const std::string& program, int in, int out, int err, int failure) {
  ::setpgid(0, 0);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  // What this program ignores, that one need not know of.
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    std::signal(signal, SIG_DFL);
  }
  // Files that were open before are none of its business; the pipes close when it starts.
  const int kept = ::fcntl(failure, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (kept > STDERR_FILENO + 1) ::close_range(STDERR_FILENO + 1, kept - 1, 0);
  ::close_range(kept + 1, ~0U, 0);
  std::string name = program;
  char* const arguments[] = {name.data(), nullptr};
  ::execvp(name.c_str(), arguments);
  const int error = errno;
  static_cast<void>(::write(kept, &error, sizeof error));
  _exit(127);
}

/// In the child: one of the program's group, which it kills once the lifeline has no other end.
[[noreturn]] void guard(pid_t group, int lifeline) {
  if (::setpgid(0, group) != 0) _exit(1);
  ::dup2(lifeline, STDIN_FILENO);
  ::close_range(STDIN_FILENO + 1, ~0U, 0);
  char none = 0;
  while (::read(STDIN_FILENO, &none, 1) < 0 && errno == EINTR) {
  }
  ::kill(-group, SIGKILL);
  _exit(0);
}

/// -1 for one that is closed.
int number(const std::optional<Descriptor>& end) { return end ? end->get() : -1; }

pid_t make_child() {
  const pid_t pid = ::fork();
  if (pid < 0) {
    throw MachineError(Cause::memory, fmt::format("cannot fork: {}", std::strerror(errno)));
  }
  return pid;
}

}  // namespace

Conversation::Conversation(std::string program, double answer_limit_s)
    : program_(std::move(program)), answer_limit_s_(answer_limit_s) {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  Pipe life = make_pipe();
  Pipe failure = make_pipe();
  pid_ = make_child();
  if (pid_ == 0) {
    become(program_, in.read.get(), out.write.get(), err.write.get(), failure.write.get());
  }
  ::setpgid(pid_, pid_);  // whichever of the two comes first
  guard_ = ::fork();
  if (guard_ == 0) guard(pid_, life.read.get());
  failure.write.reset();
  to_.emplace(std::move(in.write));
  from_.emplace(std::move(out.read));
  errors_.emplace(std::move(err.read));
  const long process = ::syscall(SYS_pidfd_open, pid_, 0);
  if (process >= 0) process_.emplace(static_cast<int>(process));
  lifeline_.emplace(std::move(life.write));
  ::fcntl(to_->get(), F_SETFL, O_NONBLOCK);
  ::fcntl(errors_->get(), F_SETFL, O_NONBLOCK);
  int error = guard_ < 0 ? errno : 0;
  if (error == 0 && ::read(failure.read.get(), &error, sizeof error) <= 0) return;
  throw SimulationError(fmt::format("cannot run {}: {}", program_, std::strerror(error)));
}

Conversation::~Conversation() {
  lifeline_.reset();
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    wait_for_end(pid_);
  }
  if (guard_ > 0) wait_for_end(guard_);
}

std::string Conversation::ask(std::string line) {
  line += '\n';
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(answer_limit_s_));
  std::size_t said = 0;
  for (;;) {
    if (said == line.size() || !to_ || !from_) {
      if (auto answer = take_line()) return *answer;
      if (!from_) tell_end();
    }
    exchange(line, said, deadline);
  }
}

/// Writes and reads what can be, waiting when that is nothing.
void Conversation::exchange(const std::string& line, std::size_t& said,
                            Clock::time_point deadline) {
  const auto left = std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
  std::array<pollfd, 4> ends{
      {{.fd = number(from_), .events = POLLIN, .revents = 0},
       {.fd = number(errors_), .events = POLLIN, .revents = 0},
       {.fd = said < line.size() ? number(to_) : -1, .events = POLLOUT, .revents = 0},
       {.fd = from_ ? number(process_) : -1, .events = POLLIN, .revents = 0}}};
  const int ready =
      left <= 0 ? 0 : ::poll(ends.data(), ends.size(), static_cast<int>(std::min(left, 1e9)) + 1);
  if (ready < 0 && errno == EINTR) return;
  if (ready == 0) {
    throw MachineError(Cause::time,
                       fmt::format("{} gave no answer within {:g} s (does it end its lines, and "
                                   "flush them?)",
                                   program_, answer_limit_s_));
  }
  // Once it has ended, what it said is there; others may hold its standard output open.
  if (ends[3].revents != 0) ::poll(ends.data(), 1, 0);
  if (ends[0].revents != 0) {
    listen(from_, heard_);
  } else if (ends[3].revents != 0) {
    from_.reset();
  }
  if (ends[1].revents != 0) {
    listen(errors_, complaint_);
    if (complaint_.size() > kLongestComplaint) {
      complaint_.erase(0, complaint_.size() - kLongestComplaint);
    }
  }
  if (ends[2].revents == 0) return;
  const ssize_t written = ::write(to_->get(), line.data() + said, line.size() - said);
  if (written >= 0) said += static_cast<std::size_t>(written);
  // One that answers without listening may have ended already.
  if (written < 0 && errno != EAGAIN && errno != EINTR) to_.reset();
}

void Conversation::listen(std::optional<Descriptor>& from, std::string& to) {
  std::array<char, 1 << 16> piece{};
  const ssize_t got = ::read(from->get(), piece.data(), piece.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (got <= 0) {
    from.reset();
    return;
  }
  to.append(piece.data(), static_cast<std::size_t>(got));
  if (to.size() > kLongestLine) {
    throw MachineError(Cause::memory, fmt::format("{} says more than 1 GiB", program_));
  }
}

/// The next line of what was heard; the last one may have no end.
std::optional<std::string> Conversation::take_line() {
  const std::size_t end = heard_.find('\n', searched_);
  searched_ = heard_.size();
  if (end == std::string::npos && (from_ || heard_.empty())) return std::nullopt;
  std::string line = heard_.substr(0, end);
  heard_.erase(0, end == std::string::npos ? end : end + 1);
  searched_ = 0;
  return line;
}

/// It has closed its standard output: how it ended, and what it complained of.
void Conversation::tell_end() {
  constexpr int patience_ms = 2000;
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < patience_ms && ended == 0; ++i) {
    if (errors_) listen(errors_, complaint_);
    ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (std::size_t before = SIZE_MAX; errors_ && before != complaint_.size();) {
    before = complaint_.size();
    listen(errors_, complaint_);
  }
  complaint_.erase(complaint_.find_last_not_of(" \n") + 1);
  const std::string said = one_line(complaint_.substr(complaint_.rfind('\n') + 1));
  const std::string why = said.empty() ? "" : fmt::format(" ({})", said);
  if (ended == 0) {
    throw SimulationError(fmt::format("{} closed its standard output{}", program_, why));
  }
  pid_ = 0;
  if (WIFEXITED(status)) {
    throw SimulationError(fmt::format("{} ended with status {} and gave no answer{}", program_,
                                      WEXITSTATUS(status), why));
  }
  const int signal = WTERMSIG(status);
  const std::string how = fmt::format("{} crashed: {}{}", program_, ::strsignal(signal), why);
  if (cause_of(signal) != Cause::model) throw MachineError(cause_of(signal), how);
  throw SimulationError(how);
}

}  // namespace starport
