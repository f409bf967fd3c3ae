// The figures of a platform as a real run found them.
#pragma once

#include "sim/platform/platform_file.hpp"

#include <string>

namespace starport {

/// The platform with the c_i, latencies and w_i of the runs in a trace that starport-mpi execute
/// has written, not of the predictions in it. Workers that took no part keep theirs. Throws
/// InputError that names the file.
PlatformFile refitted(const PlatformFile& file, const std::string& trace_path);

}  // namespace starport
