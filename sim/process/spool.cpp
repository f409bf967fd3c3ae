#include "sim/process/spool.hpp"

#include "sim/files/cause.hpp"
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
  throw MachineError(Cause::memory, fmt::format("no room for a long run in {} (TMPDIR): {}", folder,
                                                std::strerror(error)));
}

/// Not /tmp, which may be memory.
std::string folder_of_spools() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen == nullptr || *chosen == '\0' ? "/var/tmp" : chosen;
}

}  // namespace

void SpoolFile::write(std::span<const std::byte> bytes) {
  const std::string folder = folder_of_spools();
  if (file_.get() < 0) {
    std::string name = folder + "/starport-XXXXXX";
    file_.reset(::mkostemp(name.data(), O_CLOEXEC));
    if (file_.get() < 0) fail(folder, errno);
    ::unlink(name.c_str());
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (const int error = write_all(file_.get(), text)) fail(folder, error);
}

void SpoolFile::read(std::span<std::byte> bytes, std::int64_t from) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(file_.get(), bytes.data(), bytes.size(), from);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(folder_of_spools(), got < 0 ? errno : EIO);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    from += got;
  }
}

}  // namespace starport
