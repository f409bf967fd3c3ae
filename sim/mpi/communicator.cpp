#include "sim/mpi/communicator.hpp"

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

/// Blocks at those addresses, as one value at the first.
MPI_Datatype scattered_type(const std::vector<double*>& blocks, std::int64_t q) {
  const auto address = [](const double* block) {
    MPI_Aint place = 0;
    MPI_Get_address(block, &place);
    return place;
  };
  std::vector<MPI_Aint> places;
  places.reserve(blocks.size());
  for (const double* block : blocks) places.push_back(address(block) - address(blocks.front()));
  const std::vector<int> ones(blocks.size(), 1);
  MPI_Datatype block = block_type(q);
  MPI_Datatype all = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(blocks.size(), ones.data(), places.data(), block, &all);
  MPI_Type_commit(&all);
  MPI_Type_free(&block);
  return all;
}

int tag_number(Tag tag) { return static_cast<int>(tag); }

}  // namespace

MessageBlocks::MessageBlocks(std::vector<double>& side_by_side, std::int64_t q)
    : MessageBlocks(side_by_side.data(), std::ssize(side_by_side) / (q * q), q) {}

MessageBlocks::MessageBlocks(double* first, std::int64_t count, std::int64_t q)
    : first_(first), count_(static_cast<int>(count)), type_(block_type(q)) {}

MessageBlocks::MessageBlocks(const std::vector<double*>& apart, std::int64_t q)
    : first_(apart.empty() ? nullptr : apart.front()), count_(1), type_(scattered_type(apart, q)) {}

bool Sending::complete() {
  int done = 0;
  MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
  return done != 0;
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

Sending Communicator::send_blocks(int rank, const MessageBlocks& blocks, int number) const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(blocks.first_, blocks.count_, blocks.type_, rank, tag_number(Tag::blocks) + number,
            MPI_COMM_WORLD, &request);
  return Sending(request);
}

Sending Communicator::receive_blocks(int rank, const MessageBlocks& blocks, int number) const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(blocks.first_, blocks.count_, blocks.type_, rank, tag_number(Tag::blocks) + number,
            MPI_COMM_WORLD, &request);
  return Sending(request);
}

}  // namespace starport::mpi
