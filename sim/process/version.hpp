// Versions of the program and of the libraries that it was built with. Their values stand in a
// source file of their own, which CMake generates, so that a commit recompiles nothing else.
#pragma once

namespace starport {

/// Version of Starport, such as "1.2.0".
extern const char* const kVersion;
/// Git commit that was built, as `git describe --always --dirty` names it: its tag, or the last tag
/// with the short hash, or without tags the short hash, and "-dirty" at the end when files had been
/// changed; "unknown" without git or a repository.
extern const char* const kCommit;
/// Version of the SimGrid library that the program was built for, such as "3.32". Simulations with
/// SimGrid use this version, since no other one can be loaded.
extern const char* const kSimgridVersion;

}  // namespace starport
