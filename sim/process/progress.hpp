// A progress line on standard error for long runs.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace starport {

/// A line on standard error that is overwritten by each show() and erased when this object is
/// destroyed. Does nothing unless standard error is a terminal that can erase lines.
class ProgressLine {
 public:
  ProgressLine() = default;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { show(""); }

  /// Returns whether show() prints anything: whether standard error is a terminal that can erase
  /// lines.
  bool terminal() const { return terminal_; }
  /// Replaces the progress line on standard error by `text`, which must not contain line ends and
  /// should be narrower than the terminal (not checked: a part would stay on the screen); "" erases
  /// it. Does nothing unless terminal(). Failures to write are ignored.
  void show(const std::string& text) const {
    if (!terminal_) return;
    std::fputs(("\r\033[K" + text).c_str(), stderr);  // a failure cannot be reported
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
