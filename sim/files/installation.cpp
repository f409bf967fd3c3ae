#include "sim/files/installation.hpp"

#include <dlfcn.h>
#include <link.h>

#include <system_error>

namespace starport {
namespace fs = std::filesystem;
namespace {

/// Returns the path of the shared library that contains this function; an empty path if it is part
/// of the program itself.
fs::path own_library() {
  Dl_info found{};
  void* entry = nullptr;
  const auto* here = reinterpret_cast<const void*>(&own_library);
  if (::dladdr1(here, &found, &entry, RTLD_DL_LINKMAP) == 0) return {};
  return static_cast<const link_map*>(entry)->l_name;
}

}  // namespace

fs::path find_installed(const fs::path& relative) {
  std::error_code error;
  for (const fs::path& binary : {fs::read_symlink("/proc/self/exe", error), own_library()}) {
    if (binary.empty()) continue;
    fs::path installed = fs::absolute(binary, error).parent_path().parent_path() / relative;
    if (fs::is_regular_file(installed, error)) return installed;
  }
  return {};
}

}  // namespace starport
