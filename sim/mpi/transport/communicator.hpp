// MPI as this program uses it: every wait may end by a time-out.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace starport::mpi {

/// Blocks of several messages at once have tags from `blocks` on, and their checksums tags from
/// `checksums` on.
enum class Tag : int {
  beginning,
  setup,
  order,
  news,
  clock,
  text,
  values,
  turn,
  blocks,
  checksums = 16384
};

/// Where the elements of the blocks of a message are. They travel with their checksum.
class MessageBlocks {
 public:
  explicit MessageBlocks(std::span<std::byte> bytes);
  explicit MessageBlocks(std::span<double> values)
      : MessageBlocks(std::as_writable_bytes(values)) {}
  MessageBlocks(MessageBlocks&& other) noexcept;
  MessageBlocks& operator=(const MessageBlocks&) = delete;
  ~MessageBlocks();

 private:
  friend class Communicator;
  friend class Sending;
  std::uint64_t checksum() const;

  std::span<std::byte> bytes_;
  std::unique_ptr<std::uint64_t> told_;  ///< the checksum of what was sent; stays where it is
  MPI_Datatype type_;                    ///< of all of them
};

/// A message on its way, which must be complete before the scope of its data ends.
class Sending {
 public:
  explicit Sending(MPI_Request request) : request_(request) {}
  /// Blocks and their checksum; `from`: the rank that they come from.
  Sending(MPI_Request request, MPI_Request checksum, MessageBlocks blocks,
          std::optional<int> from = {})
      : request_(request), checksum_(checksum), blocks_(std::move(blocks)), from_(from) {}
  Sending(const Sending&) = delete;
  Sending& operator=(const Sending&) = delete;
  Sending(Sending&& other) noexcept
      : request_(std::exchange(other.request_, MPI_REQUEST_NULL)),
        checksum_(std::exchange(other.checksum_, MPI_REQUEST_NULL)),
        blocks_(std::move(other.blocks_)),
        from_(std::exchange(other.from_, {})) {}

  /// Throws SimulationError when blocks have arrived that are not those that were sent.
  bool complete();

 private:
  MPI_Request request_;
  MPI_Request checksum_ = MPI_REQUEST_NULL;
  std::optional<MessageBlocks> blocks_{};
  std::optional<int> from_{};  ///< until they are known to be what was sent
};

class Communicator {
 public:
  /// Starts MPI, and ends it.
  Communicator(int& argc, char**& argv);
  /// The ranks of the group, of a program that has started MPI. Collective.
  explicit Communicator(MPI_Comm group);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Ends all ranks of the program.
  [[noreturn]] static void abort(int status);

  /// Rank 0's value, everywhere.
  int broadcast(int value) const;

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

  /// Any number of values, which must stay until they are sent.
  template <class Value>
  [[nodiscard]] Sending send_values(int rank, const std::vector<Value>& values) const {
    return send_bytes(rank, Tag::values, values.data(), sizeof(Value) * values.size());
  }
  template <class Value>
  std::optional<std::vector<Value>> receive_values(int rank) const {  ///< if they have arrived
    const auto bytes = arrived_bytes(rank, Tag::values);
    if (!bytes) return std::nullopt;
    std::vector<Value> values(*bytes / sizeof(Value));
    receive_bytes(rank, Tag::values, values.data(), *bytes, nullptr);
    return values;
  }

  /// `number` tells apart what goes between two ranks at once.
  [[nodiscard]] Sending send_blocks(int rank, MessageBlocks blocks, int number = 0) const;
  [[nodiscard]] Sending receive_blocks(int rank, MessageBlocks blocks, int number = 0) const;

 private:
  void join();
  Sending send_bytes(int rank, Tag tag, const void* data, std::size_t bytes) const;
  std::optional<std::size_t> arrived_bytes(int rank, Tag tag) const;
  bool receive_bytes(int rank, Tag tag, void* data, std::size_t bytes, int* from) const;

  bool started_here_ = false;
  MPI_Comm group_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace starport::mpi
