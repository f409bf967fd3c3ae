// The commands of starport-starpu.
#pragma once

#include <string>
#include <vector>

namespace starport::starpu {

/// `starport-starpu execute`: runs a product by each of several strategies and policies, and prints
/// what was measured beside the predictions. `arguments` are those after the command's name.
/// Returns the exit status: 0, also for --help, which is printed instead; 1 if a strategy could not
/// be predicted or a run of it failed, which the report says and which does not stop the others.
/// Throws InputError for bad input, e.g. a platform that is not what StarPU finds on this machine
/// or tiles of which three do not fit in the memory of a device, and SimulationError if StarPU does
/// not start or the system refuses the memory for the matrices. Call it from a process with one
/// thread, since it forks.
int execute_command(const std::vector<std::string>& arguments);

/// `starport-starpu calibrate`: measures the workers and links of this machine with StarPU, which
/// replaces what it had stored of them, and writes a platform file. `arguments` are those after the
/// command's name. Returns the exit status: 0, also for --help, which is printed instead. Throws
/// InputError for bad input, e.g. tiles for which memory is short, and SimulationError if StarPU
/// does not start, a device fails, or the measurement of one tile size takes more than an hour. The
/// file is written only on success. Call it from a process with one thread, since it forks.
int calibrate_command(const std::vector<std::string>& arguments);

}  // namespace starport::starpu
