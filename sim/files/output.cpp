#include "sim/files/output.hpp"

#include "sim/files/error.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace starport {

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(written);
  }
  return 0;
}

void print(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE) {
    throw InputError("standard output", "a place to write to", std::strerror(error));
  }
}

OutputFile::OutputFile(std::string path, const char* option)
    : path_(std::move(path)), option_(option) {
  if (path_.empty()) throw InputError(option_, "the name of a file", "an empty one");
  // Through a symbolic link, it is the file at its end that is replaced.
  std::error_code unresolved;
  const auto resolved = std::filesystem::weakly_canonical(path_, unresolved);
  target_ = unresolved ? path_ : resolved.string();
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    fd_ = ::open(target_.c_str(), O_WRONLY);
    if (fd_ < 0) fail(errno);
    return;
  }
  std::string name = target_ + ".XXXXXX";
  fd_ = ::mkstemp(name.data());
  if (fd_ < 0) fail(errno);
  partial_ = name;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd_, exists ? status.st_mode & 0777 : 0666 & ~mask);
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

void OutputFile::write(std::string_view text) {
  constexpr std::size_t enough = 1 << 16;
  buffer_ += text;
  if (buffer_.size() >= enough) flush();
}

void OutputFile::flush() {
  const int error = write_all(fd_, buffer_);
  buffer_.clear();
  if (error != 0 && error != EPIPE) fail(error);
}

void OutputFile::commit() {
  flush();
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail(errno);
  if (partial_.empty()) return;
  if (::rename(partial_.c_str(), target_.c_str()) != 0) fail(errno);
  partial_.clear();
}

void OutputFile::fail(int error) const {
  throw InputError(option_, "a file that can be written", std::strerror(error)).in_file(path_);
}

}  // namespace starport
