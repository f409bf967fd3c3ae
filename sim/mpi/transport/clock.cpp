#include "sim/mpi/transport/clock.hpp"

#include <algorithm>

#ifdef STARPORT_SMPI
#include <simgrid/s4u.hpp>
#else
#include "sim/process/clock.hpp"

#include <sched.h>
#endif

namespace starport::mpi {
namespace {

CoreAssignment polling_cores;

}  // namespace

#ifdef STARPORT_SMPI

double monotonic_time_s() { return simgrid::s4u::Engine::get_clock(); }
void sleep_until(double date_s) {
  if (date_s > monotonic_time_s()) simgrid::s4u::this_actor::sleep_until(date_s);
}

#else

double monotonic_time_s() { return starport::monotonic_time_s(); }
void sleep_until(double date_s) { starport::sleep_until(date_s); }

#endif

void set_polling_cores(const CoreAssignment& cores) { polling_cores = cores; }

void Backoff::pause() {
  const double waited_s = monotonic_time_s() - start_s_;
#ifdef STARPORT_SMPI
  constexpr double share = 0.1;
  constexpr double shortest_s = 2e-6;
  constexpr double longest_s = 200e-6;
#else
  // A sleeping core takes its time to wake up, so that a rank polls for a while before it sleeps.
  constexpr double spin_s = 100e-6;
  constexpr double yield_with_own_core_s = 50e-3;
  constexpr double yield_on_reserved_cores_s = 20e-3;
  if (polling_cores.core_per_thread && waited_s < spin_s) return;
  const double yield_s = polling_cores.core_per_thread        ? yield_with_own_core_s
                         : polling_cores.has_reserved_cores() ? yield_on_reserved_cores_s
                                                              : 0;
  if (waited_s < yield_s) {
    ::sched_yield();  // other communicating threads may share this core
    return;
  }
  const bool eager = polling_ == Polling::eager;
  const double share = eager ? 0.1 : 0.5;
  const double shortest_s = eager ? 5e-6 : 20e-6;
  const double longest_s = eager ? 50e-6 : wakeup::covers_all_ranks() ? 2e-3 : 100e-6;
#endif
  wakeup::wait(seen_count_, std::clamp(share * waited_s, shortest_s, longest_s));
  seen_count_ = wakeup::notification_count();
}

}  // namespace starport::mpi
