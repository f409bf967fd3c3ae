// Folders of the files that are installed with the program or the Python module.
#pragma once

#include <filesystem>

namespace starport {

/// Returns the path of the installed file `relative`, which is relative to the prefix of an
/// installation ("share/starport/platforms/x.json"); an empty path if there is no such regular
/// file. Searched are the prefixes of the running program and of the program or shared library that
/// contains this function: the parent of the folder that holds it.
std::filesystem::path find_installed(const std::filesystem::path& relative);

}  // namespace starport
