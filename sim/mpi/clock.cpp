#include "sim/mpi/clock.hpp"

#include <algorithm>

#ifdef STARPORT_SMPI
#include <simgrid/s4u.hpp>
#else
#include <sched.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cmath>
#include <ctime>
#endif

namespace starport::mpi {

#ifdef STARPORT_SMPI

double clock_s() { return simgrid::s4u::Engine::get_clock(); }
void sleep_until(double date_s) {
  if (date_s > clock_s()) simgrid::s4u::this_actor::sleep_until(date_s);
}

#else

double clock_s() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

void sleep_until(double date_s) {
  // The kernel may wake a thread up 50 us late, to save energy, unless it is told otherwise.
  static thread_local const int exact = ::prctl(PR_SET_TIMERSLACK, 1UL);
  static_cast<void>(exact);
  const double whole = std::floor(date_s);
  const timespec date{.tv_sec = static_cast<time_t>(whole),
                      .tv_nsec = static_cast<long>(1e9 * (date_s - whole))};
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &date, nullptr) == EINTR) {
  }
}

#endif

void Patience::pause() {
  constexpr double shortest_s = 2e-6;
  constexpr double longest_s = 200e-6;
  const double now = clock_s();
#ifndef STARPORT_SMPI
  constexpr double spin_s = 100e-6;
  constexpr double busy_s = 50e-3;
  const double waited_s = now - begin_s_;
  if (busy_ && waited_s < spin_s) return;
  if (busy_ && waited_s < busy_s) {
    ::sched_yield();  // the other rank may need this core
    return;
  }
#endif
  sleep_until(now + std::clamp((now - begin_s_) / 10, shortest_s, longest_s));
}

}  // namespace starport::mpi
