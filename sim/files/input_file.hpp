// Reading of input files, also those that are installed with the programs.
#pragma once

#include "sim/files/error.hpp"

#include <string>

namespace starport {

/// Largest accepted input file, in bytes (1 GiB).
inline constexpr std::size_t kMaxInputBytes = std::size_t{1} << 30;

/// Returns the content of a file, which OutputFile then refuses to overwrite. A relative path that
/// does not exist is also looked up among the installed files (resolve_installed_path). Throws
/// InputError naming the file when it cannot be read or has more than `max_bytes` bytes.
std::string read_file(const std::string& path, std::size_t max_bytes = kMaxInputBytes);

/// Makes the error for a file that could not be opened, from the errno `error`. When the file does
/// not exist, the hint suggests one of a similar name in the same folder.
InputError make_unreadable_error(const std::string& path, int error);

/// Returns `path` if it is absolute or exists, else the installed file of that relative path: for a
/// program in PREFIX/bin and platforms/first-try.json,
/// PREFIX/share/starport/platforms/first-try.json. Returns `path` when neither exists.
std::string resolve_installed_path(const std::string& path);

}  // namespace starport
