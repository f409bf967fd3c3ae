#include "sim/process/time_limit.hpp"

#include "sim/files/output.hpp"

#include <fmt/format.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <string>

namespace starport {
namespace {

struct {
  std::string line;
  int status = 1;
} ending;

void end_now(int) {
  static_cast<void>(write_all(STDERR_FILENO, ending.line));
  _exit(ending.status);
}

}  // namespace

void end_after(double time_limit_s, int status) {
  if (time_limit_s <= 0) return;
  ending.line = fmt::format("starport: timed out after {:g} s\n", time_limit_s);
  ending.status = status;
  constexpr double longest_s = 1e9;
  const double whole_s = std::floor(std::min(time_limit_s, longest_s));
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(whole_s);
  timer.it_value.tv_usec = static_cast<suseconds_t>(
      std::min(999'999.0, std::ceil(1e6 * (std::min(time_limit_s, longest_s) - whole_s))));
  std::signal(SIGALRM, end_now);
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace starport
