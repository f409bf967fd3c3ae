// MPI as this program uses it: without blocking receives, so that every wait can time out.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace starport::mpi {

/// The rank of the master. The others are workers: worker i, counted from 0, is rank i + 1.
inline constexpr int kMasterRank = 0;

/// The kind of a message, as its MPI tag; a receiver gets only messages of the tag it asks for.
/// `startup` carries Host, broadcast() and replies to Setup::Kind::shut_down; `setup` Setup;
/// `order` Order, SpeedOrder and the start of a distributed product; `event` WorkerEvent; `clock`
/// replies to Order::Kind::report_time; `text` send_text(); `values` send_values() and SpeedReply;
/// `barrier` is used between workers; `reason` carries the text that follows
/// WorkerEvent::Kind::failed. Messages of blocks use the tags `blocks` + number, and their
/// checksums `checksums` + number, for the number that send_blocks() and receive_blocks() are
/// called with.
enum class Tag : int {
  startup,
  setup,
  order,
  event,
  clock,
  text,
  values,
  barrier,
  reason,
  blocks,
  checksums = 16384
};

/// The memory that the blocks of a message are sent from or received into, with their checksum; to
/// be passed to Communicator::send_blocks() or receive_blocks(). Refers to memory of the caller,
/// which must live, and not be modified, until the message is complete. May be empty. Can be
/// move-constructed, not copied or assigned; MPI must be initialised during its whole life.
class BlockBuffer {
 public:
  /// Refers to `bytes`, the memory of the blocks of a message, which must live until the message is
  /// complete; until then the program must not modify it, nor, if blocks are received into it, read
  /// it. It may be empty or exceed 2 GiB. MPI must be initialised (not checked).
  explicit BlockBuffer(std::span<std::byte> bytes);
  /// Refers to the bytes of `values`, the elements of the blocks of a message, which must live, and
  /// not be modified, until the message is complete. MPI must be initialised (not checked), since
  /// this creates an MPI datatype.
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

/// A message that is being sent or received in the background, as the functions of Communicator
/// return it. Poll is_complete() until it returns true before this object, or the memory of
/// blocks, is destroyed: the destructor neither waits nor cancels, and MPI would then use freed
/// memory. Can be move-constructed, not copied or assigned. Use it only in the thread that called
/// MPI_Init.
class PendingMessage {
 public:
  /// Refers to one MPI request that sends `bytes`, and takes over both.
  PendingMessage(MPI_Request request, std::vector<std::byte> bytes)
      : request_(request), bytes_(std::move(bytes)) {}
  /// Refers to the MPI requests of a message of blocks and of the message with their checksum, and
  /// takes them over. `from` is the sending rank if the blocks are received; is_complete() then
  /// compares the checksum. nullopt: the blocks are sent.
  PendingMessage(MPI_Request request, MPI_Request checksum, BlockBuffer blocks,
                 std::optional<int> from = {})
      : request_(request), checksum_(checksum), blocks_(std::move(blocks)), from_(from) {}
  PendingMessage(const PendingMessage&) = delete;
  PendingMessage& operator=(const PendingMessage&) = delete;
  PendingMessage(PendingMessage&& other) noexcept
      : request_(std::exchange(other.request_, MPI_REQUEST_NULL)),
        checksum_(std::exchange(other.checksum_, MPI_REQUEST_NULL)),
        bytes_(std::move(other.bytes_)),
        blocks_(std::move(other.blocks_)),
        from_(std::exchange(other.from_, {})) {}

  /// Returns true, without waiting, if the message has been received completely, or sent so that
  /// its memory may be used again; the receiver may not have it yet. Call it again until it returns
  /// true; it then stays true. Throws SimulationError if received blocks were damaged on their way
  /// (their checksum differs), once: later calls return true.
  bool is_complete();

 private:
  MPI_Request request_;
  MPI_Request checksum_ = MPI_REQUEST_NULL;
  std::vector<std::byte> bytes_{};  ///< of a message without blocks, with its checksum
  std::optional<BlockBuffer> blocks_{};
  std::optional<int> from_{};  ///< empty once the checksum has been compared
};

/// The ranks (processes) of one run and the messages between them; functions that receive return at
/// once, without waiting for a message. At most one object may exist at a time in a process (not
/// checked). Every message but that of broadcast() carries a checksum; if it is wrong, the function
/// that receives the message, or PendingMessage::is_complete() for blocks, throws SimulationError.
/// All functions must be called in the thread that initialised MPI. Errors of MPI itself, such as a
/// rank that does not exist, end the program, as is MPI's default.
class Communicator {
 public:
  /// Initialises MPI, which the destructor finalises, and includes all ranks of the program. May be
  /// called once per process, before MPI is initialised otherwise. `argc` and `argv` are those of
  /// main(); MPI may remove its own arguments from them. Collective: blocks until all ranks have
  /// called it, as does the destructor. An error of MPI, such as a second call, ends the program.
  Communicator(int& argc, char**& argv);
  /// Includes the ranks of `group`, which is duplicated, in a program that has initialised MPI with
  /// at least MPI_THREAD_FUNNELED (not checked) and finalises it after this object is destroyed.
  /// Collective: all ranks of `group` must call it, and the destructor, and both may block until
  /// they have. An error of MPI ends the program, also if `group` has MPI_ERRORS_RETURN.
  explicit Communicator(MPI_Comm group);
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  /// Returns the number of this rank, from 0 (the master, kMasterRank) to size() - 1.
  int rank() const { return rank_; }
  /// Returns the number of ranks, at least 1: the master and the workers.
  int size() const { return size_; }
  /// Returns the name that starts the messages of this process: "starport-mpi", or "starport_gemm"
  /// if another program has initialised MPI. Valid for ever.
  const char* program() const { return owns_mpi_ ? "starport-mpi" : "starport_gemm"; }
  /// Ends all ranks of the program at once (MPI_COMM_WORLD, not only this group), with exit status
  /// `status`. Runs no destructors.
  [[noreturn]] static void abort(int status);

  /// Sends `value` from rank 0, which alone may call it (not checked), to all other ranks, one
  /// after the other, which receive it with receive_broadcast(), and wakes them up
  /// (wakeup::notify()). May block until they have received it. An error of MPI ends the program,
  /// as is MPI's default.
  void broadcast(int value) const;
  /// Returns, on a rank other than 0, the next value that rank 0 has passed to broadcast(), each
  /// once and in order; nullopt at once if none has arrived.
  std::optional<int> receive_broadcast() const;

  /// Starts sending a copy of the bytes of `message`, of a trivially copyable type (not checked),
  /// to rank `rank`, which receives it with receive() of the same type and tag, and wakes it up
  /// (wakeup::notify()). Keep the returned object until its is_complete() returns true.
  template <class Message>
  [[nodiscard]] PendingMessage send(int rank, Tag tag, const Message& message) const {
    return send_bytes(rank, tag, &message, sizeof message);
  }
  /// Returns the next message with this tag from `rank`, or from any rank if `rank` is -1; nullopt
  /// at once if none has arrived. Stores the rank of the sender in `from` unless that is null or
  /// none has arrived. `Message` must be the type that was sent (not checked), trivially copyable
  /// and default constructible. Throws SimulationError if the message was damaged on its way (its
  /// checksum differs).
  template <class Message>
  std::optional<Message> receive(int rank, Tag tag, int* from = nullptr) const {
    const auto bytes = receive_bytes(rank, tag, from);
    if (!bytes) return std::nullopt;
    Message message;
    std::memcpy(&message, bytes->data(), std::min(bytes->size(), sizeof message));
    return message;
  }
  /// Starts sending a copy of a text of less than 2 GiB (not checked) to `rank`, which receives it
  /// with receive_text() of the same tag, and wakes it up (wakeup::notify()). Keep the returned
  /// object until its is_complete() returns true.
  [[nodiscard]] PendingMessage send_text(int rank, const std::string& text,
                                         Tag tag = Tag::text) const {
    return send_bytes(rank, tag, text.data(), text.size());
  }
  /// Returns the next text that `rank` has sent with send_text() and this tag; nullopt at once if
  /// none has arrived. Throws SimulationError if the text was damaged on its way (its checksum
  /// differs).
  std::optional<std::string> receive_text(int rank, Tag tag = Tag::text) const;

  /// Starts sending a copy of `values`, of a trivially copyable type and together less than 2 GiB
  /// (neither is checked), to `rank`, which receives them with receive_values() of the same type,
  /// and wakes it up (wakeup::notify()). They may be empty. Keep the returned object until its
  /// is_complete() returns true.
  template <class Value>
  [[nodiscard]] PendingMessage send_values(int rank, const std::vector<Value>& values) const {
    return send_bytes(rank, Tag::values, values.data(), sizeof(Value) * values.size());
  }
  /// Returns the next list that `rank` has sent with send_values(), with as many values as were
  /// sent; nullopt at once if none has arrived. `Value` must be the type that was sent (not
  /// checked). Throws SimulationError if the values were damaged on their way.
  template <class Value>
  std::optional<std::vector<Value>> receive_values(int rank) const {
    const auto bytes = receive_bytes(rank, Tag::values, nullptr);
    if (!bytes) return std::nullopt;
    std::vector<Value> values(bytes->size() / sizeof(Value));
    if (!values.empty()) std::memcpy(values.data(), bytes->data(), sizeof(Value) * values.size());
    return values;
  }

  /// Starts sending blocks to `rank`, after computing their checksum, and wakes it up
  /// (wakeup::notify()). `number`, from 0 to 15,999 (not checked) and the same on both sides,
  /// distinguishes messages that are under way between the same two ranks; messages with the same
  /// number arrive in the order in which they were sent. The memory of `blocks` must live,
  /// unchanged, and the returned object must be kept, until its is_complete() returns true.
  [[nodiscard]] PendingMessage send_blocks(int rank, BlockBuffer blocks, int number = 0) const;
  /// Starts receiving blocks from `rank` into the memory of `blocks`, which must live, and not be
  /// read or written, until the returned object is complete. This memory must have the size that is
  /// sent: a longer message ends the program, a shorter one counts as damaged. `number`, from 0 to
  /// 15,999 (not checked), is that of the sender's send_blocks(). If the blocks were damaged (wrong
  /// checksum), PendingMessage::is_complete() of the returned object throws SimulationError.
  [[nodiscard]] PendingMessage receive_blocks(int rank, BlockBuffer blocks, int number = 0) const;

 private:
  void attach();
  PendingMessage send_bytes(int rank, Tag tag, const void* data, std::size_t bytes) const;
  std::optional<std::vector<std::byte>> receive_bytes(int rank, Tag tag, int* from) const;

  bool owns_mpi_ = false;  ///< the destructor finalises MPI
  MPI_Comm group_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace starport::mpi
