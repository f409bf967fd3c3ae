#include "sim/process/clock.hpp"

#include <sys/prctl.h>

#include <cerrno>
#include <cmath>
#include <ctime>

namespace starport {

double monotonic_time_s() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void sleep_until(double date_s) {
  // By default, the kernel may wake a thread up 50 us late to save energy.
  static thread_local const int exact = ::prctl(PR_SET_TIMERSLACK, 1UL);
  static_cast<void>(exact);
  const double whole = std::floor(date_s);
  const timespec date{.tv_sec = static_cast<time_t>(whole),
                      .tv_nsec = static_cast<long>(1e9 * (date_s - whole))};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &date, nullptr) == EINTR) {
  }
}

}  // namespace starport
