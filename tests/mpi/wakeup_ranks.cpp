// Run by wakeup_test.cpp under mpirun: rank 0 sends messages; rank 1 sleeps until it is notified,
// then polls once. Prints how often it was notified, and how often the message had not arrived
// then.
#include "sim/mpi/transport/clock.hpp"
#include "sim/mpi/transport/communicator.hpp"

#include <cstdio>

using namespace starport::mpi;

int main(int argc, char** argv) {
  constexpr int kMessages = 500;
  constexpr int kWaiting = -1;
  const Communicator communicator(argc, argv);
  int notified = 0;
  int missed = 0;
  for (int n = 0; n < kMessages; ++n) {
    if (communicator.rank() == 0) {
      while (communicator.receive<int>(1, Tag::event) != kWaiting) continue;
      PendingMessage message = communicator.send(1, Tag::order, n);
      while (!message.is_complete()) continue;
      continue;
    }
    const std::uint32_t seen_count = wakeup::notification_count();
    PendingMessage request = communicator.send(0, Tag::event, kWaiting);
    while (!request.is_complete()) continue;
    constexpr double long_s = 60;
    // A signal may end the sleep early.
    while (wakeup::notification_count() == seen_count) wakeup::wait(seen_count, long_s);
    ++notified;
    if (communicator.receive<int>(0, Tag::order) == n) continue;
    ++missed;
    while (communicator.receive<int>(0, Tag::order) != n) continue;
  }
  if (communicator.rank() == 1) std::printf("%d notified, %d missed\n", notified, missed);
}
