#include "sim/mpi/clock.hpp"

#include <algorithm>

#ifdef STARPORT_SMPI
#include <simgrid/s4u.hpp>
#else
#include "sim/process/clock.hpp"

#include <sched.h>
#endif

namespace starport::mpi {

#ifdef STARPORT_SMPI

double clock_s() { return simgrid::s4u::Engine::get_clock(); }
void sleep_until(double date_s) {
  if (date_s > clock_s()) simgrid::s4u::this_actor::sleep_until(date_s);
}

#else

double clock_s() { return starport::clock_s(); }
void sleep_until(double date_s) { starport::sleep_until(date_s); }

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
