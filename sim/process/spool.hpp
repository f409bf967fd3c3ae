// Records that wait on the disk, so that memory need not hold them all.
#pragma once

#include "sim/process/descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace starport {

/// A file without a name, in $TMPDIR or /var/tmp, made when something is first written. Throws
/// MachineError when that fails.
class SpoolFile {
 public:
  void write(std::span<const std::byte> bytes);
  /// As many as there is room for, from that byte on; they have been written.
  void read(std::span<std::byte> bytes, std::int64_t from) const;

 private:
  Descriptor file_;
};

/// Keeps records in their order; few of them in memory, however many there are.
template <class Record>
class Spool {
  static_assert(std::is_trivially_copyable_v<Record>);

 public:
  void add(const Record& record) {
    last_.push_back(record);
    if (last_.size() < kPart) return;
    file_.write(std::as_bytes(std::span(last_)));
    last_.clear();
    ++parts_;
  }

  template <class Take>
  void for_each(Take&& take) const {
    std::vector<Record> part(parts_ > 0 ? kPart : 0);
    const auto bytes = std::as_writable_bytes(std::span(part));
    for (std::int64_t i = 0; i < parts_; ++i) {
      file_.read(bytes, i * static_cast<std::int64_t>(bytes.size()));
      for (const Record& record : part) take(record);
    }
    for (const Record& record : last_) take(record);
  }

 private:
  static constexpr std::size_t kPart = 16384;

  SpoolFile file_;
  std::int64_t parts_ = 0;  ///< in the file
  std::vector<Record> last_;
};

}  // namespace starport
