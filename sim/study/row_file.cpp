#include "sim/study/row_file.hpp"

#include "sim/files/error.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

namespace starport {

std::map<std::int64_t, TextBlock> index_rows(std::string_view text, std::string_view header,
                                             const std::string& path) {
  std::map<std::int64_t, TextBlock> blocks;
  if (!text.starts_with(header)) {
    if (header.starts_with(text)) return blocks;  // killed at the very start
    throw InputError("line 1", "the header of this sweep's rows", "another one").in_file(path);
  }
  std::int64_t current = 0;
  std::int64_t line = 2;
  for (std::size_t at = header.size(); at < text.size(); ++line) {
    const std::size_t end = text.find("\r\n", at);
    if (end == std::string_view::npos) break;
    std::int64_t instance = 0;
    const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, instance);
    if (error != std::errc{} || *rest != ',' || instance < 1) {
      throw InputError(fmt::format("line {}", line), "the number of an instance", "something else")
          .in_file(path);
    }
    TextBlock& block = blocks[instance];
    if (instance != current) block = {.begin = at, .size = 0};
    current = instance;
    at = end + 2;
    block.size = at - block.begin;
  }
  return blocks;
}

InputError damaged_rows(const std::string& path, std::string_view text, const TextBlock& block,
                        std::string expected) {
  const auto line = std::count(text.begin(), text.begin() + static_cast<long>(block.begin), '\n');
  return InputError(fmt::format("line {}", line + 1), std::move(expected), "something else",
                    kDamagedDirectory)
      .in_file(path);
}

std::string read_rows(const std::string& path) { return read_file(path, SIZE_MAX); }

RowFile::RowFile(std::string path, std::size_t size) : path_(std::move(path)), size_(size) {
  file_.reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (file_.get() < 0 || ::ftruncate(file_.get(), static_cast<off_t>(size)) != 0 ||
      ::lseek(file_.get(), 0, SEEK_END) < 0) {
    fail(errno);
  }
}

void RowFile::append(std::string_view rows) {
  if (const int error = write_all(file_.get(), rows); error != 0) {
    // What is there stays a file of whole records.
    if (::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) fail(errno);
    fail(error);
  }
  size_ += rows.size();
}

void RowFile::sync() { ::fdatasync(file_.get()); }

void RowFile::fail(int error) const {
  throw InputError("", "a file that can be written", std::strerror(error)).in_file(path_);
}

}  // namespace starport
