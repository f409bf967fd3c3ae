#include "sim/files/shipped.hpp"

#include <filesystem>

namespace starport {

std::string shipped(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::path(path).is_absolute() || fs::exists(path, error)) return path;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share/starport" / path;
  return fs::is_regular_file(installed, error) ? installed.string() : path;
}

}  // namespace starport
