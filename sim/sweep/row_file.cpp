#include "sim/sweep/row_file.hpp"

#include "sim/files/error.hpp"
#include "sim/files/input_file.hpp"
#include "sim/files/json_node.hpp"
#include "sim/files/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace starport {

std::string ChunkReader::next() {
  constexpr std::size_t size = 1 << 15;
  const auto fail = [&] { return make_unreadable_error(path_, errno); };
  const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw fail();
  if (bytes_read_ == 0) register_input_file(file.get());
  std::string chunk(size, '\0');
  ssize_t got = 0;
  do {
    got = ::pread(file.get(), chunk.data(), size, bytes_read_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw fail();
  bytes_read_ += got;
  chunk.resize(static_cast<std::size_t>(got));
  return chunk;
}

std::string sha256_of_file(const std::string& path) {
  Sha256 checksum;
  ChunkReader file(path);
  for (std::string chunk; !(chunk = file.next()).empty();) checksum.add(chunk);
  return checksum.digest();
}

RowReader::RowReader(std::string path, std::string_view header) : file_(std::move(path)) {
  while (buffer_.size() < header.size() && read_more()) {
  }
  if (buffer_.starts_with(header)) {
    rows_begin_ = consumed_ = header.size();
  } else if (header.starts_with(buffer_)) {  // killed at the very start
    consumed_ = buffer_.size();
  } else {
    throw InputError("line 1", "the header of this sweep's rows", "a different one")
        .in_file(file_.path());
  }
}

bool RowReader::read_more() {
  const std::string chunk = file_.next();
  checksum_.add(chunk);
  buffer_ += chunk;
  return !chunk.empty();
}

std::optional<std::size_t> RowReader::end_of_line(std::size_t begin) {
  std::size_t seen = begin;
  while (true) {
    const std::size_t end = buffer_.find("\r\n", seen);
    if (end != std::string::npos) return end + 2;
    seen = std::max(begin, buffer_.size() - !buffer_.empty());
    if (!read_more()) return std::nullopt;
  }
}

std::int64_t RowReader::instance_at(std::size_t begin, std::size_t end) const {
  std::int64_t instance = 0;
  const auto [rest, error] =
      std::from_chars(buffer_.data() + begin, buffer_.data() + end, instance);
  if (error == std::errc{} && *rest == ',' && instance >= 1) return instance;
  throw InputError(fmt::format("line {}", line_), "the number of an instance", "something else")
      .in_file(file_.path());
}

std::optional<RowBlock> RowReader::next() {
  constexpr std::size_t max_consumed = 1 << 16;
  if (consumed_ > max_consumed) {
    buffer_offset_ += consumed_;
    buffer_.erase(0, std::exchange(consumed_, 0));
  }
  RowBlock block{.line = line_, .begin = buffer_offset_ + consumed_};
  const std::size_t begin = consumed_;
  const auto text = [&] { return std::string_view(buffer_).substr(begin, consumed_ - begin); };
  while (const auto end = end_of_line(consumed_)) {
    const std::int64_t instance = instance_at(consumed_, *end);
    if (consumed_ > begin && instance != block.instance) {
      block.text = text();
      return block;
    }
    block.instance = instance;
    consumed_ = *end;
    ++line_;
  }
  if (consumed_ == begin) return std::nullopt;
  block.text = text();
  block.last = true;
  return block;
}

InputError make_damage_error(const std::string& path, std::int64_t line, std::string expected) {
  return InputError(fmt::format("line {}", line), std::move(expected), "something else",
                    kDamagedDirectory)
      .in_file(path);
}

void InvalidBlocks::throw_if_any() const {
  if (lines_.empty()) return;
  const auto& [line, expected] = lines_.begin()->second;
  throw make_damage_error(path_, line, expected);
}

void sort_and_keep_last(std::vector<BlockLocation>& blocks) {
  std::ranges::sort(blocks, {}, [](const BlockLocation& block) {
    return std::pair(block.instance, -static_cast<std::int64_t>(block.begin));
  });
  const auto same = [](const BlockLocation& a, const BlockLocation& b) {
    return a.instance == b.instance;
  };
  blocks.erase(std::unique(blocks.begin(), blocks.end(), same), blocks.end());
}

BlockReader::BlockReader(const std::string& path)
    : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_.get() < 0) {
    throw make_unreadable_error(path, errno);
  }
}

const std::string& BlockReader::read(const BlockLocation& block) {
  text_.resize(block.size);
  std::size_t size = 0;
  while (size < block.size) {
    const ssize_t got = ::pread(file_.get(), text_.data() + size, block.size - size,
                                static_cast<off_t>(block.begin + size));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  text_.resize(size);
  return text_;
}

RowAppender::RowAppender(std::string path, std::size_t size) : path_(std::move(path)), size_(size) {
  file_.reset(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
  if (file_.get() < 0 || ::ftruncate(file_.get(), static_cast<off_t>(size)) != 0 ||
      ::lseek(file_.get(), 0, SEEK_END) < 0) {
    fail(errno);
  }
}

void RowAppender::append(std::string_view rows) {
  if (const int error = write_all(file_.get(), rows); error != 0) {
    // Removes what was written of the rows, so that the file has complete records only.
    if (::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) fail(errno);
    fail(error);
  }
  size_ += rows.size();
}

void RowAppender::sync() {
  if (::fdatasync(file_.get()) != 0 && errno != EINVAL) fail(errno);  // EINVAL: it cannot be synced
}

void RowAppender::fail(int error) const {
  throw InputError("", "a file that can be written", std::strerror(error)).in_file(path_);
}

}  // namespace starport
