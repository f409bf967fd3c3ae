#include "sim/mpi/transport/communicator.hpp"

#include "sim/files/error.hpp"
#include "sim/mpi/transport/bell.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstddef>
#include <cstdlib>

namespace starport::mpi {
namespace {

int tag_number(Tag tag) { return static_cast<int>(tag); }

/// Open MPI's probe looks first and takes in what has come afterwards: what rang the bell is found
/// by the second one.
bool probe(int rank, int tag, MPI_Comm group, MPI_Status& status) {
#ifdef STARPORT_SMPI
  constexpr int looks = 1;
#else
  constexpr int looks = 2;
#endif
  int there = 0;
  for (int look = 0; look < looks && there == 0; ++look) {
    MPI_Iprobe(rank, tag, group, &there, &status);
  }
  return there != 0;
}

}  // namespace

/// One type for all, since counts are of type int.
MessageBlocks::MessageBlocks(std::span<std::byte> bytes)
    : bytes_(bytes), told_(std::make_unique<std::uint64_t>()) {
  constexpr std::int64_t many = 1 << 20;
  const std::int64_t times = std::ssize(bytes) / many;
  MPI_Datatype many_type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(many, MPI_BYTE, &many_type);
  const std::array<int, 2> counts{static_cast<int>(times),
                                  static_cast<int>(std::ssize(bytes) % many)};
  const std::array<MPI_Aint, 2> places{0, times * many};
  const std::array<MPI_Datatype, 2> types{many_type, MPI_BYTE};
  const int left_out = times == 0 ? 1 : 0;
  MPI_Type_create_struct(2 - left_out, counts.data() + left_out, places.data() + left_out,
                         types.data() + left_out, &type_);
  MPI_Type_commit(&type_);
  MPI_Type_free(&many_type);
}

MessageBlocks::MessageBlocks(MessageBlocks&& other) noexcept
    : bytes_(other.bytes_),
      told_(std::move(other.told_)),
      type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}

/// A message on its way keeps what it needs of the type.
MessageBlocks::~MessageBlocks() {
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

std::uint64_t MessageBlocks::checksum() const { return XXH3_64bits(bytes_.data(), bytes_.size()); }

bool Sending::complete() {
  for (MPI_Request* request : {&request_, &checksum_}) {
    if (*request == MPI_REQUEST_NULL) continue;  // SMPI's test of one never says that it is done
    int done = 0;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done == 0) return false;
  }
  const auto from = std::exchange(from_, std::nullopt);
  if (from && blocks_->checksum() != *blocks_->told_) {
    throw SimulationError(fmt::format(
        "blocks from rank {} are not those that were sent: their checksum differs", *from));
  }
  return true;
}

Communicator::Communicator(int& argc, char**& argv) : started_here_(true) {
  // One thread of each rank communicates; the other one computes.
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  // No copy: nobody else sends here, and SMPI makes one by messages between workers, which no link
  // of a star connects.
  group_ = MPI_COMM_WORLD;
  join();
}

Communicator::Communicator(MPI_Comm group) {
  MPI_Comm_dup(group, &group_);
  join();
}

void Communicator::join() {
  MPI_Comm_rank(group_, &rank_);
  MPI_Comm_size(group_, &size_);
  bell::hang_up(group_);
}

Communicator::~Communicator() {
  bell::take_down();
  if (started_here_) {
    MPI_Finalize();
  } else {
    MPI_Comm_free(&group_);
  }
}

void Communicator::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

int Communicator::broadcast(int value) const {
  const int tag = tag_number(Tag::beginning);
  if (rank_ != 0) {
    MPI_Recv(&value, 1, MPI_INT, 0, tag, group_, MPI_STATUS_IGNORE);
    return value;
  }
  for (int rank = 1; rank < size_; ++rank) {
    MPI_Send(&value, 1, MPI_INT, rank, tag, group_);
  }
  return value;
}

Sending Communicator::send_bytes(int rank, Tag tag, const void* data, std::size_t bytes) const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(data, bytes, MPI_BYTE, rank, tag_number(tag), group_, &request);
  bell::ring(rank);
  return Sending(request);
}

bool Communicator::receive_bytes(int rank, Tag tag, void* data, std::size_t bytes,
                                 int* from) const {
  MPI_Status status;
  if (!probe(rank < 0 ? MPI_ANY_SOURCE : rank, tag_number(tag), group_, status)) return false;
  MPI_Recv(data, bytes, MPI_BYTE, status.MPI_SOURCE, tag_number(tag), group_, MPI_STATUS_IGNORE);
  if (from != nullptr) *from = status.MPI_SOURCE;
  return true;
}

void Communicator::send_text(int rank, const std::string& text) const {
  MPI_Send(text.data(), text.size(), MPI_BYTE, rank, tag_number(Tag::text), group_);
  bell::ring(rank);
}

std::optional<std::size_t> Communicator::arrived_bytes(int rank, Tag tag) const {
  MPI_Status status;
  if (!probe(rank, tag_number(tag), group_, status)) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  return size;
}

std::optional<std::string> Communicator::receive_text(int rank) const {
  const auto size = arrived_bytes(rank, Tag::text);
  if (!size) return std::nullopt;
  std::string text(*size, ' ');
  receive_bytes(rank, Tag::text, text.data(), *size, nullptr);
  return text;
}

Sending Communicator::send_blocks(int rank, MessageBlocks blocks, int number) const {
  *blocks.told_ = blocks.checksum();
  MPI_Request checksum = MPI_REQUEST_NULL;
  MPI_Isend(blocks.told_.get(), 1, MPI_UINT64_T, rank, tag_number(Tag::checksums) + number, group_,
            &checksum);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(blocks.bytes_.data(), 1, blocks.type_, rank, tag_number(Tag::blocks) + number, group_,
            &request);
  bell::ring(rank);
  return {request, checksum, std::move(blocks)};
}

Sending Communicator::receive_blocks(int rank, MessageBlocks blocks, int number) const {
  MPI_Request checksum = MPI_REQUEST_NULL;
  MPI_Irecv(blocks.told_.get(), 1, MPI_UINT64_T, rank, tag_number(Tag::checksums) + number, group_,
            &checksum);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(blocks.bytes_.data(), 1, blocks.type_, rank, tag_number(Tag::blocks) + number, group_,
            &request);
  return {request, checksum, std::move(blocks), rank};
}

}  // namespace starport::mpi
