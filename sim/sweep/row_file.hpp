// Files of rows that grow, instance by instance.
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

/// A file, piece by piece. It is open while a piece is read only, so that there may be many.
class PieceReader {
 public:
  explicit PieceReader(std::string path) : path_(std::move(path)) {}
  /// Empty at the end. Throws InputError.
  std::string next();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  std::int64_t read_ = 0;
};

/// The rows of an instance in a file.
struct RowBlock {
  std::int64_t instance = 0;
  std::int64_t line = 0;  ///< the first
  std::size_t begin = 0;  ///< in the file
  std::string_view text;  ///< until the next block is read
  bool last = false;

  std::size_t end() const { return begin + text.size(); }
};

/// Reads such a file, in the memory of some of its rows. Every line after the header starts with
/// the number of its instance; those of an instance follow each other. A last line that is cut
/// short is left out. Of instances that come again the last block counts.
class RowReader {
 public:
  /// Throws InputError naming the file and the line, as next() does.
  RowReader(std::string path, std::string_view header);
  std::optional<RowBlock> next();

  const std::string& path() const { return file_.path(); }
  /// Where the header ends; 0 when it is not whole.
  std::size_t rows_begin() const { return rows_begin_; }
  /// Of the whole file, once all has been read.
  std::string sha256() { return fingerprint_.digest(); }

 private:
  /// False at the end of the file.
  bool read_on();
  /// The end in the buffer of the line that starts there, reading on as it must.
  std::optional<std::size_t> end_of_line(std::size_t begin);
  std::int64_t instance_at(std::size_t begin, std::size_t end) const;

  PieceReader file_;
  Sha256 fingerprint_;
  std::size_t rows_begin_ = 0;
  std::string buffer_;
  std::size_t passed_ = 0;     ///< of the buffer
  std::size_t buffer_at_ = 0;  ///< in the file
  std::int64_t line_ = 2;      ///< the next one
};

inline constexpr const char* kDamagedDirectory = "the directory is damaged";
/// About a block that is not what it must be.
InputError damaged_rows(const std::string& path, std::int64_t line,
                        std::string expected = "the rows that were written");

/// Blocks that are not what was written. Where another one of the same instance comes later, they
/// do not count.
class Suspects {
 public:
  explicit Suspects(std::string path) : path_(std::move(path)) {}
  void add(const RowBlock& block, std::string expected = "the rows that were written") {
    lines_[block.instance] = {block.line, std::move(expected)};
  }
  void clear(std::int64_t instance) { lines_.erase(instance); }
  /// Throws InputError about the one of the first instance, if any is left.
  void refuse() const;

 private:
  std::string path_;
  std::map<std::int64_t, std::pair<std::int64_t, std::string>> lines_;
};

/// Where a block stands.
struct RowPlace {
  std::int64_t instance;
  std::int64_t line;
  std::size_t begin;
  std::size_t size;
};
inline RowPlace place_of(const RowBlock& block) {
  return {block.instance, block.line, block.begin, block.text.size()};
}
/// In the order of the instances, each once.
void keep_last(std::vector<RowPlace>& places);

/// The blocks of a file, in any order.
class RowTexts {
 public:
  explicit RowTexts(const std::string& path);
  /// Until the next one is asked for.
  const std::string& at(const RowPlace& place);

 private:
  FileDescriptor file_;
  std::string text_;
};

/// A file to which whole records are added: each is there entirely or, when the disk is full, not
/// at all.
class RowFile {
 public:
  /// `size`: how much of what is there already is kept.
  RowFile(std::string path, std::size_t size);
  /// One write; throws InputError naming the file.
  void append(std::string_view rows);
  void sync();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_;
  FileDescriptor file_;
  std::size_t size_;
};

}  // namespace starport
