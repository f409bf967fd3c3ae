#include "sim/process/descendants.hpp"

#include "sim/files/text.hpp"
#include "sim/process/isolation.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

namespace starport {

std::string read_process_file(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> piece{};
  ssize_t got = 0;
  while ((got = ::read(file.get(), piece.data(), piece.size())) > 0) {
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return text;
}

std::int64_t add_children(pid_t process, std::vector<pid_t>& children) {
  std::int64_t threads = 0;
  std::error_code error;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", process), error);
  for (; !error && thread != std::filesystem::directory_iterator(); thread.increment(error)) {
    ++threads;
    const std::string list = read_process_file(thread->path() / "children");
    for (std::string_view rest = list; !rest.empty();) {
      const std::string_view text = next_token(rest, ' ');
      pid_t child = 0;
      const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), child);
      if (wrong == std::errc{} && child > 0) children.push_back(child);
    }
  }
  return threads;
}

void adopt_descendants() { ::prctl(PR_SET_CHILD_SUBREAPER, 1); }

bool reap_ended_children(const std::function<void(pid_t, int)>& on_end) {
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(-1, &status, WNOHANG)) > 0) on_end(ended, status);
  return ended == 0;
}

void kill_descendants(pid_t group, const std::function<void(pid_t, int)>& on_end) {
  constexpr int patience_ms = 10'000;  // for a program that forks faster than it is killed
  for (int i = 0; i < patience_ms && reap_ended_children(on_end); ++i) {
    std::vector<pid_t> children;
    add_children(::getpid(), children);
    for (const pid_t child : children) {
      ::kill(group > 0 && ::getpgid(child) == group ? -group : child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace starport
