#include "sim/mpi/communicator.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdlib>

namespace starport::mpi {
namespace {

MPI_Datatype block_type(std::int64_t q) {
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(q, MPI_DOUBLE, &row);
  MPI_Type_contiguous(q, row, &block);
  MPI_Type_free(&row);
  MPI_Type_commit(&block);
  return block;
}

int tag_number(Tag tag) { return static_cast<int>(tag); }

}  // namespace

MessageBlocks::MessageBlocks(std::vector<double>& side_by_side, std::int64_t q)
    : MessageBlocks(side_by_side.data(), std::ssize(side_by_side) / (q * q), q) {}

MessageBlocks::MessageBlocks(double* first, std::int64_t count, std::int64_t q)
    : MessageBlocks(std::vector<Run>{{first, count}}, q) {}

MessageBlocks::MessageBlocks(const std::vector<double*>& apart, std::int64_t q)
    : MessageBlocks(runs_of(apart), q) {}

std::vector<MessageBlocks::Run> MessageBlocks::runs_of(const std::vector<double*>& apart) {
  std::vector<Run> runs;
  runs.reserve(apart.size());
  for (double* block : apart) runs.push_back({block, 1});
  return runs;
}

MessageBlocks::MessageBlocks(std::vector<Run> runs, std::int64_t q)
    : runs_(std::move(runs)), q_(q), told_(std::make_unique<std::uint64_t>()) {
  const auto address = [](const void* data) {
    MPI_Aint place = 0;
    MPI_Get_address(data, &place);
    return place;
  };
  const MPI_Aint origin = address(told_.get());
  MPI_Datatype block = block_type(q);
  std::vector<int> counts{1};
  std::vector<MPI_Aint> places{0};
  std::vector<MPI_Datatype> types{MPI_UINT64_T};
  for (const Run& run : runs_) {
    counts.push_back(static_cast<int>(run.blocks));
    places.push_back(address(run.first) - origin);
    types.push_back(block);
  }
  MPI_Type_create_struct(counts.size(), counts.data(), places.data(), types.data(), &type_);
  MPI_Type_commit(&type_);
  MPI_Type_free(&block);
}

MessageBlocks::MessageBlocks(MessageBlocks&& other) noexcept
    : runs_(std::move(other.runs_)),
      q_(other.q_),
      told_(std::move(other.told_)),
      type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}

/// A message on its way keeps what it needs of the type.
MessageBlocks::~MessageBlocks() {
  if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
}

std::uint64_t MessageBlocks::checksum() const {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  for (const Run& run : runs_) {
    XXH3_64bits_update(&state, run.first, sizeof(double) * run.blocks * q_ * q_);
  }
  return XXH3_64bits_digest(&state);
}

bool Sending::complete() {
  int done = 0;
  MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
  if (done == 0) return false;
  const auto from = std::exchange(from_, std::nullopt);
  if (from && blocks_->checksum() != *blocks_->told_) {
    throw SimulationError(fmt::format(
        "blocks from rank {} are not those that were sent: their checksum differs", *from));
  }
  return true;
}

Communicator::Communicator(int& argc, char**& argv) {
  // One thread of each rank communicates; the other one computes.
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
}

Communicator::~Communicator() { MPI_Finalize(); }

void Communicator::abort(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  std::abort();
}

int Communicator::broadcast(int value) const {
  const int tag = tag_number(Tag::beginning);
  if (rank_ != 0) {
    MPI_Recv(&value, 1, MPI_INT, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return value;
  }
  for (int rank = 1; rank < size_; ++rank) {
    MPI_Send(&value, 1, MPI_INT, rank, tag, MPI_COMM_WORLD);
  }
  return value;
}

Sending Communicator::send_bytes(int rank, Tag tag, const void* data, std::size_t bytes) const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(data, bytes, MPI_BYTE, rank, tag_number(tag), MPI_COMM_WORLD, &request);
  return Sending(request);
}

bool Communicator::receive_bytes(int rank, Tag tag, void* data, std::size_t bytes,
                                 int* from) const {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(rank < 0 ? MPI_ANY_SOURCE : rank, tag_number(tag), MPI_COMM_WORLD, &there, &status);
  if (there == 0) return false;
  MPI_Recv(data, bytes, MPI_BYTE, status.MPI_SOURCE, tag_number(tag), MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  if (from != nullptr) *from = status.MPI_SOURCE;
  return true;
}

void Communicator::send_text(int rank, const std::string& text) const {
  MPI_Send(text.data(), text.size(), MPI_BYTE, rank, tag_number(Tag::text), MPI_COMM_WORLD);
}

std::optional<std::size_t> Communicator::arrived_bytes(int rank, Tag tag) const {
  int there = 0;
  int size = 0;
  MPI_Status status;
  MPI_Iprobe(rank, tag_number(tag), MPI_COMM_WORLD, &there, &status);
  if (there == 0) return std::nullopt;
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
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(blocks.told_.get(), 1, blocks.type_, rank, tag_number(Tag::blocks) + number,
            MPI_COMM_WORLD, &request);
  return {request, std::move(blocks)};
}

Sending Communicator::receive_blocks(int rank, MessageBlocks blocks, int number) const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(blocks.told_.get(), 1, blocks.type_, rank, tag_number(Tag::blocks) + number,
            MPI_COMM_WORLD, &request);
  return {request, std::move(blocks), rank};
}

}  // namespace starport::mpi
