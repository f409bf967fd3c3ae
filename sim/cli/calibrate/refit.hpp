// Platform figures fitted to the trace of a real run.
#pragma once

#include "sim/platform/platform_file.hpp"

#include <string>

namespace starport {

/// Returns a copy of the platform with c_i (seconds per block), latencies (seconds) and w_i
/// (seconds per block update) fitted to the real runs in the CSV trace at `trace_path`, which
/// starport-mpi execute wrote; its predicted (simulated) runs are ignored. Workers without
/// transfers keep c_i and latency, those without updates w_i; all figures are those of the model
/// for the file's block size, and speed functions and measured samples are dropped. Throws
/// InputError, which names the file, if the platform file has no block size or is invalid at it, or
/// the trace cannot be read, is malformed, names workers that the platform lacks, or holds no
/// transfer of a real run. Does not check the fitted figures: durations that are 0 or negative in
/// the trace may make them 0, negative or NaN, which PlatformFile::at_block_size() refuses.
PlatformFile fit_to_trace(const PlatformFile& file, const std::string& trace_path);

}  // namespace starport
