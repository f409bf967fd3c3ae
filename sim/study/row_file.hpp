// Files of rows that grow, instance by instance.
#pragma once

#include "sim/files/error.hpp"
#include "sim/process/descriptor.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace starport {

/// Where the rows of an instance stand in a file.
struct TextBlock {
  std::size_t begin = 0;
  std::size_t size = 0;

  std::size_t end() const { return begin + size; }
  std::string_view of(std::string_view text) const { return text.substr(begin, size); }
};
/// By instance number. Every line after the header starts with the number of its instance; those of
/// an instance follow each other. A last line that is cut short is left out, and of instances
/// that come again the last block counts. Throws InputError naming the file and the line.
std::map<std::int64_t, TextBlock> index_rows(std::string_view text, std::string_view header,
                                             const std::string& path);

inline constexpr const char* kDamagedDirectory = "the directory is damaged";
/// About a block that is not what it must be.
InputError damaged_rows(const std::string& path, std::string_view text, const TextBlock& block,
                        std::string expected = "the rows that were written");

/// Such a file, whatever its size. Throws InputError.
std::string read_rows(const std::string& path);

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
  Descriptor file_;
  std::size_t size_;
};

}  // namespace starport
