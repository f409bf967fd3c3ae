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

std::string PieceReader::next() {
  constexpr std::size_t size = 1 << 15;
  const auto fail = [&] { return unreadable(path_, errno); };
  const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw fail();
  if (read_ == 0) register_input_file(file.get());
  std::string piece(size, '\0');
  ssize_t got = 0;
  do {
    got = ::pread(file.get(), piece.data(), size, read_);
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw fail();
  read_ += got;
  piece.resize(static_cast<std::size_t>(got));
  return piece;
}

RowReader::RowReader(std::string path, std::string_view header) : file_(std::move(path)) {
  while (buffer_.size() < header.size() && read_on()) {
  }
  if (buffer_.starts_with(header)) {
    rows_begin_ = passed_ = header.size();
  } else if (header.starts_with(buffer_)) {  // killed at the very start
    passed_ = buffer_.size();
  } else {
    throw InputError("line 1", "the header of this sweep's rows", "another one")
        .in_file(file_.path());
  }
}

bool RowReader::read_on() {
  const std::string piece = file_.next();
  fingerprint_.add(piece);
  buffer_ += piece;
  return !piece.empty();
}

std::optional<std::size_t> RowReader::end_of_line(std::size_t begin) {
  std::size_t seen = begin;
  while (true) {
    const std::size_t end = buffer_.find("\r\n", seen);
    if (end != std::string::npos) return end + 2;
    seen = std::max(begin, buffer_.size() - !buffer_.empty());
    if (!read_on()) return std::nullopt;
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
  constexpr std::size_t much = 1 << 16;
  if (passed_ > much) {
    buffer_at_ += passed_;
    buffer_.erase(0, std::exchange(passed_, 0));
  }
  RowBlock block{.line = line_, .begin = buffer_at_ + passed_};
  const std::size_t begin = passed_;
  const auto text = [&] { return std::string_view(buffer_).substr(begin, passed_ - begin); };
  while (const auto end = end_of_line(passed_)) {
    const std::int64_t instance = instance_at(passed_, *end);
    if (passed_ > begin && instance != block.instance) {
      block.text = text();
      return block;
    }
    block.instance = instance;
    passed_ = *end;
    ++line_;
  }
  if (passed_ == begin) return std::nullopt;
  block.text = text();
  block.last = true;
  return block;
}

InputError damaged_rows(const std::string& path, std::int64_t line, std::string expected) {
  return InputError(fmt::format("line {}", line), std::move(expected), "something else",
                    kDamagedDirectory)
      .in_file(path);
}

void Suspects::refuse() const {
  if (lines_.empty()) return;
  const auto& [line, expected] = lines_.begin()->second;
  throw damaged_rows(path_, line, expected);
}

void keep_last(std::vector<RowPlace>& places) {
  std::ranges::sort(places, {}, [](const RowPlace& place) {
    return std::pair(place.instance, -static_cast<std::int64_t>(place.begin));
  });
  const auto same = [](const RowPlace& a, const RowPlace& b) { return a.instance == b.instance; };
  places.erase(std::unique(places.begin(), places.end(), same), places.end());
}

RowTexts::RowTexts(const std::string& path) : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_.get() < 0) {
    throw unreadable(path, errno);
  }
}

const std::string& RowTexts::at(const RowPlace& place) {
  text_.resize(place.size);
  const ssize_t got =
      ::pread(file_.get(), text_.data(), place.size, static_cast<off_t>(place.begin));
  text_.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text_;
}

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
