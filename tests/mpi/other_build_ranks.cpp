// Run by failures_test.cpp under mpirun. Rank 1 first prints how it gives up a rank 0 that does not
// start it. Then it greets as another build would, and rank 0 prints how it refuses that.
#include "sim/files/error.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/ranks.hpp"

#include <cstdio>
#include <string>

using namespace starport;
using namespace starport::mpi;

int main(int argc, char** argv) {
  const Communicator communicator(argc, argv);
  constexpr int kGivenUp = 1;
  if (communicator.rank() != 0) {
    try {
      Ranks::join(communicator, 0.1);
    } catch (const SimulationError& error) {
      std::puts(error.what());
      std::fflush(stdout);
    }
    PendingMessage given_up = communicator.send(kMasterRank, Tag::event, kGivenUp);
    while (!given_up.is_complete()) continue;
    while (!communicator.receive_broadcast()) continue;
    const std::string build = "starport 0.1 (abcdef), messages of 8 bytes";
    PendingMessage greeting = communicator.send_text(kMasterRank, build);
    while (!greeting.is_complete()) continue;
    return 0;
  }
  while (!communicator.receive<int>(1, Tag::event)) continue;
  try {
    Ranks(communicator, 60).start();
    std::puts("started");
  } catch (const SimulationError& error) {
    std::puts(error.what());
  }
}
