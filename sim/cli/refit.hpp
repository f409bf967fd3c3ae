// Platform figures fitted to the trace of a real run.
#pragma once

#include "sim/platform/platform_file.hpp"

#include <string>

namespace starport {

/// Returns the platform with c_i, latencies and w_i fitted to the real runs in a trace written by
/// starport-mpi execute; predictions in the trace are ignored. Workers without transfers or updates
/// keep their figures. Throws InputError, which names the file.
PlatformFile fit_to_trace(const PlatformFile& file, const std::string& trace_path);

}  // namespace starport
