// Checks of schedules from files, before they run.
#pragma once

#include "sim/files/error.hpp"
#include "sim/star/metrics.hpp"
#include "sim/star/schedule.hpp"
#include "sim/star/validator/validator.hpp"

#include <string>

namespace starport {

/// Checks a schedule by the recurrence of dates, which takes a multi-port master as one port, and
/// returns its metrics. Throws InputError, which names the file and the transfer, at the first
/// violation of the model on `platform`. Needs no SimGrid.
Metrics check_rules(const Schedule& schedule, const Platform& platform, const std::string& path);

/// Returns the error for a schedule in file `path` that violates the model.
InputError invalid_schedule_error(const Schedule& schedule, const Violation& violation,
                                  const std::string& path);

/// Checks a schedule as check_rules() does, but simulates it on SimGrid if the master is
/// multi-port, and returns its metrics. Throws InputError, which names the file and the transfer,
/// at the first violation.
Metrics check_schedule(const Schedule& schedule, const Platform& platform, const std::string& path);

/// Throws InputError if the file states a makespan that differs from that of `metrics`.
void check_makespan(const Schedule& schedule, const Metrics& metrics, const std::string& path);

}  // namespace starport
