#include "sim/mpi/transport/clock.hpp"

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

Cores my_cores;

}  // namespace

void look_from(const Cores& cores) { my_cores = cores; }

void Patience::pause() {
  const double waited_s = clock_s() - begin_s_;
#ifdef STARPORT_SMPI
  constexpr double share = 0.1;
  constexpr double shortest_s = 2e-6;
  constexpr double longest_s = 200e-6;
#else
  constexpr double spin_s = 100e-6;
  constexpr double spare_s = 50e-3;
  constexpr double apart_s = 20e-3;
  if (my_cores.spare && waited_s < spin_s) return;
  if (waited_s < (my_cores.spare ? spare_s : my_cores.apart() ? apart_s : 0)) {
    ::sched_yield();  // to the others that communicate from the same core
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
