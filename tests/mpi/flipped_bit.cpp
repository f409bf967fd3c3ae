// Loaded into the ranks of a run (LD_PRELOAD), to intercept messages by MPI's profiling interface.
// Flips bit FLIP_BIT of message number FLIP_MESSAGE that rank FLIP_RANK sends, if these are set;
// messages with the tag FLIP_TAG count, or those with blocks if it is not set. Creates the file
// MARK_BLOCKS, if it is set, when rank 0 sends its first blocks, or those of number MARK_MESSAGE.
// Stops rank 0 before it sends its first Setup, if STOP_AT_SETUP is set. Blocks that rank
// DELAY_RANK sends to rank 0 leave DELAY_S seconds late, if these are set.
#include <mpi.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <map>
#include <vector>

namespace {

int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? -1 : std::atoi(text);
}

int own_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

/// Returns true for messages of blocks: from Tag::blocks to before Tag::checksums
/// (sim/mpi/transport/communicator.hpp).
bool carries_blocks(int tag) {
  constexpr int first_tag_of_blocks = 9;
  constexpr int first_tag_of_checksums = 16384;
  return tag >= first_tag_of_blocks && tag < first_tag_of_checksums;
}

/// Creates the file MARK_BLOCKS on the call number MARK_MESSAGE, or the first one, on rank 0.
void mark_blocks() {
  static int calls = 0;
  const char* const path = std::getenv("MARK_BLOCKS");
  if (path == nullptr || own_rank() != 0 || ++calls != std::max(1, number_in("MARK_MESSAGE")))
    return;
  if (std::FILE* const file = std::fopen(path, "w")) std::fclose(file);
}

/// Counts the messages of this rank that may be damaged; returns true for the one that is.
bool is_chosen(int tag) {
  static int sent = 0;
  const int chosen = number_in("FLIP_TAG");
  return (chosen < 0 ? carries_blocks(tag) : tag == chosen) &&
         own_rank() == number_in("FLIP_RANK") && ++sent == number_in("FLIP_MESSAGE");
}

/// Messages that leave late, each with the date at which it does; 0 once it has left.
std::map<MPI_Request, double>& late_messages() {
  static std::map<MPI_Request, double> messages;
  return messages;
}

}  // namespace

extern "C" int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  const auto late = late_messages().find(*request);
  if (late == late_messages().end()) return PMPI_Test(request, done, status);
  *done = 0;
  if (late->second > PMPI_Wtime()) return MPI_SUCCESS;
  if (late->second > 0) PMPI_Start(request);
  late->second = 0;
  const int error = PMPI_Test(request, done, status);
  if (*done == 0) return error;
  late_messages().erase(late);
  return PMPI_Request_free(request);
}

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm communicator, MPI_Request* request) {
  if (carries_blocks(tag)) mark_blocks();
  constexpr int tag_of_setup = 1;
  if (tag == tag_of_setup && std::getenv("STOP_AT_SETUP") != nullptr) std::raise(SIGSTOP);
  if (carries_blocks(tag) && to == 0 && own_rank() == number_in("DELAY_RANK")) {
    const int error = PMPI_Send_init(data, count, type, to, tag, communicator, request);
    late_messages().emplace(*request, PMPI_Wtime() + number_in("DELAY_S"));
    return error;
  }
  if (!is_chosen(tag)) return PMPI_Isend(data, count, type, to, tag, communicator, request);
  static std::list<std::vector<unsigned char>> in_flight;
  int size = 0;
  PMPI_Pack_size(count, type, communicator, &size);
  auto& copy = in_flight.emplace_back(size);
  int end = 0;
  PMPI_Pack(data, count, type, copy.data(), size, &end, communicator);
  const int bit = number_in("FLIP_BIT") % (8 * end);
  copy[static_cast<std::size_t>(bit / 8)] ^= static_cast<unsigned char>(1U << bit % 8);
  return PMPI_Isend(copy.data(), end, MPI_PACKED, to, tag, communicator, request);
}
