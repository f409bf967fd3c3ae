#include "sim/files/output.hpp"

#include "sim/files/error.hpp"
#include "sim/files/text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <utility>

namespace starport {
namespace {

namespace fs = std::filesystem;

using FileIdentity = std::pair<dev_t, ino_t>;

/// Returns the set of all input files that this program has opened.
std::set<FileIdentity>& inputs() {
  static std::set<FileIdentity> files;
  return files;
}

/// Resolves symbolic links, also when the last one points to a file that does not exist yet: the
/// file at the end of the links is the one to replace.
fs::path resolve_links(fs::path path) {
  constexpr int max_links = 40;
  std::error_code none;
  if (fs::exists(path, none)) {
    const fs::path resolved = fs::canonical(path, none);
    return none ? path : resolved;  // /dev/stdout may resolve to a pipe, which has no path
  }
  for (int i = 0; i < max_links && fs::is_symlink(path, none); ++i) {
    path = path.parent_path() / fs::read_symlink(path, none);
  }
  return path;
}

bool is_read_only(const std::string& path, mode_t mode) {
  // access() lets root write every file, so the permission bits are checked too.
  return (mode & (S_IWUSR | S_IWGRP | S_IWOTH)) == 0 || ::access(path.c_str(), W_OK) != 0;
}

constexpr const char* kPlain = "\x1b[0m";

/// Returns `program: text` on one line. The name is not repeated if the text starts with it.
std::string format_line(const char* program, std::string_view text) {
  return (text.starts_with(program) ? "" : std::string(program) + ": ") + sanitize_line(text) +
         "\n";
}

bool wants_colours(int fd) {
  const auto set_to = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value == nullptr ? "" : value);
  };
  const std::string_view terminal = set_to("TERM");
  return ::isatty(fd) == 1 && set_to("NO_COLOR").empty() && set_to("CLICOLOR") != "0" &&
         !terminal.empty() && terminal != "dumb";
}

bool write_out(std::string_view text) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error != 0 && error != EPIPE) {
    throw InputError("standard output", "a place to write to", std::strerror(error));
  }
  return error == 0;
}

}  // namespace

int write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(written);
  }
  return 0;
}

void register_input_file(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) == 0) inputs().emplace(status.st_dev, status.st_ino);
}

bool print(std::string_view text) { return write_out(sanitize_lines(text)); }

bool print(std::string_view text, const std::function<Emphasis(std::string_view line)>& emphasis) {
  if (!wants_colours(STDOUT_FILENO)) return print(text);
  const std::string plain = sanitize_lines(text);
  std::string_view rest = plain;
  std::string painted;
  while (!rest.empty()) {
    const std::string_view line = next_token(rest, '\n');
    const Emphasis kind = emphasis(line);
    if (kind != Emphasis::none) painted += kind == Emphasis::strong ? "\x1b[1m" : "\x1b[2m";
    painted += line;
    if (kind != Emphasis::none) painted += kPlain;
    painted += '\n';
  }
  return write_out(painted);
}

void print_notice(std::string_view text, const char* program) {
  std::fputs(format_line(program, text).c_str(), stderr);
}

void print_error(std::string_view text, const char* program) {
  std::string line = format_line(program, text);
  if (wants_colours(STDERR_FILENO)) {
    line = std::string("\x1b[1;31m") + program + kPlain + line.substr(std::strlen(program));
  }
  std::fputs(line.c_str(), stderr);
}

bool are_same_file(const std::string& one, const std::string& other) {
  std::error_code failed;
  if (fs::equivalent(one, other, failed)) return true;
  const auto place = [&](const std::string& path) {
    return path.empty() ? fs::path() : fs::weakly_canonical(fs::absolute(path, failed), failed);
  };
  const fs::path first = place(one);
  return !first.empty() && first == place(other);
}

std::string temporary_pattern(const std::string& target) {
  constexpr std::size_t longest = 230;  // file systems allow 255 bytes
  const fs::path path(target);
  const std::string name = path.filename().string();
  return (path.parent_path() / ("." + name.substr(0, longest) + ".starport-XXXXXX")).string();
}

bool is_temporary_name(std::string_view name, std::string_view target) {
  const std::string pattern = temporary_pattern(std::string(target));
  constexpr std::size_t letters = 6;
  return name.size() == pattern.size() &&
         name.starts_with(std::string_view(pattern).substr(0, pattern.size() - letters));
}

std::string link_beside(const std::string& target, int fd) {
  std::string name = temporary_pattern(target);
  const int unused = ::mkostemp(name.data(), O_CLOEXEC);
  if (unused < 0) return "";
  ::close(unused);
  ::unlink(name.c_str());
  const std::string file = fmt::format("/proc/self/fd/{}", fd);
  return ::linkat(AT_FDCWD, file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? name
                                                                                          : "";
}

OutputFile::OutputFile(std::string path, const char* option)
    : path_(std::move(path)), option_(option) {
  if (path_.empty()) throw InputError(option_, "the name of a file", "an empty one");
  target_ = resolve_links(path_).string();
  struct stat status {};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  if (exists && !S_ISREG(status.st_mode)) {
    replaces_ = false;
    fd_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail(errno);
    return;
  }
  refuse_input();
  // Another file under the name of /dev/stdout would get nothing of what is printed later, and lose
  // what the shell was told to keep (>>).
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat stream {};
    if (!exists || ::fstat(fd, &stream) != 0 || stream.st_dev != status.st_dev ||
        stream.st_ino != status.st_ino) {
      continue;
    }
    replaces_ = false;
    fd_ = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (fd_ < 0) fail(errno);
    return;
  }
  if (exists && is_read_only(target_, status.st_mode)) fail(EACCES);
  const fs::path folder = fs::path(target_).parent_path();
  fd_ = ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd_ >= 0 && ::access(fmt::format("/proc/self/fd/{}", fd_).c_str(), F_OK) != 0) {
    ::close(std::exchange(fd_, -1));  // it could not be given a name
  }
  if (fd_ < 0) {
    std::string name = temporary_pattern(target_);
    fd_ = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd_ < 0) fail(errno);
    partial_ = name;
  }
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
  if (error_ == 0) error_ = write_all(fd_, buffer_);
  buffer_.clear();
  if (error_ != 0 && error_ != EPIPE) fail(error_);
}

void OutputFile::commit() {
  flush();
  if (replaces_) {
    refuse_input();
    if (::fsync(fd_) != 0) fail(errno);
    if (partial_.empty()) partial_ = link_beside(target_, fd_);
    if (partial_.empty()) fail(errno);
  }
  const int closed = ::close(std::exchange(fd_, -1));
  if (closed != 0) fail(errno);
  if (!replaces_) return;
  if (::rename(partial_.c_str(), target_.c_str()) != 0) fail(errno);
  partial_.clear();
  const fs::path folder = fs::path(target_).parent_path();
  const int directory =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) return;
  ::fsync(directory);  // so that the name survives a power failure, where the file system can
  ::close(directory);
}

void OutputFile::refuse_input() const {
  struct stat status {};
  if (*option_ == '\0' || ::stat(target_.c_str(), &status) != 0) return;
  if (inputs().count({status.st_dev, status.st_ino}) == 0) return;
  throw InputError(option_, "another file than those that are read", "one of them").in_file(path_);
}

void OutputFile::fail(int error) const {
  throw InputError(option_, "a file that can be written",
                   error == ENOENT ? "no such folder" : std::strerror(error))
      .in_file(path_);
}

}  // namespace starport
