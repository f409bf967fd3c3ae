#include "sim/process/subprocess.hpp"

#include "sim/files/error.hpp"
#include "sim/files/text.hpp"
#include "sim/process/descendants.hpp"
#include "sim/process/isolation.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

namespace starport {
namespace {

constexpr std::size_t kMaxErrorBytes = 4096;

struct Pipe {
  FileDescriptor read, write;
};
Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw MachineError(FailureCause::memory,
                       fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  }
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// In the child: replaces the process by the program, `words` with a null pointer at the end, or
/// writes the errno of the failure to `failure` and exits.
[[noreturn]] void execute(const std::vector<char*>& words, int in, int out, int err, int failure,
                          const std::optional<std::uint64_t>& open_files) {
  ::setpgid(0, 0);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  // Ignored signals are inherited: the program gets the defaults.
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    std::signal(signal, SIG_DFL);
  }
  // Close all inherited files; `kept` closes when the program starts.
  const int kept = ::fcntl(failure, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (kept > STDERR_FILENO + 1) ::close_range(STDERR_FILENO + 1, kept - 1, 0);
  ::close_range(kept + 1, ~0U, 0);
  if (rlimit files{}; open_files && ::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max = std::min<rlim_t>(*open_files, files.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  ::execvp(words.front(), words.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t written = ::write(kept, &error, sizeof error);
  _exit(127);
}

/// The limit that a program and what it has started exceed together.
enum class Excess : std::uint8_t { none, memory, processes };

/// The end of a program, as the guard reports it.
struct Ending {
  int status;  ///< its wait status; 0 if it was killed for an excess
  Excess excess;
};

/// In the guard: sends how the program ended. Only the first report is read.
void report(const Ending& ending) {
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, &ending, sizeof ending);
}

/// In the guard: measures all processes that descend from it.
Excess find_excess(const SubprocessLimits& limits) {
  if (!limits.has_totals()) return Excess::none;
  const auto page_bytes = static_cast<double>(::sysconf(_SC_PAGESIZE));
  double memory_bytes = 0;
  std::int64_t threads = 0;
  std::vector<pid_t> processes;
  add_children(::getpid(), processes);
  while (!processes.empty()) {
    const pid_t process = processes.back();
    processes.pop_back();
    threads += add_children(process, processes);
    if (threads > limits.processes) return Excess::processes;
    long size = 0;
    long resident = 0;
    const std::string memory = read_process_file(fmt::format("/proc/{}/statm", process));
    if (std::sscanf(memory.c_str(), "%ld %ld", &size, &resident) != 2) continue;
    memory_bytes += page_bytes * static_cast<double>(resident);
    if (memory_bytes > limits.memory_bytes) return Excess::memory;
  }
  return Excess::none;
}

/// In the guard: kills the program, which led the group of its number, and all that it has started.
[[noreturn]] void end_all(pid_t program) {
  kill_descendants(program, [&](pid_t ended, int status) {
    if (ended == program) report({.status = status, .excess = Excess::none});
  });
  _exit(0);
}

/// In the guard, the parent of `program`: writes how the program ended to `ended` once it has, and
/// ends all that it has started once they exceed their limits or `lifeline` can be read: a byte of
/// kill(), or its end because the other end is closed.
[[noreturn]] void guard(pid_t program, const SubprocessLimits& limits, int lifeline,
                        int ended) noexcept {
  // To measure, and to reap what the program has left behind.
  const int tick_ms = limits.has_totals() ? 50 : 1000;
  ::dup2(ended, STDOUT_FILENO);
  ::dup2(lifeline, STDIN_FILENO);
  ::close_range(STDERR_FILENO, ~0U, 0);
  const auto process = static_cast<int>(::syscall(SYS_pidfd_open, program, 0));
  if (process < 0) end_all(program);
  bool runs = true;
  // A process that has been forked and is about to run another program seems to take as much memory
  // as its parent, so that what exceeds a limit is measured twice.
  for (Excess before = Excess::none;;) {
    std::array<pollfd, 2> ends{{{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                {.fd = runs ? process : -1, .events = POLLIN, .revents = 0}}};
    ::poll(ends.data(), ends.size(), tick_ms);
    if (ends[0].revents != 0) end_all(program);
    reap_ended_children([&](pid_t ended_child, int status) {
      if (ended_child != program) return;
      runs = false;
      report({.status = status, .excess = Excess::none});
      ::close(STDOUT_FILENO);
    });
    Excess excess = Excess::none;
    try {
      excess = find_excess(limits);
    } catch (
        const std::bad_alloc&) {  // the guard has the limits of its parent; nothing may outlive it
      if (runs) report({.status = 0, .excess = Excess::memory});
      end_all(program);
    }
    if (excess != Excess::none && excess == before) {
      report({.status = 0, .excess = excess});
      end_all(program);
    }
    before = excess;
  }
}

/// Writes to a pipe. Returns -1 with EPIPE when nobody reads it, without the signal SIGPIPE, which
/// a program that uses this library may not ignore.
ssize_t write_without_signal(int fd, const char* bytes, std::size_t count) {
  sigset_t pipe;
  sigset_t before;
  sigset_t pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
  ::sigpending(&pending);
  const bool was_pending = sigismember(&pending, SIGPIPE) == 1;
  const ssize_t written = ::write(fd, bytes, count);
  const int error = errno;
  const timespec now{};
  if (written < 0 && error == EPIPE && !was_pending) ::sigtimedwait(&pipe, nullptr, &now);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

/// Appends what can be read from a pipe that does not block, at most 64 KiB. Closes it at its end.
/// Returns false if nothing was read.
bool read_available(std::optional<FileDescriptor>& from, std::string& to) {
  std::array<char, 1 << 16> piece{};
  const ssize_t got = ::read(from->get(), piece.data(), piece.size());
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return false;
  if (got <= 0) {
    from.reset();
    return false;
  }
  to.append(piece.data(), static_cast<std::size_t>(got));
  return true;
}

/// Returns the number of a descriptor; -1, which poll() ignores, for none.
int number(const std::optional<FileDescriptor>& end) { return end ? end->get() : -1; }

pid_t make_child() {
  const pid_t pid = ::fork();
  if (pid < 0) {
    throw MachineError(FailureCause::memory, fmt::format("cannot fork: {}", std::strerror(errno)));
  }
  return pid;
}

}  // namespace

Subprocess::Subprocess(std::string program, double answer_limit_s,
                       std::vector<std::string> arguments, const SubprocessLimits& limits)
    : program_(std::move(program)), answer_limit_s_(answer_limit_s), limits_(limits) {
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  Pipe life = make_pipe();
  Pipe ended = make_pipe();
  Pipe failure = make_pipe();
  std::vector<char*> words{program_.data()};
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  guard_ = make_child();
  if (guard_ == 0) {
    ::setpgid(0, 0);
    adopt_descendants();
    std::signal(SIGPIPE, SIG_IGN);
    const pid_t child = ::fork();
    if (child == 0) {
      execute(words, in.read.get(), out.write.get(), err.write.get(), failure.write.get(),
              limits.open_files);
    }
    if (child < 0) {
      const int errno_of_fork = errno;
      [[maybe_unused]] const ssize_t n = ::write(failure.write.get(), &errno_of_fork, sizeof(int));
      _exit(1);
    }
    ::setpgid(child, child);  // as the program does: whichever runs first
    guard(child, limits, life.read.get(), ended.write.get());
  }
  failure.write.reset();
  ended.write.reset();
  stdin_.emplace(std::move(in.write));
  stdout_.emplace(std::move(out.read));
  stderr_.emplace(std::move(err.read));
  ended_.emplace(std::move(ended.read));
  lifeline_.emplace(std::move(life.write));
  ::fcntl(stdin_->get(), F_SETFL, O_NONBLOCK);
  ::fcntl(stderr_->get(), F_SETFL, O_NONBLOCK);
  int error = 0;
  ssize_t got = 0;
  while ((got = ::read(failure.read.get(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  if (got <= 0) return;
  end();
  const std::string why = fmt::format("cannot run {}: {}", program_, std::strerror(error));
  // The machine may have what it lacks for a process at the next try.
  if (error == EAGAIN || error == ENOMEM || error == ENFILE) {
    throw MachineError(FailureCause::memory, why);
  }
  throw SimulationError(why);
}

Subprocess::~Subprocess() { end(); }

/// Makes the guard kill the program and all that it has started, and waits for it.
void Subprocess::end() {
  lifeline_.reset();
  wait_for_child(guard_);
}

void Subprocess::kill() const {
  const char request = 0;  // whatever the guard can read ends the program
  write_without_signal(lifeline_->get(), &request, 1);
}

bool Subprocess::has_ended() const {
  // No events are asked for the output: poll() always reports that its other end is closed.
  std::array<pollfd, 2> ends{{{.fd = number(stdout_), .events = 0, .revents = 0},
                              {.fd = number(ended_), .events = POLLIN, .revents = 0}}};
  return !stdout_ || ::poll(ends.data(), ends.size(), 0) > 0;
}

std::string Subprocess::request(std::string line) {
  line += '\n';
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(answer_limit_s_));
  std::size_t sent = 0;
  for (;;) {
    if (sent == line.size() || !stdin_ || !stdout_) {
      if (auto answer = next_line()) return *answer;
      if (!stdout_) throw_end_error();
    }
    transfer(line, sent, deadline);
  }
}

/// Waits until something can be written or read, and writes and reads it. `sent` counts the bytes
/// of `line` that are written.
void Subprocess::transfer(const std::string& line, std::size_t& sent, Clock::time_point deadline) {
  const auto left = std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
  std::array<pollfd, 4> ends{
      {{.fd = number(stdout_), .events = POLLIN, .revents = 0},
       {.fd = number(stderr_), .events = POLLIN, .revents = 0},
       {.fd = sent < line.size() ? number(stdin_) : -1, .events = POLLOUT, .revents = 0},
       {.fd = stdout_ ? number(ended_) : -1, .events = POLLIN, .revents = 0}}};
  const int ready =
      left <= 0 ? 0 : ::poll(ends.data(), ends.size(), static_cast<int>(std::min(left, 1e9)) + 1);
  if (ready < 0 && errno == EINTR) return;
  if (ready == 0) {
    throw MachineError(FailureCause::time,
                       fmt::format("{} gave no answer within {:g} s (does it end each line and "
                                   "flush its output?)",
                                   program_, answer_limit_s_));
  }
  // Once the program has ended, all its output is there, although its children may still hold
  // the pipe open.
  if (ends[3].revents != 0) ::poll(ends.data(), 1, 0);
  if (ends[0].revents != 0) {
    read_output();
  } else if (ends[3].revents != 0) {
    stdout_.reset();
  }
  if (ends[1].revents != 0) read_errors();
  if (ends[2].revents == 0) return;
  const ssize_t written =
      write_without_signal(stdin_->get(), line.data() + sent, line.size() - sent);
  if (written >= 0) sent += static_cast<std::size_t>(written);
  // A program that answers without reading may have ended already.
  if (written < 0 && errno != EAGAIN && errno != EINTR) stdin_.reset();
}

/// Reads what the program has printed, into `output_`.
void Subprocess::read_output() {
  read_available(stdout_, output_);
  if (output_.size() > limits_.answer_bytes) {
    throw MachineError(FailureCause::memory,
                       fmt::format("{} printed an answer of more than {:g} MiB (output_limit)",
                                   program_, static_cast<double>(limits_.answer_bytes) / 0x1p20));
  }
}

/// Reads what the program has written to its standard error, and keeps the end of it. Returns false
/// if there was nothing.
bool Subprocess::read_errors() {
  const bool any = read_available(stderr_, error_output_);
  if (error_output_.size() > kMaxErrorBytes) {
    error_output_.erase(0, error_output_.size() - kMaxErrorBytes);
  }
  return any;
}

/// Removes and returns the next line of the output; the last one may lack a line end.
std::optional<std::string> Subprocess::next_line() {
  const std::size_t end = output_.find('\n', searched_);
  searched_ = output_.size();
  if (end == std::string::npos && (stdout_ || output_.empty())) return std::nullopt;
  std::string line = output_.substr(0, end);
  output_.erase(0, end == std::string::npos ? end : end + 1);
  searched_ = 0;
  return line;
}

/// Throws the error for a program that closed its standard output without an answer: how it ended,
/// and the last line of its standard error.
void Subprocess::throw_end_error() {
  constexpr int patience_ms = 2000;
  Ending ending{};
  int ended = 0;
  for (int i = 0; i < patience_ms && ended == 0; ++i) {
    if (stderr_) read_errors();
    pollfd end{.fd = ended_->get(), .events = POLLIN, .revents = 0};
    ended = ::poll(&end, 1, 1);
  }
  const bool has_ending =
      ended > 0 && ::read(ended_->get(), &ending, sizeof ending) == sizeof ending;
  if (ending.excess != Excess::none) {
    throw MachineError(
        FailureCause::memory,
        ending.excess == Excess::memory
            ? fmt::format("{} and what it has started took more than {:g} MiB of memory "
                          "(memory_limit)",
                          program_, limits_.memory_bytes / 0x1p20)
            : fmt::format("{} has started more than {} processes and threads (process_limit)",
                          program_, limits_.processes));
  }
  constexpr int most_reads = 64;  // more than a pipe holds, from a program that goes on writing
  for (int i = 0; i < most_reads && stderr_ && read_errors(); ++i) continue;
  error_output_.erase(error_output_.find_last_not_of(" \n") + 1);
  const std::string said = sanitize_line(error_output_.substr(error_output_.rfind('\n') + 1));
  const std::string why = said.empty() ? "" : fmt::format(" ({})", said);
  if (!has_ending) {
    throw SimulationError(fmt::format("{} closed its standard output{}", program_, why));
  }
  const int status = ending.status;
  if (WIFEXITED(status)) {
    throw SimulationError(fmt::format("{} ended with status {} and gave no answer{}", program_,
                                      WEXITSTATUS(status), why));
  }
  const int signal = WTERMSIG(status);
  const std::string how = fmt::format("{} crashed: {}{}", program_, ::strsignal(signal), why);
  if (failure_cause(signal) != FailureCause::model) throw MachineError(failure_cause(signal), how);
  throw SimulationError(how);
}

}  // namespace starport
