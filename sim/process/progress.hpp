// Telling on stderr where a long run is.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace starport {

/// One line that is written over and over; only on a terminal that can erase it.
class Progress {
 public:
  Progress() = default;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { show(""); }

  bool terminal() const { return terminal_; }
  void show(const std::string& text) const {
    if (!terminal_) return;
    std::fputs(("\r\033[K" + text).c_str(), stderr);  // nobody to tell if that fails
    std::fflush(stderr);
  }

 private:
  static bool erases_lines() {
    const char* name = std::getenv("TERM");
    return name == nullptr || std::string_view(name) != "dumb";
  }

  bool terminal_ = ::isatty(STDERR_FILENO) == 1 && erases_lines();
};

}  // namespace starport
