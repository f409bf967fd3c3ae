// Folders of the files that are installed with the program or the Python module.
#pragma once

#include <filesystem>

namespace starport {

/// Returns the path of the installed file `relative`, a path relative to the prefix of the
/// installation, such as "share/starport/platforms/x.json"; an empty path if there is no such
/// regular file. The prefix is the parent of the folder of the running program or, if the file is
/// not there, of the shared library that contains this function.
std::filesystem::path find_installed(const std::filesystem::path& relative);

}  // namespace starport
