// Sequences of records that are spilled to the disk, so that they need not fit in memory.
#pragma once

#include "sim/process/isolation.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace starport {

/// A temporary file without a name, in $TMPDIR or /var/tmp, created by the first write() and freed
/// when this object is destroyed. Its functions throw MachineError when the disk is full or fails,
/// after which it must not be used. Can be move-constructed, but neither copied nor assigned.
class SpillFile {
 public:
  /// Appends bytes to the temporary file, which the first call creates. Throws MachineError when
  /// the file cannot be created or written; the object must not be used then.
  void write(std::span<const std::byte> bytes);
  /// Fills `bytes` with those of the temporary file from byte offset `from` (>= 0) on. Throws
  /// MachineError when reading fails or these bytes were not all written before, also before the
  /// first write(); `bytes` may then be changed in part.
  void read(std::span<std::byte> bytes, std::int64_t from) const;

 private:
  FileDescriptor file_;
};

/// An append-only sequence of trivially copyable records. Fewer than 16384 of them are in memory
/// between calls, the others in a temporary file (SpillFile), which is freed with this object;
/// for_each() needs memory for 16384 more. Its functions throw MachineError when the disk is full
/// or fails. Must not be used after an exception or after being moved from. Can be
/// move-constructed, but neither copied nor assigned.
template <class Record>
class SpillBuffer {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  /// Appends a copy of a record to the sequence; every 16384th call writes to the disk. Throws
  /// MachineError when that fails.
  void add(const Record& record) {
    in_memory_.push_back(record);
    if (in_memory_.size() < kRecordsInMemory) return;
    file_.write(std::as_bytes(std::span(in_memory_)));
    in_memory_.clear();
    ++parts_;
  }

  /// Calls `visit` with a const reference to each record, valid during the call only, in the order
  /// of their addition. Reads the file anew on each call; throws MachineError when that fails, and
  /// what `visit` throws. `visit` must not add records (undefined behaviour).
  template <class Visit>
  void for_each(Visit&& visit) const {
    std::vector<Record> part(parts_ > 0 ? kRecordsInMemory : 0);
    const auto bytes = std::as_writable_bytes(std::span(part));
    for (std::int64_t i = 0; i < parts_; ++i) {
      file_.read(bytes, i * static_cast<std::int64_t>(bytes.size()));
      for (const Record& record : part) visit(record);
    }
    for (const Record& record : in_memory_) visit(record);
  }

 private:
  static constexpr std::size_t kRecordsInMemory = 16384;

  SpillFile file_;
  std::int64_t parts_ = 0;  ///< number of parts of kRecordsInMemory records in the file
  std::vector<Record> in_memory_;
};

}  // namespace starport
