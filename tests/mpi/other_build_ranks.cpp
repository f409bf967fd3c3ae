// Run by failures_test.cpp under mpirun: rank 1 greets as another build would. Rank 0 prints how
// it refuses that.
#include "sim/files/error.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/ranks.hpp"

#include <cstdio>
#include <string>

using namespace starport;
using namespace starport::mpi;

int main(int argc, char** argv) {
  const Communicator communicator(argc, argv);
  if (communicator.rank() != 0) {
    communicator.broadcast(0);
    const std::string build = "starport 0.1 (abcdef), messages of 8 bytes";
    PendingMessage greeting = communicator.send_text(kMasterRank, build);
    while (!greeting.is_complete()) continue;
    return 0;
  }
  try {
    Ranks(communicator, 60).start();
    std::puts("started");
  } catch (const SimulationError& error) {
    std::puts(error.what());
  }
}
