#include "sim/files/input_file.hpp"

#include "sim/files/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>
#include <vector>

namespace starport {
namespace {

/// Suggests a file of a similar name in the same folder, or the shipped platform of that name.
std::string suggest_file(const std::filesystem::path& path) {
  constexpr std::size_t max_names = 10'000;
  const std::filesystem::path folder = path.parent_path();
  std::vector<std::string> names;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end && names.size() < max_names; entry.increment(error)) {
    // The name itself must be similar, whatever the length of the folder's.
    const std::vector<std::string> name{entry->path().filename().string()};
    if (!did_you_mean(path.filename().string(), name).empty()) {
      names.push_back((folder / name.front()).string());
    }
  }
  std::ranges::sort(names);  // whatever order the system has them in
  const std::string platform = "platforms/" + path.stem().string() + ".json";
  if (std::filesystem::exists(resolve_installed_path(platform), error)) {
    return fmt::format("did you mean '{}'?", platform);
  }
  return did_you_mean(path.string(), names);
}

}  // namespace

InputError make_unreadable_error(const std::string& path, int error) {
  if (error == ENOENT) {
    return InputError::with_problem("", "there is no such file", suggest_file(path)).in_file(path);
  }
  return InputError("", "a readable file", std::strerror(error)).in_file(path);
}

std::string read_file(const std::string& path, std::size_t max_bytes) {
  const auto fail = [&](const char* expected, const char* found) -> InputError {
    return InputError("", expected, found).in_file(path);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw fail("a file", "a directory");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(
      std::fopen(resolve_installed_path(path).c_str(), "rb"), std::fclose);
  if (!in) throw make_unreadable_error(path, errno);
  register_input_file(::fileno(in.get()));
  try {
    std::string content;
    std::vector<char> piece(1 << 16);
    while (const std::size_t got = std::fread(piece.data(), 1, piece.size(), in.get())) {
      content.append(piece.data(), got);
      if (content.size() > max_bytes) throw fail("a file of at most 1 GiB", "a larger one");
    }
    if (std::ferror(in.get()) != 0) throw fail("a readable file", std::strerror(errno));
    return content;
  } catch (const std::bad_alloc&) {
    throw fail("a file that fits in memory", "a larger one");
  }
}

std::string resolve_installed_path(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::path(path).is_absolute() || fs::exists(path, error)) return path;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path installed = program.parent_path().parent_path() / "share/starport" / path;
  return fs::is_regular_file(installed, error) ? installed.string() : path;
}

}  // namespace starport
