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

namespace {

bool has_spare_core = false;

}  // namespace

void spare_a_core(bool spare) { has_spare_core = spare; }

void Patience::pause() {
  const double waited_s = clock_s() - begin_s_;
#ifdef STARPORT_SMPI
  constexpr double share = 0.1;
  constexpr double shortest_s = 2e-6;
  constexpr double longest_s = 200e-6;
#else
  constexpr double spin_s = 100e-6;
  constexpr double busy_s = 50e-3;
  if (has_spare_core && waited_s < spin_s) return;
  if (has_spare_core && waited_s < busy_s) {
    ::sched_yield();  // in case it is not so
    return;
  }
  const double share = busy_ ? 0.1 : 0.5;
  const double shortest_s = busy_ ? 5e-6 : 20e-6;
  const double longest_s = busy_ ? 50e-6 : bell::reaches_all() ? 2e-3 : 100e-6;
#endif
  bell::wait(rings_, std::clamp(share * waited_s, shortest_s, longest_s));
  rings_ = bell::rings();
}

}  // namespace starport::mpi
