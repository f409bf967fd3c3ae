// Run by messages_test.cpp without mpirun, as the only rank: messages to itself over a transport
// that reads their memory late, or never. The argument names the case; prints what fails.
#include "sim/files/error.hpp"
#include "sim/mpi/transport/communicator.hpp"
#include "sim/mpi/transport/worker_events.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <set>
#include <string>
#include <vector>

using namespace starport;
using namespace starport::mpi;

namespace {

/// Messages whose memory MPI has not read yet.
std::set<MPI_Request>& unread() {
  static std::set<MPI_Request> requests;
  return requests;
}

/// Messages are never read, as if their receiver hung.
bool receiver_hangs = false;

/// Too long for a copy by MPI itself.
using Long = std::array<std::uint64_t, 4096>;

PendingMessage send_numbers_from(std::uint64_t first, const Communicator& communicator) {
  Long numbers;
  std::iota(numbers.begin(), numbers.end(), first);
  return communicator.send(0, Tag::order, numbers);
}

PendingMessage send_list_from(int first, const Communicator& communicator) {
  std::vector<int> list(5000);
  std::iota(list.begin(), list.end(), first);
  return communicator.send_values(0, list);
}

/// Completes a message and returns what `receive` gets.
template <class Receive>
auto complete(PendingMessage& message, Receive&& receive) {
  auto received = receive();
  while (!message.is_complete() || !received) {
    if (!received) received = receive();
  }
  return *received;
}

/// The senders of these messages are gone when they are read.
void exchange_late(const Communicator& communicator) {
  PendingMessage first = send_numbers_from(1, communicator);
  PendingMessage list = send_list_from(7, communicator);
  PendingMessage second = send_numbers_from(1'000'000, communicator);  // on the first one's stack
  PendingMessage text = communicator.send_text(0, std::string(9000, 'x'));
  const auto numbers = [&] { return communicator.receive<Long>(0, Tag::order); };
  const Long one = complete(first, numbers);
  const std::vector<int> two = complete(list, [&] { return communicator.receive_values<int>(0); });
  const Long three = complete(second, numbers);
  const std::string four = complete(text, [&] { return communicator.receive_text(0); });
  if (one.front() != 1 || one.back() != 4096) throw SimulationError("the first is another");
  if (two.front() != 7 || two.back() != 5006) throw SimulationError("the list is another");
  if (three.front() != 1'000'000) throw SimulationError("the second is another");
  if (four != std::string(9000, 'x')) throw SimulationError("the text is another");
}

}  // namespace

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int rank, int tag,
                         MPI_Comm group, MPI_Request* request) {
  const int error = PMPI_Send_init(data, count, type, rank, tag, group, request);
  unread().insert(*request);
  return error;
}
extern "C" int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  *done = 0;
  if (receiver_hangs) return MPI_SUCCESS;
  if (unread().erase(*request) > 0) PMPI_Start(request);
  const int error = PMPI_Test(request, done, status);
  if (*done != 0 && *request != MPI_REQUEST_NULL) PMPI_Request_free(request);
  return error;
}

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "group") {
    MPI_Init(&argc, &argv);
    std::puts(Communicator(MPI_COMM_WORLD).program());
    return MPI_Finalize();
  }
  const Communicator communicator(argc, argv);
  try {
    if (name == "late") exchange_late(communicator);
    if (name == "sleep") {
      WorkerMonitor monitor(
          communicator, 600, 0.3, [](int, const WorkerEvent&) {}, true);
      monitor.sleep_until(mpi::monotonic_time_s() + 1e6);
    }
    if (name == "no options") {
      WorkerMonitor monitor(communicator, 600, 0.1, [](int, const WorkerEvent&) {});
      monitor.sleep_until(mpi::monotonic_time_s() + 1e6);
    }
    if (name == "failure") {
      EventSender::report_failure(communicator, "no idea");
      if (communicator.receive_text(0)) throw SimulationError("the reason is taken for a report");
      if (!communicator.receive_text(0, Tag::reason)) throw SimulationError("no reason");
    }
    if (name == "hang") {
      receiver_hangs = true;
      EventSender::report_failure(communicator, "no idea", 0.2);
      EventSender sender(communicator, 0.2);
      sender.send({.kind = WorkerEvent::Kind::alive});
      sender.flush();
    }
    std::puts("done");
  } catch (const SimulationError& error) {
    std::puts(error.what());
  }
}
