#include "sim/mpi/transport/clock.hpp"

#include <algorithm>

#ifdef STARPORT_SMPI
#include <simgrid/s4u.hpp>
#else
#include "sim/process/machine.hpp"

#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <climits>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>
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
  const double longest_s = eager ? 50e-6 : wakeup::messages_end_waits() ? 2e-3 : 100e-6;
#endif
  wakeup::wait(seen_count_, std::clamp(share * waited_s, shortest_s, longest_s));
  seen_count_ = wakeup::notification_count();
}

}  // namespace starport::mpi

namespace starport::mpi::wakeup {

#ifdef STARPORT_SMPI

void initialize(MPI_Comm /*group*/) {}
void finalize() {}
void notify(int /*rank*/) {}
void notify_self() {}
std::uint32_t notification_count() { return 0; }
void wait(std::uint32_t /*seen_count*/, double timeout_s) {
  sleep_until(monotonic_time_s() + timeout_s);
}
bool messages_end_waits() { return false; }

#else

namespace {

struct Counter {
  std::atomic<std::uint32_t> notifications;
};
constexpr MPI_Aint kCacheLine = 64;  // each counter has its own, so that writes do not collide

/// The counters of the ranks on this machine.
struct SharedCounters {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Win window = MPI_WIN_NULL;
  std::vector<Counter*> by_rank;  ///< null for ranks on other machines
  Counter* own = nullptr;
  bool covers_all_ranks = true;
  int self_event = -1;  ///< eventfd of notify_self(), if no other rank is on this machine
};

SharedCounters& shared_counters() {
  static SharedCounters counters;
  return counters;
}

/// Returns true for a TCP connection to another host: one whose ends have different addresses.
bool is_connection_to_another_host(int socket) {
  sockaddr_storage peer{};
  sockaddr_storage own{};
  socklen_t peer_size = sizeof peer;
  socklen_t own_size = sizeof own;
  // The first fails for what is no socket, and for one that only listens.
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0) return false;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &own_size) != 0) return false;
  if (peer.ss_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in&>(peer).sin_addr.s_addr !=
           reinterpret_cast<const sockaddr_in&>(own).sin_addr.s_addr;
  }
  return peer.ss_family == AF_INET6 &&
         !IN6_ARE_ADDR_EQUAL(&reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr,
                             &reinterpret_cast<const sockaddr_in6&>(own).sin6_addr);
}

/// Returns the TCP connections of this process to other hosts, and first its eventfd. Looks for new
/// connections every 0.1 s, and if another eventfd has been created since.
std::vector<pollfd>& awaited_files() {
  constexpr double period_s = 0.1;
  static thread_local std::vector<pollfd> files;
  static thread_local double due_s = 0;
  const int own = shared_counters().self_event;
  if (!files.empty() && files.front().fd == own && monotonic_time_s() < due_s) return files;
  due_s = monotonic_time_s() + period_s;
  files = {{.fd = own, .events = POLLIN, .revents = 0}};
  std::error_code error;
  const std::filesystem::directory_iterator end;
  for (std::filesystem::directory_iterator entry("/proc/self/fd", error); !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (is_connection_to_another_host(number)) {
      files.push_back({.fd = number, .events = POLLIN, .revents = 0});
    }
  }
  return files;
}

long futex(Counter* counter, int operation, std::uint32_t value, const timespec* time) {
  return ::syscall(SYS_futex, &counter->notifications, operation, value, time, nullptr, 0);
}

}  // namespace

void initialize(MPI_Comm group) {
  SharedCounters& shared = shared_counters();
  int size = 0;
  int local_size = 0;
  MPI_Comm_size(group, &size);
  MPI_Comm_split_type(group, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared.machine);
  MPI_Comm_size(shared.machine, &local_size);
  shared.covers_all_ranks = local_size == size;
  // Another rank on this machine could not write to it.
  if (local_size == 1 && size > 1) shared.self_event = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  void* own = nullptr;
  MPI_Win_allocate_shared(kCacheLine, 1, MPI_INFO_NULL, shared.machine, &own, &shared.window);
  shared.own = new (own) Counter{};
  std::vector<int> local_ranks;
  for (int rank = 0; rank < local_size; ++rank) local_ranks.push_back(rank);
  std::vector<int> group_ranks(local_ranks.size());
  MPI_Group machine = MPI_GROUP_NULL;
  MPI_Group all_ranks = MPI_GROUP_NULL;
  MPI_Comm_group(shared.machine, &machine);
  MPI_Comm_group(group, &all_ranks);
  MPI_Group_translate_ranks(machine, local_size, local_ranks.data(), all_ranks, group_ranks.data());
  MPI_Group_free(&machine);
  MPI_Group_free(&all_ranks);
  shared.by_rank.assign(static_cast<std::size_t>(size), nullptr);
  for (int rank = 0; rank < local_size; ++rank) {
    MPI_Aint bytes = 0;
    int unit = 0;
    void* counter = nullptr;
    MPI_Win_shared_query(shared.window, rank, &bytes, &unit, &counter);
    const auto group_rank = static_cast<std::size_t>(group_ranks[static_cast<std::size_t>(rank)]);
    shared.by_rank[group_rank] = static_cast<Counter*>(counter);
  }
  MPI_Barrier(shared.machine);  // no rank may notify another before its counter exists
}

void finalize() {
  SharedCounters& shared = shared_counters();
  shared.by_rank.clear();
  shared.own = nullptr;
  if (shared.self_event >= 0) ::close(std::exchange(shared.self_event, -1));
  MPI_Win_free(&shared.window);
  MPI_Comm_free(&shared.machine);
}

void notify(int rank) {
  Counter* const counter = shared_counters().by_rank[static_cast<std::size_t>(rank)];
  if (counter == nullptr) return;
  counter->notifications.fetch_add(1);
  futex(counter, FUTEX_WAKE, INT_MAX, nullptr);
}

void notify_self() {
  Counter* const counter = shared_counters().own;
  counter->notifications.fetch_add(1);
  futex(counter, FUTEX_WAKE, INT_MAX, nullptr);
  if (shared_counters().self_event >= 0) ::eventfd_write(shared_counters().self_event, 1);
}

std::uint32_t notification_count() { return shared_counters().own->notifications; }

void wait(std::uint32_t seen_count, double timeout_s) {
  // By default, the kernel may wake a thread up 50 us late to save energy.
  static thread_local const int exact = ::prctl(PR_SET_TIMERSLACK, 1UL);
  static_cast<void>(exact);
  const double whole_s = std::floor(timeout_s);
  const timespec time{.tv_sec = static_cast<time_t>(whole_s),
                      .tv_nsec = static_cast<long>(1e9 * (timeout_s - whole_s))};
  const SharedCounters& shared = shared_counters();
  if (shared.self_event < 0) {
    futex(shared.own, FUTEX_WAIT, seen_count, &time);
    return;
  }
  std::vector<pollfd>& files = awaited_files();
  const double start_s = monotonic_time_s();
  ::ppoll(files.data(), files.size(), &time, nullptr);
  eventfd_t notifications = 0;
  if ((files.front().revents & POLLIN) != 0) {
    ::eventfd_read(shared.self_event, &notifications);
  } else if (constexpr double at_once_s = 5e-6; monotonic_time_s() < start_s + at_once_s) {
    // Data that MPI does not read, such as on a connection of the program that calls
    // starport_gemm(), would end every wait at once.
    constexpr double least_s = 20e-6;
    sleep_until(start_s + std::min(timeout_s, least_s));
  }
  // A connection that has ended would end every further wait at once.
  std::erase_if(files, [](const pollfd& file) {
    return (file.revents & (POLLNVAL | POLLHUP | POLLERR)) != 0;
  });
}

bool messages_end_waits() {
  const SharedCounters& shared = shared_counters();
  return shared.covers_all_ranks || (shared.self_event >= 0 && awaited_files().size() > 1);
}

#endif

}  // namespace starport::mpi::wakeup
