// What bell_test.cpp runs under mpirun: rank 0 sends, rank 1 sleeps until its bell rings and then
// looks once. Prints how often it rang, and how often nothing was found then.
#include "sim/mpi/transport/bell.hpp"
#include "sim/mpi/transport/communicator.hpp"

#include <cstdio>

using namespace starport::mpi;

int main(int argc, char** argv) {
  constexpr int kMessages = 500;
  constexpr int kWaiting = -1;
  const Communicator communicator(argc, argv);
  int rung = 0;
  int in_vain = 0;
  for (int n = 0; n < kMessages; ++n) {
    if (communicator.rank() == 0) {
      while (communicator.receive<int>(1, Tag::news) != kWaiting) continue;
      Sending sending = communicator.send(1, Tag::order, n);
      while (!sending.complete()) continue;
      continue;
    }
    const std::uint32_t heard = bell::rings();
    Sending asking = communicator.send(0, Tag::news, kWaiting);
    while (!asking.complete()) continue;
    constexpr double long_s = 60;
    bell::wait(heard, long_s);
    ++rung;
    if (communicator.receive<int>(0, Tag::order) == n) continue;
    ++in_vain;
    while (communicator.receive<int>(0, Tag::order) != n) continue;
  }
  if (communicator.rank() == 1) std::printf("%d times, %d in vain\n", rung, in_vain);
}
