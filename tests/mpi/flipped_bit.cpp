// Loaded before MPI into the ranks of a run (LD_PRELOAD): of what one of them sends, one bit is
// flipped on its way. MPI's profiling interface is made for what comes between.
#include <mpi.h>

#include <cstdlib>
#include <list>
#include <vector>

namespace {

int number_in(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? -1 : std::atoi(text);
}

/// Whether it is the message to harm: that of this rank, and, of its messages of blocks, that one.
bool is_chosen(int tag) {
  // Tag::blocks and Tag::checksums in sim/mpi/transport/communicator.hpp.
  constexpr int first_tag_of_blocks = 8;
  constexpr int first_tag_of_checksums = 16384;
  static int sent = 0;
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return tag >= first_tag_of_blocks && tag < first_tag_of_checksums &&
         rank == number_in("FLIP_RANK") && ++sent == number_in("FLIP_MESSAGE");
}

}  // namespace

extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag,
                         MPI_Comm communicator, MPI_Request* request) {
  if (!is_chosen(tag)) return PMPI_Isend(data, count, type, to, tag, communicator, request);
  static std::list<std::vector<unsigned char>> on_their_way;
  int size = 0;
  PMPI_Pack_size(count, type, communicator, &size);
  auto& copy = on_their_way.emplace_back(size);
  int end = 0;
  PMPI_Pack(data, count, type, copy.data(), size, &end, communicator);
  const int bit = number_in("FLIP_BIT") % (8 * end);
  copy[static_cast<std::size_t>(bit / 8)] ^= static_cast<unsigned char>(1U << bit % 8);
  return PMPI_Isend(copy.data(), end, MPI_PACKED, to, tag, communicator, request);
}
