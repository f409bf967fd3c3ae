// The first failure of a device during a real run, which StarPU has no way to report.
#pragma once

#include <string>

namespace starport::starpu {

/// Stores the message about the first failure of a device in this process; later ones are ignored.
/// May be called by any thread.
void report_fault(const std::string& message);
/// Returns true if a device has failed, i.e. report_fault() has been called, so that tasks need not
/// compute any more. May be called by any thread.
bool has_fault();
/// Returns the message of the first failure of a device in this process, as passed to
/// report_fault(); empty without one. May be called by any thread.
std::string fault_message();

}  // namespace starport::starpu
