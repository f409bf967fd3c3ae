// MPI as this program uses it: without blocking receives, so that every wait can time out.
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

/// The rank of the master; the others are workers.
inline constexpr int kMasterRank = 0;

/// The kind of a message, as its MPI tag. Transfers of blocks that are under way at the same time
/// use consecutive tags from `blocks` on, and their checksums consecutive tags from `checksums` on.
enum class Tag : int {
  startup,
  setup,
  order,
  event,
  clock,
  text,
  values,
  barrier,
  blocks,
  checksums = 16384
};

/// The memory that the blocks of a message are sent from or received into, with their checksum.
/// Refers to memory of the caller, which must live until the message is complete.
class BlockBuffer {
 public:
  explicit BlockBuffer(std::span<std::byte> bytes);
  explicit BlockBuffer(std::span<double> values) : BlockBuffer(std::as_writable_bytes(values)) {}
  BlockBuffer(BlockBuffer&& other) noexcept;
  BlockBuffer& operator=(const BlockBuffer&) = delete;
  ~BlockBuffer();

 private:
  friend class Communicator;
  friend class PendingMessage;
  std::uint64_t checksum() const;

  std::span<std::byte> bytes_;
  /// The checksum as the sender computed it. On the heap, since MPI keeps its address.
  std::unique_ptr<std::uint64_t> sent_checksum_;
  MPI_Datatype type_;  ///< describes all of bytes_
};

/// A message that is being sent or received. Must be complete before it, or the memory of the
/// message, is destroyed.
class PendingMessage {
 public:
  explicit PendingMessage(MPI_Request request) : request_(request) {}
  /// A message of blocks, and the one with their checksum. `from` is the sending rank if the blocks
  /// are received; then is_complete() compares the checksum.
  PendingMessage(MPI_Request request, MPI_Request checksum, BlockBuffer blocks,
                 std::optional<int> from = {})
      : request_(request), checksum_(checksum), blocks_(std::move(blocks)), from_(from) {}
  PendingMessage(const PendingMessage&) = delete;
  PendingMessage& operator=(const PendingMessage&) = delete;
  PendingMessage(PendingMessage&& other) noexcept
      : request_(std::exchange(other.request_, MPI_REQUEST_NULL)),
        checksum_(std::exchange(other.checksum_, MPI_REQUEST_NULL)),
        blocks_(std::move(other.blocks_)),
        from_(std::exchange(other.from_, {})) {}

  /// Returns true if the message has been sent or received, without waiting. Call it until it does.
  /// Throws SimulationError if blocks were damaged on their way (their checksum differs).
  bool is_complete();

 private:
  MPI_Request request_;
  MPI_Request checksum_ = MPI_REQUEST_NULL;
  std::optional<BlockBuffer> blocks_{};
  std::optional<int> from_{};  ///< empty once the checksum has been compared
};

/// The ranks of one run and the messages between them. Errors of MPI itself end the program, as is
/// MPI's default.
class Communicator {
 public:
  /// Initialises MPI, which the destructor finalises. Includes all ranks of the program.
  Communicator(int& argc, char**& argv);
  /// Includes the ranks of `group`, in a program that has initialised MPI with at least
  /// MPI_THREAD_FUNNELED. Collective, as is the destructor.
  explicit Communicator(MPI_Comm group);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  /// Returns the number of this rank, from 0.
  int rank() const { return rank_; }
  /// Returns the number of ranks.
  int size() const { return size_; }
  /// Ends all ranks of the program at once, with exit status `status`.
  [[noreturn]] static void abort(int status);

  /// Returns the `value` that rank 0 passes. Collective; blocks until rank 0 has called it.
  int broadcast(int value) const;

  /// Starts sending a trivially copyable message, which must live until it is complete.
  template <class Message>
  [[nodiscard]] PendingMessage send(int rank, Tag tag, const Message& message) const {
    return send_bytes(rank, tag, &message, sizeof message);
  }
  /// Returns the next message with this tag from `rank`, or from any rank if `rank` is -1; nullopt
  /// if none has arrived. Stores the sender in `from` unless that is null.
  template <class Message>
  std::optional<Message> receive(int rank, Tag tag, int* from = nullptr) const {
    Message message;
    if (!receive_bytes(rank, tag, &message, sizeof message, from)) return std::nullopt;
    return message;
  }
  /// Sends a text. May block until `rank` receives it.
  void send_text(int rank, const std::string& text) const;
  /// Returns the next text from `rank`; nullopt if none has arrived.
  std::optional<std::string> receive_text(int rank) const;

  /// Starts sending values of a trivially copyable type; they must live until they are sent.
  template <class Value>
  [[nodiscard]] PendingMessage send_values(int rank, const std::vector<Value>& values) const {
    return send_bytes(rank, Tag::values, values.data(), sizeof(Value) * values.size());
  }
  /// Returns the next values from `rank`; nullopt if none have arrived.
  template <class Value>
  std::optional<std::vector<Value>> receive_values(int rank) const {
    const auto bytes = arrived_bytes(rank, Tag::values);
    if (!bytes) return std::nullopt;
    std::vector<Value> values(*bytes / sizeof(Value));
    receive_bytes(rank, Tag::values, values.data(), *bytes, nullptr);
    return values;
  }

  /// Starts sending blocks. `number`, the same on both sides, distinguishes messages that are under
  /// way between the same two ranks; it must be less than 16,000.
  [[nodiscard]] PendingMessage send_blocks(int rank, BlockBuffer blocks, int number = 0) const;
  /// Starts receiving blocks into the buffer; `number` as in send_blocks().
  [[nodiscard]] PendingMessage receive_blocks(int rank, BlockBuffer blocks, int number = 0) const;

 private:
  void attach();
  PendingMessage send_bytes(int rank, Tag tag, const void* data, std::size_t bytes) const;
  std::optional<std::size_t> arrived_bytes(int rank, Tag tag) const;
  bool receive_bytes(int rank, Tag tag, void* data, std::size_t bytes, int* from) const;

  bool owns_mpi_ = false;  ///< the destructor finalises MPI
  MPI_Comm group_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace starport::mpi
