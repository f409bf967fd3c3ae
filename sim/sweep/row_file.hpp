// CSV files of rows that are grouped by instance: sequential reading, random reading, appending.
#pragma once

#include "sim/files/error.hpp"
#include "sim/process/descriptor.hpp"
#include "sim/sweep/sha256.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace starport {

/// Reads a file in chunks of 32 KiB. The file is open only during a read, so that any number of
/// readers can exist at once.
class ChunkReader {
 public:
  explicit ChunkReader(std::string path) : path_(std::move(path)) {}
  /// Returns the next chunk; an empty one at the end of the file. Throws InputError when the file
  /// cannot be read.
  std::string next();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::int64_t bytes_read_ = 0;
};

/// Returns the SHA-256 of a file as 64 hexadecimal digits. Throws InputError when it cannot be
/// read.
std::string sha256_of_file(const std::string& path);

/// Consecutive rows of one instance in a file.
struct RowBlock {
  std::int64_t instance = 0;
  std::int64_t line = 0;  ///< number of its first line, from 1
  std::size_t begin = 0;  ///< offset in the file, in bytes
  std::string_view text;  ///< the rows; valid until the next block is read
  bool last = false;      ///< the last complete block of the file

  /// Returns the offset of the first byte after the block.
  std::size_t end() const { return begin + text.size(); }
};

/// Reads the rows of a file block by block; holds only part of the file in memory. Every line after
/// the header must start with an instance number and a comma. An incomplete last line is ignored.
/// An instance may have several blocks, of which the last one is valid.
class RowReader {
 public:
  /// Reads the header. Throws InputError with the file and the line when it differs from `header`.
  /// A header that is cut short is accepted: the writer was killed at its start.
  RowReader(std::string path, std::string_view header);
  /// Returns the next block, or nullopt at the end. Throws InputError with the file and the line
  /// when a row does not start with an instance number.
  std::optional<RowBlock> next();

  const std::string& path() const { return file_.path(); }
  /// Returns the offset of the first row; 0 when the header is incomplete.
  std::size_t rows_begin() const { return rows_begin_; }
  /// Returns the SHA-256 of the whole file. Call it once, after the last block.
  std::string sha256() { return checksum_.digest(); }

 private:
  /// Appends the next chunk to the buffer; false at the end of the file.
  bool read_more();
  /// Returns the offset in the buffer behind the line that starts at `begin`; reads more as needed.
  std::optional<std::size_t> end_of_line(std::size_t begin);
  std::int64_t instance_at(std::size_t begin, std::size_t end) const;

  ChunkReader file_;
  Sha256 checksum_;
  std::size_t rows_begin_ = 0;
  std::string buffer_;
  std::size_t consumed_ = 0;       ///< bytes of the buffer that belong to returned blocks
  std::size_t buffer_offset_ = 0;  ///< offset of the buffer in the file
  std::int64_t line_ = 2;          ///< number of the next line
};

inline constexpr const char* kDamagedDirectory = "the directory is damaged";
/// Returns the error for rows at `line` of the file that are not as `expected`.
InputError make_damage_error(const std::string& path, std::int64_t line,
                             std::string expected = "the rows that were written");

/// Collects blocks of a file that are not as written. A later valid block of the same instance
/// makes up for an invalid one.
class InvalidBlocks {
 public:
  explicit InvalidBlocks(std::string path) : path_(std::move(path)) {}
  void add(const RowBlock& block, std::string expected = "the rows that were written") {
    lines_[block.instance] = {block.line, std::move(expected)};
  }
  void remove(std::int64_t instance) { lines_.erase(instance); }
  /// Throws InputError for the invalid block with the smallest instance number, if there is one.
  void throw_if_any() const;

 private:
  std::string path_;
  std::map<std::int64_t, std::pair<std::int64_t, std::string>> lines_;
};

/// The position of a block in its file.
struct BlockLocation {
  std::int64_t instance;
  std::int64_t line;
  std::size_t begin;  ///< offset in bytes
  std::size_t size;   ///< in bytes
};
inline BlockLocation location_of(const RowBlock& block) {
  return {block.instance, block.line, block.begin, block.text.size()};
}
/// Sorts the blocks by instance and removes all but the last block of each instance in the file.
void sort_and_keep_last(std::vector<BlockLocation>& blocks);

/// Reads blocks of a file in any order; keeps the file open.
class BlockReader {
 public:
  /// Throws InputError when the file cannot be opened.
  explicit BlockReader(const std::string& path);
  /// Returns the text of a block, valid until the next call; shorter when the file ends before.
  const std::string& read(const BlockLocation& block);

 private:
  FileDescriptor file_;
  std::string text_;
};

/// Appends rows to a file. Each append() is written completely or, when the disk is full, not at
/// all.
class RowAppender {
 public:
  /// Opens or creates the file and truncates it to `size` bytes. Throws InputError.
  RowAppender(std::string path, std::size_t size);
  /// Throws InputError that names the file when the rows cannot be written.
  void append(std::string_view rows);
  /// Flushes the file to the disk (fdatasync).
  void sync();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;
  FileDescriptor file_;
  std::size_t size_;
};

}  // namespace starport
