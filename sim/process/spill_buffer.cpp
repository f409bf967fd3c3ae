#include "sim/process/spill_buffer.hpp"

#include "sim/files/error.hpp"
#include "sim/files/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace starport {
namespace {

[[noreturn]] void fail(const std::string& folder, int error) {
  throw MachineError(
      FailureCause::memory,
      fmt::format("cannot write a temporary file in {}: {} (TMPDIR names another directory)",
                  folder, std::strerror(error)));
}

/// Returns the directory of spill files. /tmp is not the default, because it may be in memory.
std::string spill_directory() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen == nullptr || *chosen == '\0' ? "/var/tmp" : chosen;
}

}  // namespace

void SpillFile::write(std::span<const std::byte> bytes) {
  const std::string folder = spill_directory();
  if (file_.get() < 0) {
    std::string name = folder + "/starport-XXXXXX";
    file_.reset(::mkostemp(name.data(), O_CLOEXEC));
    if (file_.get() < 0) fail(folder, errno);
    ::unlink(name.c_str());
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const int error = write_all(file_.get(), text)) fail(folder, error);
}

void SpillFile::read(std::span<std::byte> bytes, std::int64_t from) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(file_.get(), bytes.data(), bytes.size(), from);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(spill_directory(), got < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    from += got;
  }
}

}  // namespace starport
