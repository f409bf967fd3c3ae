// Files that are installed with the programs: platforms, sweeps, statements.
#pragma once

#include <string>

namespace starport {

/// The path, or where nothing is there, what was installed under it: with the program in
/// PREFIX/bin, PREFIX/share/starport/platforms/first-try.json for platforms/first-try.json.
std::string shipped(const std::string& path);

}  // namespace starport
