// The first failure of a device during a real run, which StarPU has no way to report.
#pragma once

#include <string>

namespace starport::starpu {

/// Stores the message about the first failure of a device, from any thread; later ones are ignored.
void report_fault(const std::string& message);
/// Returns true if report_fault() has been called. Tasks then need not compute any more.
bool has_fault();
/// Returns the message of the first failure; empty without one.
std::string fault_message();

}  // namespace starport::starpu
