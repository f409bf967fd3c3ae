#include "sim/mpi/transport/communicator.hpp"

#include "sim/files/error.hpp"
#include "sim/mpi/transport/clock.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <array>
#include <cstddef>
#include <cstdlib>

namespace starport::mpi {
namespace {

int tag_number(Tag tag) { return static_cast<int>(tag); }

/// Returns true, and sets `status`, if a message with this tag has arrived from `rank`.
bool probe(int rank, int tag, MPI_Comm group, MPI_Status& status) {
#ifdef STARPORT_SMPI
  constexpr int attempts = 1;
#else
  // Open MPI's probe first searches its queue, then fetches what has arrived: only the second one
  // is sure to find the message that woke this rank up.
  constexpr int attempts = 2;
#endif
  int found = 0;
  for (int attempt = 0; attempt < attempts && found == 0; ++attempt) {
    MPI_Iprobe(rank, tag, group, &found, &status);
  }
  return found != 0;
}

using Checksum = std::uint64_t;

SimulationError damaged(const char* what, int from) {
  return SimulationError(fmt::format(
      "{} received from rank {} differ from those that it sent: their checksums differ. "
      "Check the memory and the network of the machines",
      what, from));
}

}  // namespace

// MPI counts with int, so that a buffer of any size is one element of a type that describes it all.
BlockBuffer::BlockBuffer(std::span<std::byte> bytes)
    : bytes_(bytes), sent_checksum_(std::make_unique<std::uint64_t>()) {
  constexpr std::int64_t chunk_bytes = 1 << 20;
  const std::int64_t chunks = std::ssize(bytes) / chunk_bytes;
  MPI_Datatype chunk_type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(chunk_bytes, MPI_BYTE, &chunk_type);
  const std::array<int, 2> counts{static_cast<int>(chunks),
                                  static_cast<int>(std::ssize(bytes) % chunk_bytes)};
  const std::array<MPI_Aint, 2> offsets{0, chunks * chunk_bytes};
  const std::array<MPI_Datatype, 2> types{chunk_type, MPI_BYTE};
  const int skipped = chunks == 0 ? 1 : 0;
  MPI_Type_create_struct(2 - skipped, counts.data() + skipped, offsets.data() + skipped,
                         types.data() + skipped, &type_);
  MPI_Type_commit(&type_);
  MPI_Type_free(&chunk_type);
}

BlockBuffer::BlockBuffer(BlockBuffer&& other) noexcept
    : bytes_(other.bytes_),
      sent_checksum_(std::move(other.sent_checksum_)),
      type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}

// MPI keeps a freed type for the messages that still use it.
BlockBuffer::~BlockBuffer() {
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

std::uint64_t BlockBuffer::checksum() const { return XXH3_64bits(bytes_.data(), bytes_.size()); }

bool PendingMessage::is_complete() {
  for (MPI_Request* request : {&request_, &checksum_}) {
    if (*request == MPI_REQUEST_NULL) continue;  // SMPI's MPI_Test never reports these as done
    int done = 0;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done == 0) return false;
  }
  const auto from = std::exchange(from_, std::nullopt);
  if (from && blocks_->checksum() != *blocks_->sent_checksum_) {
    throw damaged("the blocks", *from);
  }
  return true;
}

Communicator::Communicator(int& argc, char**& argv) : owns_mpi_(true) {
  // One thread of each rank communicates, another one computes.
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  // Not duplicated: no other code sends messages here, and SMPI duplicates a communicator by
  // messages between workers, which no link of a star connects.
  group_ = MPI_COMM_WORLD;
  attach();
}

Communicator::Communicator(MPI_Comm group) {
  if (MPI_Comm_dup(group, &group_) != MPI_SUCCESS) abort(EXIT_FAILURE);
  // The host of a library may have asked for return codes, which nobody here looks at.
  MPI_Comm_set_errhandler(group_, MPI_ERRORS_ARE_FATAL);
  attach();
}

void Communicator::attach() {
  MPI_Comm_rank(group_, &rank_);
  MPI_Comm_size(group_, &size_);
  wakeup::initialize(group_);
}

Communicator::~Communicator() {
  wakeup::finalize();
  if (owns_mpi_) {
    MPI_Finalize();
  } else {
    MPI_Comm_free(&group_);
  }
}

void Communicator::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

void Communicator::broadcast(int value) const {
  for (int rank = 1; rank < size_; ++rank) {
    MPI_Send(&value, 1, MPI_INT, rank, tag_number(Tag::startup), group_);
    wakeup::notify(rank);
  }
}

std::optional<int> Communicator::receive_broadcast() const {
  MPI_Status status;
  if (!probe(0, tag_number(Tag::startup), group_, status)) return std::nullopt;
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, 0, status.MPI_TAG, group_, MPI_STATUS_IGNORE);
  return value;
}

PendingMessage Communicator::send_bytes(int rank, Tag tag, const void* data,
                                        std::size_t bytes) const {
  const Checksum checksum = XXH3_64bits(data, bytes);
  const auto* const first = static_cast<const std::byte*>(data);
  std::vector<std::byte> copy;
  copy.reserve(bytes + sizeof checksum);
  copy.assign(first, first + bytes);
  const auto last = std::as_bytes(std::span(&checksum, 1));
  copy.insert(copy.end(), last.begin(), last.end());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(copy.data(), copy.size(), MPI_BYTE, rank, tag_number(tag), group_, &request);
  wakeup::notify(rank);
  return {request, std::move(copy)};
}

/// Receives the next message with this tag, and removes its checksum.
std::optional<std::vector<std::byte>> Communicator::receive_bytes(int rank, Tag tag,
                                                                  int* from) const {
  MPI_Status status;
  if (!probe(rank < 0 ? MPI_ANY_SOURCE : rank, tag_number(tag), group_, status)) {
    return std::nullopt;
  }
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::vector<std::byte> bytes(size);
  MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, tag_number(tag), group_,
           MPI_STATUS_IGNORE);
  if (from != nullptr) *from = status.MPI_SOURCE;
  Checksum sent = 0;
  if (bytes.size() < sizeof sent) throw damaged("bytes", status.MPI_SOURCE);
  std::memcpy(&sent, bytes.data() + bytes.size() - sizeof sent, sizeof sent);
  bytes.resize(bytes.size() - sizeof sent);
  if (XXH3_64bits(bytes.data(), bytes.size()) != sent) {
    throw damaged("bytes", status.MPI_SOURCE);
  }
  return bytes;
}

std::optional<std::string> Communicator::receive_text(int rank, Tag tag) const {
  const auto bytes = receive_bytes(rank, tag, nullptr);
  if (!bytes) return std::nullopt;
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

PendingMessage Communicator::send_blocks(int rank, BlockBuffer blocks, int number) const {
  *blocks.sent_checksum_ = blocks.checksum();
  MPI_Request checksum = MPI_REQUEST_NULL;
  MPI_Isend(blocks.sent_checksum_.get(), 1, MPI_UINT64_T, rank, tag_number(Tag::checksums) + number,
            group_, &checksum);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(blocks.bytes_.data(), 1, blocks.type_, rank, tag_number(Tag::blocks) + number, group_,
            &request);
  wakeup::notify(rank);
  return {request, checksum, std::move(blocks)};
}

PendingMessage Communicator::receive_blocks(int rank, BlockBuffer blocks, int number) const {
  MPI_Request checksum = MPI_REQUEST_NULL;
  MPI_Irecv(blocks.sent_checksum_.get(), 1, MPI_UINT64_T, rank, tag_number(Tag::checksums) + number,
            group_, &checksum);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(blocks.bytes_.data(), 1, blocks.type_, rank, tag_number(Tag::blocks) + number, group_,
            &request);
  return {request, checksum, std::move(blocks), rank};
}

}  // namespace starport::mpi
