// Reading of input files, also those that are installed with the programs.
#pragma once

#include "sim/files/error.hpp"

#include <string>

namespace starport {

/// Largest accepted input file, in bytes (1 GiB).
inline constexpr std::size_t kMaxInputBytes = std::size_t{1} << 30;

/// Returns the whole content of a file and registers it as an input, so that OutputFile refuses to
/// overwrite it. A relative path that does not exist is also looked up among the installed files
/// (resolve_installed_path). Throws InputError naming the file when it cannot be read, is a
/// directory, has more than `max_bytes` bytes or does not fit in memory.
std::string read_file(const std::string& path, std::size_t max_bytes = kMaxInputBytes);

/// Makes, without throwing it, the InputError for a file that could not be opened, from the errno
/// `error`. When the file does not exist, the hint suggests an installed platform of that name or a
/// file of a similar name in the same folder, which is searched for it.
InputError make_unreadable_error(const std::string& path, int error);

/// Returns `path` if it is absolute or exists, else the installed file of that relative path: for a
/// program in PREFIX/bin and platforms/first-try.json,
/// PREFIX/share/starport/platforms/first-try.json. Returns `path` when neither exists; never throws
/// InputError.
std::string resolve_installed_path(const std::string& path);

}  // namespace starport
