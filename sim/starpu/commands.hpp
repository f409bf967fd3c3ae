// The commands of starport-starpu.
#pragma once

#include <string>
#include <vector>

namespace starport::starpu {

/// `starport-starpu execute`: runs a product by each of several strategies and policies, and prints
/// what was measured beside the predictions. `arguments` are those after the command's name.
/// Returns the exit status: 1 if a run failed. Throws InputError for bad input.
int execute_command(const std::vector<std::string>& arguments);

/// `starport-starpu calibrate`: measures the workers and links of this machine with StarPU, and
/// writes a platform file. `arguments` are those after the command's name. Returns the exit status.
/// Throws InputError for bad input, SimulationError if a device fails.
int calibrate_command(const std::vector<std::string>& arguments);

}  // namespace starport::starpu
