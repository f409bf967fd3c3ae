#include "sim/python/interruptible.hpp"

#include "sim/cli/commands.hpp"
#include "sim/files/error.hpp"
#include "sim/process/isolation.hpp"
#include "sim/python/module.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <pybind11/pybind11.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>
#include <new>
#include <span>

namespace starport {

// The program replaces itself by starport-calibrate and starport-explore; the Python functions
// calibrate() and explore() start those.
int calibrate_command(const std::vector<std::string>&) {
  throw InputError::with_problem("calibrate", "it is a program of its own",
                                 "Use starport.calibrate()");
}
int explore_command(const std::vector<std::string>&) {
  throw InputError::with_problem("explore", "it is a program of its own", "Use starport.explore()");
}

namespace python {
namespace {

namespace py = pybind11;
using Texts = std::vector<std::string>;

// The first text that a child sends.
constexpr const char* kDone = "done";
constexpr const char* kInput = "input";
constexpr const char* kNotApplicable = "not applicable";
constexpr const char* kMemory = "memory";
constexpr const char* kFailed = "failed";

/// Returns the texts of `work` behind kDone, or the parts of its exception behind their kind.
Texts answer_of(const std::function<Texts()>& work) {
  try {
    Texts texts = work();
    texts.insert(texts.begin(), kDone);
    return texts;
  } catch (const InputError& error) {
    return {kInput, error.file, error.place, error.expected, error.found, error.hint};
  } catch (const NotApplicable& error) {
    return {kNotApplicable, error.what()};
  } catch (const std::bad_alloc&) {
    return {kMemory};
  } catch (const std::exception& error) {
    return {kFailed, error.what()};
  }
}

void send(const Texts& texts, int out) {
  FrameWriter writer(out);
  for (const std::string& text : texts) writer.write(std::as_bytes(std::span(text)));
  writer.flush();
}

/// Receives the texts of a child until it ends. Returns false once a signal handler of Python has
/// raised an exception, which is then set.
bool receive(const Child& child, Texts& texts) {
  FrameReader reader(child.fd());
  for (bool has_ended = false;;) {
    std::array<pollfd, 2> ends{
        {{.fd = child.fd(), .events = POLLIN, .revents = 0},
         {.fd = has_ended ? -1 : child.pidfd(), .events = POLLIN, .revents = 0}}};
    constexpr int patience_ms = 100;
    const int ready = ::poll(ends.data(), ends.size(), has_ended ? 0 : patience_ms);
    {
      const py::gil_scoped_acquire lock;
      if (PyErr_CheckSignals() != 0) return false;
    }
    if (ready < 0) continue;  // interrupted
    if (ready == 0 && has_ended) return true;
    if (ends[1].revents != 0) has_ended = true;  // what it has written is in the pipe
    if (ends[0].revents == 0) continue;
    const auto add = [&](std::span<const std::byte> frame) {
      texts.emplace_back(reinterpret_cast<const char*>(frame.data()), frame.size());
    };
    if (!reader.read(add)) return true;
  }
}

std::string content(int fd) {
  std::string text(static_cast<std::size_t>(std::max<off_t>(0, ::lseek(fd, 0, SEEK_END))), '\0');
  text.resize(
      static_cast<std::size_t>(std::max<ssize_t>(0, ::pread(fd, text.data(), text.size(), 0))));
  return text;
}

}  // namespace

Texts in_child(const std::function<Texts()>& work) {
  Texts texts;
  bool interrupted = false;
  std::string death;
  {
    const ReleasedLock unlocked;
    // An exception ends the child: the copy of the caller must not go on.
    Child child([&](int out) noexcept { send(answer_of(work), out); });
    interrupted = !receive(child, texts);
    if (interrupted) child.kill();
    const int status = child.wait();
    if (WIFSIGNALED(status)) death = ::strsignal(WTERMSIG(status));
  }
  if (interrupted) throw py::error_already_set();
  if (texts.empty() || !death.empty()) {  // of a process that was killed, part may be missing
    throw SimulationError(death.empty() ? "the process ended without a result"
                                        : "crashed: " + death);
  }
  const std::string kind = texts.front();
  texts.erase(texts.begin());
  if (kind == kDone) return texts;
  if (kind == kInput) {
    throw InputError(texts.at(1), texts.at(2), texts.at(3), texts.at(4)).in_file(texts.at(0));
  }
  if (kind == kNotApplicable) throw NotApplicable(texts.at(0));
  if (kind == kMemory) throw std::bad_alloc();
  throw SimulationError(texts.at(0));
}

CommandResult call_command(const std::vector<std::string>& arguments) {
  if (arguments.empty()) throw InputError("command", "the name of a command", "nothing");
  const ProgramCommand& command =
      find_command(command_groups(), arguments.front(), "command", "starport");
  const Texts texts = in_child([&]() -> Texts {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit is an error of write()
    const FileDescriptor output(::memfd_create("starport-stdout", MFD_CLOEXEC));
    const FileDescriptor notice(::memfd_create("starport-stderr", MFD_CLOEXEC));
    if (output.get() < 0 || notice.get() < 0) throw std::bad_alloc();
    ::dup2(output.get(), STDOUT_FILENO);
    ::dup2(notice.get(), STDERR_FILENO);
    const int status = command.run({arguments.begin() + 1, arguments.end()});
    return {fmt::format("{}", status), content(output.get()), content(notice.get())};
  });
  return {.status = std::stoi(texts.at(0)), .output = texts.at(1), .notice = texts.at(2)};
}

}  // namespace python
}  // namespace starport
