// MPI as this program uses it: every wait may end by a time-out.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace starport {

enum class Tag : int { beginning, setup, order, blocks, news, clock, text };

/// A message on its way, which must be complete before the scope of its data ends.
class Sending {
 public:
  explicit Sending(MPI_Request request, MPI_Datatype type = MPI_DATATYPE_NULL)
      : request_(request), type_(type) {}
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;
  Sending(Sending&& other) noexcept;
  ~Sending();

  bool complete();

 private:
  MPI_Request request_;
  MPI_Datatype type_;
};

/// Messages go between rank 0 and the others only: nothing connects the workers of a star.
class Communicator {
 public:
  /// Starts MPI, and ends it.
  Communicator(int& argc, char**& argv);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Ends all ranks.
  [[noreturn]] static void abort(int status);

  /// Rank 0's value, everywhere.
  int broadcast(int value) const;

  /// The values of all ranks, on rank 0.
  template <class Value>
  std::vector<Value> gather(const Value& value) const {
    std::vector<Value> values(rank_ == 0 ? static_cast<std::size_t>(size_) : 0);
    gather_bytes(&value, values.data(), sizeof value);
    return values;
  }

  template <class Message>
  [[nodiscard]] Sending send(int rank, Tag tag, const Message& message) const {
    return send_bytes(rank, tag, &message, sizeof message);
  }
  /// A message of that tag, if one has arrived, from `rank` or from any (-1).
  template <class Message>
  std::optional<Message> receive(int rank, Tag tag, int* from = nullptr) const {
    Message message;
    if (!receive_bytes(rank, tag, &message, sizeof message, from)) return std::nullopt;
    return message;
  }
  void send_text(int rank, const std::string& text) const;
  std::optional<std::string> receive_text(int rank) const;  ///< if one has arrived

  /// Blocks of q x q doubles, side by side.
  [[nodiscard]] Sending send_blocks(int rank, const std::vector<double>& blocks,
                                    std::int64_t q) const;
  [[nodiscard]] Sending receive_blocks(int rank, std::vector<double>& blocks, std::int64_t q) const;
  /// The same where each block is somewhere else.
  [[nodiscard]] Sending send_blocks(int rank, const std::vector<double*>& blocks,
                                    std::int64_t q) const;
  [[nodiscard]] Sending receive_blocks(int rank, const std::vector<double*>& blocks,
                                       std::int64_t q) const;

 private:
  Sending send_bytes(int rank, Tag tag, const void* data, std::size_t bytes) const;
  void gather_bytes(const void* value, void* values, std::size_t bytes) const;
  bool receive_bytes(int rank, Tag tag, void* data, std::size_t bytes, int* from) const;

  int rank_ = 0;
  int size_ = 1;
};

}  // namespace starport
