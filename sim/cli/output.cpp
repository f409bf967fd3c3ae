#include "sim/cli/output.hpp"

#include "sim/model/error.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace starport {
namespace {

/// Writes all of the text; the errno of the failure, or 0.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

void print(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE) {
    throw InputError("standard output", "a place to write to", std::strerror(error));
  }
}

OutputFile::OutputFile(std::string path, const char* option)
    : path_(std::move(path)), option_(option) {
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (!exists || S_ISREG(status.st_mode)) partial_ = path_ + ".partial";
  fd_ = ::open(partial_.empty() ? path_.c_str() : partial_.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
               0666);
  if (fd_ < 0) fail(errno);
}

OutputFile::~OutputFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!partial_.empty()) ::unlink(partial_.c_str());
}

void OutputFile::write(std::string_view text) {
  const int error = write_all(fd_, text);
  if (error != 0 && error != EPIPE) fail(error);
}

void OutputFile::commit() {
  const int closed = ::close(fd_);
  fd_ = -1;
  if (closed != 0) fail(errno);
  if (!partial_.empty() && ::rename(partial_.c_str(), path_.c_str()) != 0) fail(errno);
}

void OutputFile::fail(int error) const {
  throw InputError(option_, "a file that can be written", std::strerror(error)).in_file(path_);
}

}  // namespace starport
