// A schedule from a file is not trusted: it is checked before it is run.
#pragma once

#include "sim/files/error.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/validator/validator.hpp"

#include <string>

namespace starport {

/// The metrics by the recurrence; many ports count as one. Throws InputError that names the file,
/// the transfer and the first violation when the schedule breaks the model on the platform.
Metrics check_rules(const Schedule& schedule, const Platform& platform, const std::string& path);
InputError broken_schedule(const Schedule& schedule, const Violation& violation,
                           const std::string& path);

/// The metrics of the schedule on the platform, by the recurrence, or on SimGrid where there is
/// none. Throws InputError that names the file, the transfer and the first violation when it breaks
/// the model there.
Metrics check_schedule(const Schedule& schedule, const Platform& platform, const std::string& path);

/// Throws InputError when the makespan that the file claims is not that of its schedule.
void check_makespan(const Schedule& schedule, const Metrics& metrics, const std::string& path);

}  // namespace starport
